// Runs the formulas of mistakes over the tensors of a stage; see mistake_row.h.
#include "mistake_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "formula.h"
#include "describe.h"
#include "stage.h"
#include "trace_program.h"
#include "trace_words.def"

// --- the call

static int axis_count(const char *axes)
{
    int count = axes ? 1 : 0;
    for (; axes && *axes; axes++)
        count += *axes == ' ';
    return count;
}

// Calls of a stage differ in what they read; of those that read alike, any will do.
static bool is_call(const StageCall *call, const StageArgs *args)
{
    int i = 0;
    for (; call->reads[i].role; i++) {
        const Slot *slot = &call->reads[i];
        bool is_there = args->in[i].storage.bytes != NULL;
        bool fits = !slot->axes || slot->broadcasts || args->in[i].rank == axis_count(slot->axes);
        if (is_there ? !fits : !slot->optional)
            return false;
    }
    return i == STAGE_READS_MAX || !args->in[i].storage.bytes;
}

static const StageCall *call_of(const Stage *stage, const StageArgs *args)
{
    const StageCall *call = stage->calls;
    while (call[1].reads[0].role && !is_call(call, args))
        call++;
    return call;
}

// A formula over the tensors of one run of a stage.
typedef struct Bound {
    TraceProgram made;
    Arena arena;
    bool is_costly; // or too large: more than a formula may take
} Bound;

// False where these shapes have no such formula, or where memory is short.
static bool open(Bound *bound, const MistakeRow *row, const StageArgs *args, Error *err)
{
    char text[FORMULA_TEXT_MAX + 1];
    TraceProgram *made = &bound->made;
    const StageCall *call = call_of(&row->stage, args);
    *bound = (Bound){.is_costly = false};
    FormulaScope scope = trace_program_alone(made, &row->stage, call, args);
    double size;
    if (row->step->many && (!trace_program_size(made, row->step->many, &size) || size < 2))
        return false;
    bool good = formula_parse(&bound->arena, trace_formula_text(&row->stage, call, NULL, text),
                              &made->formula, err) &&
                formula_bind(&bound->arena, &made->formula, &scope, trace_formula_most,
                             &made->program, err);
    bound->is_costly = !good && made->program.cost > 0.0; // all of it was bound
    return good;
}

// --- numbers

// Whether the formula makes every output; of a step that draws numbers, a generator makes one.
static bool makes_all(const TraceProgram *made)
{
    int written = 0;
    while (made->call->writes[written].role)
        written++;
    return made->program.result_count == written;
}

static bool run_row(const MistakeRow *row, StageArgs *args, Error *err)
{
    Bound bound;
    Error why = {.text = ""};
    const Stage *right = stage_find(row->stage.name);
    bool good = open(&bound, row, args, &why);
    if (good && !makes_all(&bound.made) && !right->run(args, err)) {
        arena_finish(&bound.arena);
        return false;
    }
    good = good && trace_program_compute(&bound.made, &why);
    arena_finish(&bound.arena);
    bool is_refused = why.of_machine || bound.is_costly;
    if (!good && is_refused)
        *err = why;
    return good || (!is_refused && right->run(args, err));
}

// A scenario that evaluates names no p; a tenth is what most models train with.
static StageOptions training(const StageOptions *options)
{
    StageOptions used = *options;
    used.dropout_p = used.dropout_p > 0.0 ? used.dropout_p : 0.1;
    return used;
}

bool mistake_row_run(const MistakeRow *row, StageArgs *args, Error *err)
{
    StageOptions options = training(args->options);
    StageArgs other = *args;
    other.options = &options;
    return run_row(row, row->step->trains ? &other : args, err);
}

bool mistake_row_begins(const MistakeRow *row, const StageArgs *args, const Tensor *given,
                        Error *err)
{
    Bound bound;
    Error why = {.text = ""};
    bool begins = true;
    StageOptions options = training(args->options);
    StageArgs used = *args;
    used.options = row->step->trains ? &options : args->options;
    bool good = open(&bound, row, &used, &why) && makes_all(&bound.made);
    for (int i = 0; good && i < bound.made.program.result_count; i++) {
        const FormulaResult *result = &bound.made.program.results[i];
        if (result->thing.id == SOURCE_OWN + row->stage.main_output && result->rank == given->rank)
            begins = formula_begins(&bound.made.program, i, true, given, 1e-3, &why);
    }
    arena_finish(&bound.arena);
    if (why.of_machine)
        *err = why;
    return begins && !why.of_machine;
}

