// Origins of elements: told by their stage, or made from its formula, and translated to tensors of the trace.
#include "trace_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "stages_words.def"
#include "trace_program.h"
#include "trace_words.def"

// --- of a stage

enum { SLOTS = SOURCE_OWN + STAGE_WRITES_MAX };

typedef struct TermVisitor {
    const Trace *trace;
    const TraceStep *step;
    int hidden[SLOTS]; // trace_hidden_axis of each
    TraceTermVisit *visit;
    void *context;
} TermVisitor;

static void find_hidden_axes(TermVisitor *visitor)
{
    const TraceStep *step = visitor->step;
    for (int i = 0; i < SLOTS; i++) {
        bool is_own = i >= SOURCE_OWN;
        int tensor = is_own ? step->writes[i - SOURCE_OWN] : step->reads[i];
        const Slot *slot = is_own ? &step->call->writes[i - SOURCE_OWN] : &step->call->reads[i];
        visitor->hidden[i] = slot->role && tensor >= 0
                                 ? trace_hidden_axis(visitor->trace, slot->axes,
                                                     visitor->trace->tensors[tensor].tensor.rank)
                                 : -1;
    }
}

static void set_cell(const TermVisitor *visitor, const Source *source, TraceCell *cell)
{
    const TraceStep *step = visitor->step;
    bool is_other = source->slot >= TRACE_PROGRAM_OTHER;
    int hidden = is_other ? -1 : visitor->hidden[source->slot];
    *cell =
        (TraceCell){.tensor = is_other                     ? source->slot - TRACE_PROGRAM_OTHER
                              : source->slot >= SOURCE_OWN ? step->writes[source->slot - SOURCE_OWN]
                                                           : step->reads[source->slot]};
    int rank = visitor->trace->tensors[cell->tensor].tensor.rank;
    for (int axis = 0; axis < rank; axis++)
        cell->at[axis] = source->at[axis + (hidden >= 0 && axis >= hidden)];
}

// The words for kinds of terms that a stage does not describe.
static const char *words_of(TermKind kind)
{
    switch (kind) {
    case TERM_ADD:
        return TELL(TERM_ADDED);
    case TERM_MULTIPLY_ADD:
        return TELL(TERM_MULTIPLY_ADD);
    case TERM_MAXIMUM:
        return TELL(TERM_MAXIMUM);
    case TERM_EXP:
        return TELL(TERM_EXP);
    case TERM_LANES:
        return TELL(TERM_LANES);
    case TERM_QUOTIENT:
        return TELL(TERM_QUOTIENT);
    case TERM_PLACE:
        return TELL(TERM_PLACE);
    case TERM_COPY:
        return TELL(TERM_COPY);
    case TERM_LOOK_UP:
        return TELL(TERM_LOOK_UP);
    default:
        return NULL;
    }
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
        set_cell(visitor, &term->sources[i], &out.sources[i]);
    visitor->visit(visitor->context, &out);
}

// --- of a formula

typedef struct FormulaVisitor {
    const TraceProgram *made;
    const Terms *terms;
    const char *rest;
    bool has_products;
} FormulaVisitor;

// Which axis of a tensor of the arguments a formula leaves out, that has `rank` indices for it; -1: none.
static int left_out(const TraceProgram *made, const Slot *slot, const Tensor *tensor, int rank)
{
    return made->trace && rank == tensor->rank - 1
               ? trace_hidden_axis(made->trace, slot->axes, rank)
               : -1;
}

// The element that a formula reads. A mask may be smaller than the scores that it is read beside: then it is
// the one that stands for all.
static void set_source(const TraceProgram *made, int id, int rank, const ptrdiff_t at[],
                       Source *source)
{
    bool is_other = id >= TRACE_PROGRAM_OTHER, is_own = !is_other && id >= SOURCE_OWN;
    const StageCall *call = trace_program_call(made);
    const Tensor *tensor = is_other ? &made->trace->tensors[id - TRACE_PROGRAM_OTHER].tensor
                           : is_own ? &made->args.out[id - SOURCE_OWN]
                                    : &made->args.in[id];
    int hidden = is_other
                     ? -1
                     : left_out(made, is_own ? &call->writes[id - SOURCE_OWN] : &call->reads[id],
                                tensor, rank);
    source->slot = id;
    for (int axis = 0; axis < tensor->rank; axis++) {
        int from = hidden >= 0 ? axis - (axis > hidden) : axis + rank - tensor->rank;
        bool is_there = from >= 0 && axis != hidden && tensor->shape[axis] > 1;
        source->at[axis] = is_there ? at[from] : 0;
    }
}

