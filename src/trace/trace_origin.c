// Translates a stage's description of an element's origin to tensors of the trace.
#include "trace_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace_program.h"
#include "trace_words.def"

typedef struct TermVisitor {
    const Trace *trace;
    const TraceStep *step;
    TraceTermVisit *visit;
    void *context;
} TermVisitor;

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

// The words for kinds of terms that a stage does not describe.
static const char *words_of(TermKind kind)
{
    const char *const words[TERM_KINDS] = {
        [TERM_ADD] = TELL(TERM_ADDED),       [TERM_MULTIPLY_ADD] = TELL(TERM_MULTIPLY_ADD),
        [TERM_MAXIMUM] = TELL(TERM_MAXIMUM), [TERM_EXP] = TELL(TERM_EXP),
        [TERM_LANES] = TELL(TERM_LANES),     [TERM_QUOTIENT] = TELL(TERM_QUOTIENT),
        [TERM_PLACE] = TELL(TERM_PLACE),     [TERM_COPY] = TELL(TERM_COPY),
        [TERM_LOOK_UP] = TELL(TERM_LOOK_UP),
    };
    return words[kind];
}

static void visit_term(void *context, const Term *term)
{
    const TermVisitor *visitor = context;
    TraceTerm out = {.kind = term->kind,
                     .what = term->what ? term->what : words_of(term->kind),
                     .source_count = term->source_count,
                     .value = term->value,
                     .running = term->running};
    for (int i = 0; i < term->source_count; i++)
        out.sources[i] = cell_of(visitor->trace, visitor->step, &term->sources[i]);
    visitor->visit(visitor->context, &out);
}

// --- of a step that a formula computes

typedef struct FormulaVisitor {
    const Trace *trace;
    const TraceStep *step;
    bool is_product_sum; // all terms are products of two elements
    TraceTermVisit *visit;
    void *context;
} FormulaVisitor;

// The element of the stored tensor: without the H axis that it lacks, and where a mask is smaller than the
// scores that it is read beside, the one that stands for all.
static TraceCell cell_read(const FormulaVisitor *visitor, int id, int rank, const ptrdiff_t at[])
{
    const TraceStep *step = visitor->step;
    bool is_other = id >= TRACE_PROGRAM_OTHER, is_own = !is_other && id >= SOURCE_OWN;
    TraceCell cell = {.tensor = is_other ? id - TRACE_PROGRAM_OTHER
                                : is_own ? step->writes[id - SOURCE_OWN]
                                         : step->reads[id]};
    const Tensor *stored = &visitor->trace->tensors[cell.tensor].tensor;
    const char *axes = is_other ? NULL
                       : is_own ? step->call->writes[id - SOURCE_OWN].axes
                                : step->call->reads[id].axes;
    int hidden = !is_other && rank == stored->rank + 1
                     ? trace_hidden_axis(visitor->trace, axes, stored->rank)
                     : -1;
    for (int axis = 0; axis < stored->rank; axis++) {
        int from = hidden >= 0 ? axis + (axis >= hidden) : axis + rank - stored->rank;
        ptrdiff_t place = from >= 0 && from < rank ? at[from] : 0;
        cell.at[axis] = place < stored->shape[axis] ? place : 0;
    }
    return cell;
}

static const char *words_of_formula(FormulaTermKind kind)
{
    const char *const words[] = {
        [FORMULA_TERM_VALUE] = TELL(TERM_READ),
        [FORMULA_TERM_ADDED] = TELL(TERM_ADDED),
        [FORMULA_TERM_PRODUCT] = TELL(TERM_MULTIPLY_ADD),
        [FORMULA_TERM_COMPARED] = TELL(TERM_MAXIMUM),
        [FORMULA_TERM_LANES] = TELL(TERM_LANES),
        [FORMULA_TERM_RULE] = TELL(TERM_REST),
    };
    return words[kind];
}