// --- origin

typedef struct Telling {
    const Bound *bound;
    const char *what; // the formula of the element
    TermVisit *visit;
    void *context;
} Telling;

static const TermKind kinds[] = {
    [FORMULA_TERM_VALUE] = TERM_COPY,           [FORMULA_TERM_ADDED] = TERM_ADD,
    [FORMULA_TERM_PRODUCT] = TERM_MULTIPLY_ADD, [FORMULA_TERM_COMPARED] = TERM_MAXIMUM,
    [FORMULA_TERM_LANES] = TERM_LANES,          [FORMULA_TERM_RULE] = TERM_RULE,
};

// The place of an element in a tensor that may have been repeated along its axes.
static Source source_of(const Bound *bound, int id, int rank, const ptrdiff_t at[])
{
    Source source = {.slot = id};
    const Tensor *tensor =
        id >= SOURCE_OWN ? &bound->made.args.out[id - SOURCE_OWN] : &bound->made.args.in[id];
    for (int axis = 0; axis < tensor->rank; axis++)
        source.at[axis] = tensor->shape[axis] == 1 ? 0 : at[axis + rank - tensor->rank];
    return source;
}

// What the flags are that decided a flag of the stage's own mask.
static void take_sources(void *context, const Term *term)
{
    Term *out = context;
    for (int i = 0; i < term->source_count && out->source_count < STAGE_SOURCES_MAX; i++)
        out->sources[out->source_count++] = term->sources[i];
}

static void add_source(const Bound *bound, const Source *source, Term *out)
{
    int own = source->slot - SOURCE_OWN;
    if (own >= 0 && bound->made.args.out[own].dtype == DTYPE_BOOL)
        stage_origin(bound->made.stage, &bound->made.args, own, source->at, take_sources, out);
    else if (out->source_count < STAGE_SOURCES_MAX)
        out->sources[out->source_count++] = *source;
}

static bool same_number(double a, double b)
{
    return a == b || (a != a && b != b);
}

static void tell(void *context, const FormulaTerm *term)
{
    const Telling *telling = context;
    Term out = {
        .kind = kinds[term->kind], .value = (float)term->value, .running = (float)term->running};
    bool is_copy = out.kind == TERM_COPY && same_number(term->value, term->running);
    if (out.kind == TERM_RULE)
        out.what = telling->what;
    if (out.kind == TERM_COPY && !is_copy) { // something is made of it at once
        out.kind = TERM_RULE;
        out.what = TELL(TERM_READ);
    }
    for (int i = 0; i < term->source_count; i++) {
        Source source = source_of(telling->bound, term->sources[i].id, term->sources[i].rank,
                                  term->sources[i].at);
        add_source(telling->bound, &source, &out);
    }
    telling->visit(telling->context, &out);
}

// What a formula says of a result, as it stands in the row: the text behind its first "=".
static const char *said_of(const Bound *bound)
{
    const char *text = strstr(bound->made.call->formula, " = ");
    return text ? text + strlen(" = ") : bound->made.call->formula;
}

// The index of an element with the axes of the result; a kept mask may have fewer.
static bool tell_result(Bound *bound, int slot, const ptrdiff_t at[],
                        const FormulaTermVisitor *visitor, Error *err)
{
    for (int i = 0; i < bound->made.program.result_count; i++) {
        const FormulaResult *result = &bound->made.program.results[i];
        if (result->thing.id - SOURCE_OWN != slot)
            continue;
        ptrdiff_t there[TENSOR_RANK_MAX] = {0};
        int rank = bound->made.args.out[slot].rank;
        memcpy(there + result->rank - rank, at, (size_t)rank * sizeof *at);
        return formula_terms(&bound->made.program, i, there, true, visitor, err);
    }
    return false;
}

