// trace_influence: which elements of a step's outputs an edit reaches, from those of its inputs.
//
// A stage says how (stage.h, Influence). Asking each element for its origin is always right; where the
// named axes say the same, they are much faster.
#include "trace_internal.h"

#include <string.h>

// An edit mostly concerns one sequence of a batch, and only that is looked at.
typedef struct Sequences {
    ptrdiff_t first,
        count; // count 0: all, since something that is read or written has no axis of them
} Sequences;

static Tensor some_of(const Tensor *flags, Sequences some)
{
    return some.count > 0 ? tensor_narrow(flags, 0, some.first, some.count) : *flags;
}

// Whether the first axis of a stored tensor is that of sequences. A mask of fewer axes than its slot may begin
// with that of queries.
static bool begins_with_sequences(const Trace *trace, const char *axes, const Tensor *stored)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int hidden = axes ? trace_hidden_axis(trace, axes, stored->rank) >= 0 : 0;
    return trace_is_batched(axes) && trace_symbols(axes, symbols) == stored->rank + hidden;
}

static Sequences find_sequences(const Trace *trace, const TraceChange *change, int number)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    ptrdiff_t batch = tensor->tensor.shape[0], first = batch, last = -1;
    if (!begins_with_sequences(trace, step->call->writes[tensor->slot].axes, &tensor->tensor))
        return (Sequences){0};
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Tensor *flags =
            step->reads[i] < 0 ? NULL : &trace_changed(change, step->reads[i])->reached;
        if (!flags || !flags->storage.bytes)
            continue;
        if (!begins_with_sequences(trace, step->call->reads[i].axes, flags) ||
            flags->shape[0] != batch)
            return (Sequences){0};
        ptrdiff_t each = tensor_count(flags) / batch;
        for (ptrdiff_t b = 0; b < batch; b++)
            if (memchr(&flags->storage.boolean[b * each], 1, (size_t)each)) {
                first = b < first ? b : first;
                last = b > last ? b : last;
            }
    }
    return last < first ? (Sequences){0} : (Sequences){first, last - first + 1};
}

// Stored flags with the axes that the slot declares.
static Tensor declared_flags(const Trace *trace, const Slot *slot, const Tensor *stored)
{
    int hidden = stored->storage.bytes ? trace_hidden_axis(trace, slot->axes, stored->rank) : -1;
    return hidden >= 0 ? tensor_unsqueeze(stored, hidden) : *stored;
}

// Whether a reached element is among an element's sources. Those that the step has computed itself come
// before it, and are asked for already.
typedef struct Asking {
    Tensor reads[STAGE_READS_MAX], writes[STAGE_WRITES_MAX]; // which of their elements are reached
    bool reached;
} Asking;

static void ask(void *context, const Term *term)
{
    Asking *asking = context;
    for (int i = 0; i < term->source_count && !asking->reached; i++) {
        const Source *source = &term->sources[i];
        const Tensor *reached = source->slot < SOURCE_OWN
                                    ? &asking->reads[source->slot]
                                    : &asking->writes[source->slot - SOURCE_OWN];
        asking->reached =
            reached->storage.bytes && reached->storage.boolean[tensor_place(reached, source->at)];
    }
}

static bool reach_as_told(const Trace *trace, const TraceChange *change, int number,
                          const Tensor *reached, Sequences some, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    Asking asking = {.reached = false};
    StageArgs args;
    if (!trace_arguments(trace, tensor->step, &args, err))
        return false;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step->reads[i] >= 0)
            asking.reads[i] = declared_flags(trace, &step->call->reads[i],
                                             &trace_changed(change, step->reads[i])->reached);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        asking.writes[i] = declared_flags(
            trace, &step->call->writes[i],
            i == tensor->slot ? reached : &trace_changed(change, step->writes[i])->reached);
    Tensor flags = some_of(&asking.writes[tensor->slot], some);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(&flags, at)) {
        ptrdiff_t whole[TENSOR_RANK_MAX];
        memcpy(whole, at, sizeof whole);
        whole[0] += some.first;
        asking.reached = false;
        step->stage->origin(&args, tensor->slot, whole, ask, &asking);
        if (asking.reached)
            flags.storage.boolean[tensor_place(&flags, at)] = true;
    }
    return true;
}