static void visit_formula_term(void *context, const FormulaTerm *term)
{
    const FormulaVisitor *visitor = context;
    TraceTerm out = {.kind = visitor->is_product_sum ? TERM_MULTIPLY_ADD : TERM_RULE,
                     .what = words_of_formula(term->kind),
                     .source_count = term->source_count,
                     .value = (float)term->value,
                     .running = (float)term->running};
    for (int i = 0; i < term->source_count; i++)
        out.sources[i] =
            cell_read(visitor, term->sources[i].id, term->sources[i].rank, term->sources[i].at);
    visitor->visit(visitor->context, &out);
}

static void check_product(void *context, const FormulaTerm *term)
{
    bool *is_product_sum = context;
    *is_product_sum = *is_product_sum && term->kind == FORMULA_TERM_PRODUCT;
}

// The element with the indices of the formula.
static void place_written(const FormulaResult *result, TraceCell cell, const Tensor *stored,
                          int hidden, ptrdiff_t at[])
{
    bool has_hidden = hidden >= 0 && result->rank == stored->rank + 1;
    for (int axis = 0; axis < result->rank; axis++) {
        int from = has_hidden ? axis - (axis > hidden) : axis + stored->rank - result->rank;
        bool is_there = from >= 0 && from < stored->rank && !(has_hidden && axis == hidden);
        at[axis] = is_there ? cell.at[from] : 0;
    }
}

// Returns false if a generator has drawn it, not a formula.
static bool origin_of_formula(const Trace *trace, TraceCell cell, TraceTermVisit *visit,
                              void *context)
{
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    const TraceStep *step = &trace->steps[tensor->step];
    FormulaVisitor visitor = {trace, step, true, visit, context};
    Arena arena = {0};
    TraceProgram made;
    Error err;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool is_open = trace_formula_open(&made, &arena, trace, tensor->step, &err);
    int result = is_open ? made.program.result_count : 0;
    while (--result >= 0 && trace_program_slot(&made, result) != tensor->slot)
        continue;
    if (result >= 0) {
        FormulaTermVisitor check = {check_product, &visitor.is_product_sum};
        FormulaTermVisitor show = {visit_formula_term, &visitor};
        place_written(
            &made.program.results[result], cell, &tensor->tensor,
            trace_hidden_axis(trace, step->call->writes[tensor->slot].axes, tensor->tensor.rank),
            at);
        if (formula_terms(&made.program, result, at, true, &check, &err))
            formula_terms(&made.program, result, at, true, &show, &err);
    }
    arena_finish(&arena);
    return !is_open || result >= 0;
}

void trace_origin(const Trace *trace, TraceCell cell, TraceTermVisit *visit, void *context)
{
    const TraceTensor *tensor = &trace->tensors[cell.tensor];
    if (tensor->step < 0)
        return;
    const TraceStep *step = &trace->steps[tensor->step];
    if (step->formula && origin_of_formula(trace, cell, visit, context))
        return;
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
    stage_origin(step->stage, &args, tensor->slot, at, visit_term,
                 &(TermVisitor){trace, step, visit, context});
}

// --- collected, as an explanation

static void count_term(void *context, const TraceTerm *term)
{
    (void)term;
    ++*(ptrdiff_t *)context;
}

static void keep_term(void *context, const TraceTerm *term)
{
    Explanation *explanation = context;
    explanation->terms[explanation->count++] = *term;
}

float explanation_number(const Trace *trace, TraceCell cell)
{
    return (float)tensor_number(&trace->tensors[cell.tensor].tensor, cell.at);
}