static void tell_origin(const MistakeRow *row, const StageArgs *args, const Terms *terms,
                        const ptrdiff_t at[])
{
    Bound bound;
    Error err = {.text = ""};
    Telling telling = {&bound, NULL, terms->visit, terms->context};
    FormulaTermVisitor visitor = {tell, &telling};
    bool good = open(&bound, row, args, &err) &&
                (!bound.made.program.reads_results || formula_run(&bound.made.program, true, &err));
    telling.what = good ? said_of(&bound) : NULL;
    if (!good || !tell_result(&bound, terms->slot, at, &visitor, &err))
        stage_origin(stage_find(row->stage.name), args, terms->slot, at, terms->visit,
                     terms->context);
    arena_finish(&bound.arena);
}

void mistake_row_origin(const MistakeRow *row, const Terms *terms, const ptrdiff_t at[])
{
    StageOptions options = training(terms->args->options);
    StageArgs other = *terms->args;
    other.options = &options;
    tell_origin(row, row->step->trains ? &other : terms->args, terms, at);
}

// --- the stage

// A mask of its own, where the right one may be a view of a registered mask.
static bool own_mask_shapes(StageArgs *args, Error *err)
{
    if (!stage_find("mask")->shapes(args, err))
        return false;
    const Tensor *mask = &args->out[0];
    args->out[0] = tensor_over(NULL, DTYPE_BOOL, mask->rank, mask->shape);
    return true;
}

static bool has_padding(const Tensor *padding)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = padding->storage.bytes != NULL; more; more = tensor_next(padding, at))
        if (*tensor_flag2(padding, at[0], at[1]))
            return true;
    return false;
}

// A flag for each query too, where the padding may lie along the queries.
static bool query_mask_shapes(StageArgs *args, Error *err)
{
    if (!own_mask_shapes(args, err))
        return false;
    const Tensor *scores = &args->in[0], *padding = &args->in[1], *mask = &args->out[0];
    ptrdiff_t shape[] = {scores->shape[0], mask->rank == 4 ? mask->shape[1] : 1, scores->shape[2],
                         scores->shape[3]};
    if (args->options->mask_padding && has_padding(padding) &&
        scores->shape[2] == padding->shape[1])
        args->out[0] = tensor_over(NULL, DTYPE_BOOL, 4, shape);
    return true;
}

static void train_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    StageOptions used = training(options);
    stage_find("dropout")->settings(&used, text);
}

// Slots that the call does not have yet.
static void read_also(const Slot also[], StageCall *call)
{
    for (int i = 0; i < MISTAKE_ALSO_MAX && also[i].role; i++) {
        int count = 0;
        while (call->reads[count].role && strcmp(call->reads[count].role, also[i].role) != 0)
            count++;
        if (!call->reads[count].role && count < STAGE_READS_MAX)
            call->reads[count] = also[i];
    }
}

static void wire(const MistakeStep *step, int number, StageCall *call)
{
    int formula = step->formula[number] ? number : 0;
    call->formula = step->formula[formula];
    call->torch = step->torch[step->torch[number] ? number : 0];
    call->where = call->loop = NULL;
    call->remark = step->remark;
    for (int i = 0; call->writes[i].role; i++)
        call->writes[i].is_view = false;
    for (int i = 0; call->reads[i].role; i++)
        call->reads[i].factor = FACTOR_NONE;
    read_also(step->also, call);
}

void mistake_row_make(const MistakeStep *step, MistakeRun *run, MistakeOrigin *origin,
                      MistakeRow *row)
{
    Stage *stage = &row->stage;
    row->step = step;
    const Stage *right = stage_find(step->stage);
    *stage = (Stage){
        .name = right->name,
        .formula = step->formula[0],
        .where = step->where,
        .remark = step->remark,
        .torch = step->torch[0],
        .source = "a common mistake",
        .use = step->trains ? STAGE_ALWAYS : right->use,
        .influence = step->influence,
        .main_output = right->main_output,
        .options = right->options,
        .needs = right->needs,
        .unless = right->unless,
        .run = run,
        .shapes = step->is_by_query                  ? query_mask_shapes
                  : strcmp(right->name, "mask") == 0 ? own_mask_shapes
                                                     : right->shapes,
        .settings = step->trains ? train_settings : NULL,
        .origin = origin,
    };
    memcpy(stage->calls, right->calls, sizeof stage->calls);
    for (int i = 0; stage->calls[i].reads[0].role; i++)
        wire(step, i, &stage->calls[i]);
}