static bool same_number(double a, double b)
{
    return a == b || (a != a && b != b);
}

// What a read element becomes: the whole value so far, or a part of what comes next.
static void tell_read(const FormulaVisitor *visitor, const FormulaTerm *term, Term *out)
{
    const Slot *slot = &trace_program_call(visitor->made)->writes[visitor->terms->slot];
    out->kind = slot->is_view ? TERM_PLACE : TERM_COPY;
    if (same_number(term->value, term->running))
        return;
    out->kind = TERM_RULE;
    out->what = TELL(TERM_READ);
}

// What a formula adds behind products, if it is given, is a bias.
static bool is_bias(const FormulaVisitor *visitor, const Term *term)
{
    const StageCall *call = trace_program_call(visitor->made);
    return term->kind == TERM_ADD && visitor->has_products && term->source_count > 0 &&
           term->sources[0].slot < SOURCE_OWN && call->reads[term->sources[0].slot].optional;
}

static void visit_formula_term(void *context, const FormulaTerm *term)
{
    static const TermKind kinds[] = {
        [FORMULA_TERM_VALUE] = TERM_COPY,           [FORMULA_TERM_ADDED] = TERM_ADD,
        [FORMULA_TERM_PRODUCT] = TERM_MULTIPLY_ADD, [FORMULA_TERM_COMPARED] = TERM_MAXIMUM,
        [FORMULA_TERM_LANES] = TERM_LANES,          [FORMULA_TERM_RULE] = TERM_RULE,
    };
    FormulaVisitor *visitor = context;
    Term out; // sources beyond their count stay as they are
    out.kind = kinds[term->kind];
    out.what = NULL;
    out.source_count = term->source_count;
    out.value = (float)term->value;
    out.running = (float)term->running;
    for (int i = 0; i < term->source_count; i++)
        set_source(visitor->made, term->sources[i].id, term->sources[i].rank, term->sources[i].at,
                   &out.sources[i]);
    if (term->kind == FORMULA_TERM_VALUE)
        tell_read(visitor, term, &out);
    if (term->kind == FORMULA_TERM_RULE)
        out.what = visitor->rest;
    if (is_bias(visitor, &out))
        out.what = TELL(BIAS);
    visitor->has_products = visitor->has_products || term->kind == FORMULA_TERM_PRODUCT;
    visitor->terms->visit(visitor->terms->context, &out);
}

// The element with the indices of the formula.
static void place_written(const TraceProgram *made, int result, int slot, const ptrdiff_t at[],
                          ptrdiff_t written[])
{
    const Tensor *out = &made->args.out[slot];
    int rank = made->program.results[result].rank;
    int hidden = left_out(made, &trace_program_call(made)->writes[slot], out, rank);
    for (int axis = 0; axis < rank; axis++) {
        int from = hidden >= 0 ? axis + (axis >= hidden) : axis + out->rank - rank;
        written[axis] = from >= 0 && from < out->rank ? at[from] : 0;
    }
}

bool trace_program_terms(TraceProgram *made, const Terms *terms, const ptrdiff_t at[],
                         const char *rest)
{
    Error err;
    ptrdiff_t written[TENSOR_RANK_MAX] = {0};
    FormulaVisitor visitor = {made, terms, rest, false};
    FormulaTermVisitor show = {visit_formula_term, &visitor};
    int result = made->program.result_count - 1;
    while (result >= 0 && trace_program_slot(made, result) != terms->slot)
        result--;
    if (result < 0)
        return false;
    place_written(made, result, terms->slot, at, written);
    return formula_terms(&made->program, result, written, true, &show, &err);
}

// --- of a stage that leaves it to its formula

