// explanation: collects what trace_origin tells; see explanation.h.
#include "explanation.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// NaN has no sign and no payload: every NaN is the same number.
static bool same_number(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_cell(const TraceCell *a, const TraceCell *b)
{
    return a->tensor == b->tensor && memcmp(a->at, b->at, sizeof a->at) == 0;
}

// Of a softmax the exps are listed, and the element's own one is the one that is divided last.
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
    while (
        !same_cell(&explanation_term(explanation, explanation->own)->sources[0], &last->sources[0]))
        explanation->own++;
}

// Terms of one size keep their order.
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
    explanation->exact = same_number(last->running, explanation_number(trace, explanation->cell));
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
