// trace_origin: a stage's answer to "where did this come from", told in tensors of the trace.
#include "trace_internal.h"

#include <assert.h>
#include "trace_words.h"

typedef struct Telling {
    const Trace *trace;
    const TraceStep *step;
    TraceTermVisit *visit;
    void *context;
} Telling;

static TraceCell cell_of(const Trace *trace, const TraceStep *step, const Source *source)
{
    bool is_own = source->slot >= SOURCE_OWN;
    int slot = is_own ? source->slot - SOURCE_OWN : source->slot;
    int number = is_own ? step->writes[slot] : step->reads[slot];
    const char *axes = is_own ? step->call->writes[slot].axes : step->call->reads[slot].axes;
    const Tensor *stored = &trace->tensors[number].tensor;
    int hidden = trace_hidden_axis(trace, axes, stored->rank);
    TraceCell cell = {.tensor = number};
    for (int axis = 0; axis < stored->rank; axis++)
        cell.at[axis] = source->at[axis + (hidden >= 0 && axis >= hidden)];
    return cell;
}

// A stage need not say what its kind of term always does.
static const char *words_of(TermKind kind)
{
    const char *const words[TERM_KINDS] = {
        [TERM_MULTIPLY_ADD] = TELL(TERM_MULTIPLY_ADD),
        [TERM_MAXIMUM] = TELL(TERM_MAXIMUM),
        [TERM_EXP] = TELL(TERM_EXP),
        [TERM_LANES] = TELL(TERM_LANES),
        [TERM_QUOTIENT] = TELL(TERM_QUOTIENT),
        [TERM_PLACE] = TELL(TERM_PLACE),
        [TERM_COPY] = TELL(TERM_COPY),
        [TERM_LOOK_UP] = TELL(TERM_LOOK_UP),
    };
    return words[kind];
}

static void tell(void *context, const Term *term)
{
    const Telling *telling = context;
    TraceTerm out = {.kind = term->kind,
                     .what = term->what ? term->what : words_of(term->kind),
                     .source_count = term->source_count,
                     .value = term->value,
                     .running = term->running};
    for (int i = 0; i < term->source_count; i++)
        out.sources[i] = cell_of(telling->trace, telling->step, &term->sources[i]);
    telling->visit(telling->context, &out);
}

void trace_origin(const Trace *trace, TraceCell cell, TraceTermVisit *visit, void *context)
{
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    if (tensor->step < 0)
        return;
    const TraceStep *step = &trace->steps[tensor->step];
    StageArgs args;
    Error err;
    bool has_run = trace_arguments(trace, tensor->step, &args, &err);
    assert(has_run);
    if (!has_run)
        return;

    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int hidden =
        trace_hidden_axis(trace, step->call->writes[tensor->slot].axes, tensor->tensor.rank);
    for (int axis = 0; axis < tensor->tensor.rank; axis++)
        at[axis + (hidden >= 0 && axis >= hidden)] = cell.at[axis];
    step->stage->origin(&args, tensor->slot, at, tell, &(Telling){trace, step, visit, context});
}