// Panels ask for an origin with each frame, so the formula stays bound to its tensors.
typedef struct KeptFormula {
    Arena arena; // has this, too
    TraceProgram made;
    StageOptions options; // with which it is bound
} KeptFormula;

void trace_forget_formula(TraceStep *step)
{
    if (!step->kept)
        return;
    Arena arena = step->kept->arena;
    step->kept = NULL;
    arena_finish(&arena);
}

// A what-if may give a step other tensors, or options.
static bool still_holds(const KeptFormula *kept, const StageArgs *args)
{
    return memcmp(kept->made.args.in, args->in, sizeof args->in) == 0 &&
           memcmp(kept->made.args.out, args->out, sizeof args->out) == 0 &&
           memcmp(&kept->options, args->options, sizeof kept->options) == 0;
}

TraceProgram *trace_keep_formula(const Trace *trace, int number, const StageArgs *args, Error *err)
{
    TraceStep *step = &trace->steps[number];
    if (step->stage->origin)
        return NULL;
    if (step->kept && still_holds(step->kept, args))
        return &step->kept->made;
    trace_forget_formula(step);
    Arena arena = {0};
    TraceProgramAsk ask = {.trace = trace, .step = number, .narrow = true, .most = INFINITY};
    KeptFormula *kept = arena_take(&arena, 1, sizeof *kept, err);
    if (!kept)
        return NULL;
    kept->arena = arena;
    kept->options = *args->options;
    step->kept = kept;
    if (!trace_program_open(&kept->made, &kept->arena, &ask, err)) {
        trace_forget_formula(step);
        return NULL;
    }
    assert(!kept->made.program.reads_results); // each call would compute them all
    return &kept->made;
}

void trace_stage_terms(const Stage *stage, TraceProgram *own, Terms *terms, const ptrdiff_t at[])
{
    terms->running = 0.0f;
    if (stage->origin)
        stage->origin(terms, at);
    else if (own)
        trace_program_terms(own, terms, at, TELL(TERM_REST));
}

// --- of an element

// Returns false if a generator has drawn it, not a formula.
static bool origin_of_edited(const Trace *trace, int step, const Terms *terms, const ptrdiff_t at[])
{
    Arena arena = {0};
    TraceProgram made;
    Error err;
    bool is_open = trace_formula_open(&made, &arena, trace, step, &err);
    bool is_told = !is_open || trace_program_terms(&made, terms, at, TELL(TERM_REST));
    arena_finish(&arena);
    return is_told;
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

    TermVisitor visitor = {.trace = trace, .step = step, .visit = visit, .context = context};
    find_hidden_axes(&visitor);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int hidden = visitor.hidden[SOURCE_OWN + tensor->slot];
    for (int axis = 0; axis < tensor->tensor.rank; axis++)
        at[axis + (hidden >= 0 && axis >= hidden)] = cell.at[axis];
    Terms terms = {&args, tensor->slot, visit_term, &visitor, 0.0f};
    if (step->formula && origin_of_edited(trace, tensor->step, &terms, at))
        return;
    TraceProgram *own = trace_keep_formula(trace, tensor->step, &args, &err);
    trace_stage_terms(step->stage, own, &terms, at);
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

// What is divided by, or an exponent, is no share of the sum.
static double size_of(const TraceTerm *term)
{
    return term->source_count > 0 ? fabs((double)term->value) : 0.0;
}

static void sort(Explanation *explanation)
{
    for (ptrdiff_t number = 0; number < explanation->listed; number++) {
        double size = size_of(explanation_term(explanation, number));
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

// A formula needs memory when it is bound.
static bool can_tell(const Trace *trace, int number, Error *err)
{
    StageArgs args;
    int step = trace->tensors[number].step;
    return step < 0 || trace->steps[step].stage->origin ||
           (trace_arguments(trace, step, &args, err) &&
            trace_keep_formula(trace, step, &args, err));
}

bool explanation_make(Explanation *explanation, const Trace *trace, TraceCell cell, Error *err)
{
    ptrdiff_t count = 0;
    explanation_finish(explanation);
    if (!can_tell(trace, cell.tensor, err))
        return false;
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