// A softmax lists its exps; the element's own is the one divided last.
static void choose_list(Explanation *explanation)
{
    TermKind kind = explanation->terms[0].kind;
    explanation->listed = explanation->count;
    explanation->is_softmax =
        kind == TERM_MAXIMUM && explanation->terms[explanation->count - 1].kind == TERM_QUOTIENT;
    explanation->adds_up = kind == TERM_MULTIPLY_ADD || explanation->is_softmax;
    explanation->own = explanation->adds_up ? 0 : explanation->count - 1;
    if (!explanation->is_softmax)
        return;
    while (explanation->terms[explanation->first].kind == TERM_MAXIMUM)
        explanation->first++;
    explanation->listed = 0;
    while (explanation->terms[explanation->first + explanation->listed].kind == TERM_EXP)
        explanation->listed++;
    const TraceTerm *last = &explanation->terms[explanation->count - 1];
    for (const TraceCell *own = &last->sources[0];; explanation->own++) {
        const TraceCell *cell = &explanation_term(explanation, explanation->own)->sources[0];
        if (cell->tensor == own->tensor && memcmp(cell->at, own->at, sizeof own->at) == 0)
            break;
    }
}

// Terms of the same size keep their order.
static int compare_sizes(const void *a, const void *b)
{
    const RankedTerm *left = a, *right = b;
    if (left->size != right->size)
        return left->size > right->size ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static void sort(Explanation *explanation)
{
    for (ptrdiff_t number = 0; number < explanation->listed; number++) {
        double size = fabs((double)explanation_term(explanation, number)->value);
        bool counts = !isnan(size);
        explanation->by_size[number] = (RankedTerm){number, counts ? size : INFINITY, 0.0};
        explanation->largest = counts && size > explanation->largest ? size : explanation->largest;
    }
    qsort(explanation->by_size, (size_t)explanation->listed, sizeof *explanation->by_size,
          compare_sizes);
    for (ptrdiff_t rank = 0; rank < explanation->listed; rank++) {
        RankedTerm *ranked = &explanation->by_size[rank];
        bool counts = !isnan(explanation_term(explanation, ranked->number)->value);
        ranked->up_to = explanation->together += counts ? ranked->size : 0.0;
    }
}

static void judge(Explanation *explanation, const Trace *trace)
{
    const TraceTerm *last = &explanation->terms[explanation->count - 1];
    float stored = explanation_number(trace, explanation->cell);
    explanation->exact = memcmp(&last->running, &stored, sizeof stored) == 0 ||
                         (isnan(last->running) && isnan(stored));
    explanation->first_nan = 0;
    while (explanation->first_nan < explanation->count &&
           !isnan(explanation->terms[explanation->first_nan].running))
        explanation->first_nan++;
    if (explanation->first_nan == explanation->count)
        explanation->first_nan = -1;
}

bool explanation_make(Explanation *explanation, const Trace *trace, TraceCell cell, Error *err)
{
    ptrdiff_t count = 0;
    explanation_finish(explanation);
    trace_origin(trace, cell, count_term, &count);
    Explanation made = {.cell = cell, .first_nan = -1, .exact = true};
    made.terms = arena_take(&made.arena, (size_t)count, sizeof *made.terms, err);
    made.by_size =
        made.terms ? arena_take(&made.arena, (size_t)count, sizeof *made.by_size, err) : NULL;
    if (!made.by_size) {
        explanation_finish(&made);
        return false;
    }
    trace_origin(trace, cell, keep_term, &made);
    assert(made.count == count);
    if (count > 0) {
        choose_list(&made);
        sort(&made);
        judge(&made, trace);
    }
    *explanation = made;
    return true;
}

void explanation_finish(Explanation *explanation)
{
    arena_finish(&explanation->arena);
    *explanation = (Explanation){.first_nan = -1};
}

const TraceTerm *explanation_term(const Explanation *explanation, ptrdiff_t number)
{
    assert(number >= 0 && number < explanation->listed);
    return &explanation->terms[explanation->first + number];
}

int explanation_axis(const Explanation *explanation, int source)
{
    if (explanation->listed < 2)
        return -1;
    const TraceTerm *one = explanation_term(explanation, 0);
    const TraceTerm *other = explanation_term(explanation, 1);
    if (source >= one->source_count || source >= other->source_count ||
        one->sources[source].tensor != other->sources[source].tensor)
        return -1;
    for (int axis = 0; axis < TENSOR_RANK_MAX; axis++)
        if (one->sources[source].at[axis] != other->sources[source].at[axis])
            return axis;
    return -1;
}