// One flag for each place on the axes that both tensors name, seen in the shape of one of them.
static Tensor shared_flags(unsigned char *flags, const Tensor *shaped, const Symbol own[],
                           const Symbol shared[], const ptrdiff_t stride[], int shared_count)
{
    Tensor view = *shaped;
    view.storage.boolean = flags;
    view.offset = 0;
    for (int axis = 0; axis < shaped->rank; axis++) {
        int at = trace_find_symbol(shared, shared_count, own[axis]);
        view.stride[axis] = at >= 0 ? stride[at] : 0;
    }
    return view;
}

static void raise_flags(const Tensor *from, const Tensor *to)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(from, at))
        if (from->storage.boolean[tensor_place(from, at)])
            to->storage.boolean[tensor_place(to, at)] = true;
}

// The flags of a tensor, and the names of its axes.
typedef struct NamedFlags {
    Tensor flags;
    const char *axes;
} NamedFlags;

// Reaches every element of `out` that has a reached element of `in` at the same place on the axes
// that both name; `whole_rows`: and the rows of `out` that such elements lie in.
static bool reach_by_axes(const NamedFlags *in, const NamedFlags *out, bool whole_rows,
                          Arena *scratch, Error *err)
{
    Symbol in_symbols[TRACE_WORDS_MAX], out_symbols[TRACE_WORDS_MAX], shared[TRACE_WORDS_MAX];
    ptrdiff_t stride[TRACE_WORDS_MAX], flags_count = 1;
    int in_count = trace_symbols(in->axes, in_symbols);
    int out_count = trace_symbols(out->axes, out_symbols), shared_count = 0;
    for (int axis = out_count - 1; axis >= 0; axis--) {
        bool is_row = whole_rows && axis == out_count - 1;
        if (is_row || trace_find_symbol(in_symbols, in_count, out_symbols[axis]) < 0)
            continue;
        shared[shared_count] = out_symbols[axis];
        stride[shared_count++] = flags_count;
        flags_count *= out->flags.shape[axis];
    }
    unsigned char *flags = arena_take(scratch, (size_t)flags_count, 1, err);
    if (!flags)
        return false;
    Tensor in_flags = shared_flags(flags, &in->flags, in_symbols, shared, stride, shared_count);
    Tensor out_flags = shared_flags(flags, &out->flags, out_symbols, shared, stride, shared_count);
    raise_flags(&in->flags, &in_flags);
    raise_flags(&out_flags, &out->flags);
    return true;
}

static NamedFlags named_flags(const Trace *trace, const Slot *slot, const Tensor *stored)
{
    return (NamedFlags){declared_flags(trace, slot, stored), slot->axes};
}

// Axes say nothing where heads are folded into a width on one side only, or are not declared.
static bool axes_tell(const TraceStep *step, const Slot *write)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int count = trace_symbols(write->axes, symbols);
    bool out_has_heads = trace_find_symbol(symbols, count, SYMBOL_H) >= 0;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *read = &step->call->reads[i];
        if (step->reads[i] < 0)
            continue;
        count = read->axes ? trace_symbols(read->axes, symbols) : 0;
        if (count == 0 || (trace_find_symbol(symbols, count, SYMBOL_H) >= 0 && !out_has_heads))
            return false;
    }
    return step->stage->influence != INFLUENCE_BY_ORIGIN;
}

bool trace_influence(const Trace *trace, const TraceChange *change, int number,
                     const Tensor *reached, Error *err)
{
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceStep *step = &trace->steps[tensor->step];
    const Slot *write = &step->call->writes[tensor->slot];
    Sequences some = find_sequences(trace, change, number);
    if (tensor->slot != step->stage->main_output || !axes_tell(step, write))
        return reach_as_told(trace, change, number, reached, some, err);
    Arena scratch = {0};
    Tensor some_reached = some_of(reached, some);
    NamedFlags out = named_flags(trace, write, &some_reached);
    bool fits = true;
    for (int i = 0; fits && i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        if (step->reads[i] < 0 || !trace_changed(change, step->reads[i])->reached.storage.bytes)
            continue;
        const Slot *read = &step->call->reads[i];
        Tensor flags = some_of(&trace_changed(change, step->reads[i])->reached, some);
        NamedFlags in = named_flags(trace, read, &flags);
        fits = reach_by_axes(&in, &out, step->stage->influence == INFLUENCE_BY_ROW, &scratch, err);
    }
    arena_finish(&scratch);
    return fits;
}
