// The bank of mistakes, made from mistakes.def, and stages that run its formulas; see mistake.h.
//
// Numbers and origins come from the formulas (formula.h). Their names are roles of what the stage reads
// and writes, sizes ("d_k"), and options ("scale").
#include "mistake.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "formula.h"
#include "describe.h"
#include "stage.h"
#include "trace_program.h"

enum { STEPS_MAX = 2, ALSO_MAX = 3 };

// A stage of a mistake, which replaces the right one.
typedef struct MistakeStep {
    const char *stage; // NULL: none

    // One for each call, or one for all.
    const char *formula[STAGE_CALLS_MAX];
    const char *torch[STAGE_CALLS_MAX];

    const char *where;    // helpers and further results, for all calls
    FormulaRemark remark; // what the formula does not say
    Influence influence;
    const char *many; // a size; if it is 1, the right stage runs

    // What it reads besides the right stage's
    // inputs.
    Slot also[ALSO_MAX];

    bool is_by_query; // a mask with a flag for each query
    bool trains;      // dropout in evaluation
} MistakeStep;

// A step, its stage, made when the bank is first used, and its code: the formulas.
typedef struct MistakeRow {
    const MistakeStep *step;
    Stage stage;
    Formula *formulas[STAGE_CALLS_MAX]; // parsed when a call first runs
    StageCode code;
    const char *lines[STAGE_CALLS_MAX + 1];
} MistakeRow;

// Columns of mistakes.def.
#define STEPS(...) \
    { \
        __VA_ARGS__ \
    }
#define STEP(stage_name, ...) {.stage = stage_name, __VA_ARGS__},
#define FORMULA(...) .formula = {__VA_ARGS__}
#define TORCH(...) .torch = {__VA_ARGS__}

// A text for each call of the stage project: q, k and v, each with one weight, and with a weight for each
// head.
#define PER_HEAD_TORCH(name, product, tail) \
    name " = torch.cat([" product " for h in range(num_heads)], -1)" tail
#define TORCH_PROJECT(layer, product, tail) \
    TORCH("q = " layer, PER_HEAD_TORCH("q", product, tail), "k = " layer, \
          PER_HEAD_TORCH("k", product, tail), "v = " layer, PER_HEAD_TORCH("v", product, tail))
#define FORMULA_PROJECT(tail, head_tail, v_tail) \
    FORMULA("q[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
            "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]" head_tail, \
            "k[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
            "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]" head_tail, \
            "v[b,l,o] = sum_d x[b,l,d] * weight[o,d]" tail, \
            "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head[h,d,i]" v_tail)
#define HEAD_BIAS(width) "(+ bias[h*" width " + i])"

// The layer of q in place of another.
#define W_Q(o) "sum_d x[b,l,d] * q_proj_weight[" o ",d]  (+ q_proj_bias[" o "])"
#define PER_HEAD_Q(width) \
    "sum_d x[b,l,d] * q_proj_per_head[h,d,i]  (+ q_proj_bias[h*" width " + i])"
#define PLAIN .together = false
#define TOGETHER .together = true
#define BEYOND .reads_beyond = true
#define SAME_AS(name) .same_as = name

// A tensor that a step reads besides.
#define ALSO(name, ...) {.role = name, .axes = __VA_ARGS__},

// Parts of the formula of the right mask (stages/mask.c).
#define MASKED "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]"
#define FUTURE \
    "future = causal and (given(causal_mask_buffer) ? causal_mask_buffer[own, j + 0] : j > own)"
#define FAR \
    "far = window > 0 and |own - j| >= window; own = i + causal_shift; " \
    "text = Lk - add_bias_kv - add_zero_attn"
#define PADDING "(or mask_padding and key_padding_mask[b, j + 0])"
#define RULES "rules = future or far  " PADDING "; " FUTURE "; " FAR
#define OTHERS \
    "others = (j < text ? filled : 0)  (or mask[b,h,i,j]); filled = far  " PADDING "; " FAR

enum {
#define ROW(id, ...) AT_##id,
#include "mistakes.def"
#undef ROW
    ROWS
};

static const MistakeStep steps_of[ROWS][STEPS_MAX] = {
#define ROW(id, label, kind, steps, ...) [AT_##id] = steps,
#include "mistakes.def"
#undef ROW
};

static MistakeRow rows[ROWS][STEPS_MAX];
static Arena parsed; // their formulas, until the program ends: a search runs them a thousand times
static const Stage *stages_of[ROWS][STEPS_MAX + 1];

static const Mistake mistakes[ROWS] = {
#define ROW(id, label, kind, steps, ...) \
    {.name = label, .stages = stages_of[AT_##id], kind, .words = MISTAKE_WORDS(__VA_ARGS__)},
#include "mistakes.def"
#undef ROW
};

static bool run_formula(StageArgs *args, Error *err);

// The row of a stage; NULL for a right stage.
static const MistakeRow *row_of(const Stage *stage)
{
    return stage->run == run_formula
               ? (const MistakeRow *)(const void *)((const char *)stage -
                                                    offsetof(MistakeRow, stage))
               : NULL;
}

// --- the formula

// A scenario for evaluation has no p; most models train with 0.1.
static StageOptions training(const StageOptions *options)
{
    StageOptions used = *options;
    used.dropout_p = used.dropout_p > 0.0 ? used.dropout_p : 0.1;
    return used;
}

// A formula over the tensors of one run of a stage, with the options that it uses.
typedef struct Bound {
    TraceProgram made;
    Arena arena;
    StageOptions options;
    StageArgs args;
    bool is_costly; // or too large
} Bound;

// Binds a stage's formula to the tensors.
static bool bind(Bound *bound, const Stage *stage, const StageCall *call, const Formula *formula,
                 Error *err)
{
    TraceProgram *made = &bound->made;
    FormulaScope scope = trace_program_alone(made, stage, call, &bound->args);
    made->formula = *formula;
    return formula_bind(&bound->arena, &made->formula, &scope, trace_formula_most, &made->program,
                        err);
}

// The call that a trace runs the stage for. A sum of gradients has one of its own, which is like the first.
static const StageCall *call_of(const Stage *stage, const StageArgs *args)
{
    for (int i = 0; i < STAGE_CALLS_MAX; i++)
        if (args->call == &stage->calls[i])
            return args->call;
    return &stage->calls[0];
}

// The formula of a row's call. NULL: memory is short.
static const Formula *formula_of(const MistakeRow *row, const StageCall *call, Error *err)
{
    char text[FORMULA_TEXT_MAX + 1];
    MistakeRow *own = &rows[0][0] + (row - &rows[0][0]);
    Formula **place = &own->formulas[call - row->stage.calls];
    if (*place)
        return *place;
    Formula *formula = arena_take(&parsed, 1, sizeof *formula, err);
    if (formula &&
        formula_parse(&parsed, trace_formula_text(&row->stage, call, NULL, text), formula, err))
        *place = formula;
    return *place;
}

// Returns false if the shapes do not fit the formula, or memory is short.
static bool open(Bound *bound, const MistakeRow *row, const StageArgs *args, Error *err)
{
    double size;
    *bound = (Bound){.args = *args, .options = training(args->options)};
    if (row->step->trains)
        bound->args.options = &bound->options;
    const StageCall *call = call_of(&row->stage, args);
    const Formula *formula = formula_of(row, call, err);
    bool good = formula && bind(bound, &row->stage, call, formula, err);
    bound->is_costly = !good && bound->made.program.cost > 0.0; // everything was bound
    return good && (!row->step->many ||
                    (trace_program_size(&bound->made, row->step->many, &size) && size >= 2));
}

// --- numbers

// False for a step that draws numbers: a generator makes one of its outputs.
static bool makes_all(const TraceProgram *made)
{
    int written = 0;
    while (made->call->writes[written].role)
        written++;
    return made->program.result_count == written;
}

// Rounds every operation to float32. Runs the right stage if the shapes do not fit the formula.
static bool run_formula(StageArgs *args, Error *err)
{
    Bound bound;
    Error why = {.text = ""};
    const MistakeRow *row = row_of(args->stage);
    const Stage *right = stage_find(row->stage.name);
    bool good = open(&bound, row, args, &why);
    StageArgs *used = row->step->trains ? &bound.args : args;
    if (good && !makes_all(&bound.made) && !right->run(used, err)) {
        arena_finish(&bound.arena);
        return false;
    }
    good = good && trace_program_compute(&bound.made, &why);
    arena_finish(&bound.arena);
    bool is_refused = why.of_machine || bound.is_costly;
    if (!good && is_refused)
        *err = why;
    return good || (!is_refused && right->run(used, err));
}

bool mistake_begins(const Stage *stage, const StageArgs *args, const Tensor *given, Error *err)
{
    Bound bound;
    const MistakeRow *row = row_of(stage);
    if (!row)
        return true;
    Error why = {.text = ""};
    bool begins = true;
    bool good = open(&bound, row, args, &why) && makes_all(&bound.made);
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

// Passes terms on. In place of a mask that the step itself makes, they name what made it.
typedef struct TermVisitor {
    const Bound *bound;
    TermVisit *visit;
    void *context;
} TermVisitor;

static void take_sources(void *context, const Term *term)
{
    Term *out = context;
    for (int i = 0; i < term->source_count && out->source_count < STAGE_SOURCES_MAX; i++)
        out->sources[out->source_count++] = term->sources[i];
}

static void visit_term(void *context, const Term *term)
{
    const TermVisitor *visitor = context;
    const TraceProgram *made = &visitor->bound->made;
    Term out = *term;
    out.source_count = 0;
    for (int i = 0; i < term->source_count; i++) {
        const Source *source = &term->sources[i];
        int own = source->slot - SOURCE_OWN;
        if (own >= 0 && made->args.out[own].dtype == DTYPE_BOOL)
            made->stage->origin(&(Terms){&made->args, own, take_sources, &out, 0.0f}, source->at);
        else if (out.source_count < STAGE_SOURCES_MAX)
            out.sources[out.source_count++] = *source;
    }
    visitor->visit(visitor->context, &out);
}

// The expression of the row's formula.
static const char *said_of(const Bound *bound)
{
    const char *text = strstr(bound->made.call->formula, " = ");
    return text ? text + strlen(" = ") : bound->made.call->formula;
}

// Where the right stage runs in the place of the formula.
static void right_origin(Bound *bound, const MistakeRow *row, const Terms *terms,
                         const ptrdiff_t at[])
{
    Error err;
    const Stage *right = stage_find(row->stage.name);
    const StageCall *call = &right->calls[call_of(&row->stage, terms->args) - row->stage.calls];
    const StageForm *form = stage_form(right, bound->args.options);
    Terms told = {&bound->args, terms->slot, terms->visit, terms->context, 0.0f};
    char text[FORMULA_TEXT_MAX + 1];
    Formula formula;
    bool has_formula =
        !right->origin &&
        formula_parse(&bound->arena, trace_formula_text(right, call, form, text), &formula, &err) &&
        bind(bound, right, call, &formula, &err);
    trace_stage_terms(right, has_formula ? &bound->made : NULL, &told, at);
}

static void origin(Terms *terms, const ptrdiff_t at[])
{
    Bound bound;
    Error err = {.text = ""};
    const MistakeRow *row = row_of(terms->args->stage);
    TermVisitor visitor = {&bound, terms->visit, terms->context};
    Terms told = {terms->args, terms->slot, visit_term, &visitor, 0.0f};
    bool good = open(&bound, row, terms->args, &err) &&
                (!bound.made.program.reads_results || formula_run(&bound.made.program, true, &err));
    if (!good || !trace_program_terms(&bound.made, &told, at, said_of(&bound)))
        right_origin(&bound, row, terms, at);
    arena_finish(&bound.arena);
}

// --- the stage

// Its own mask, even if the right one is a view of a registered mask.
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

// A mask with a flag for each query, if the padding may lie along the queries.
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

static void read_also(const Slot also[], StageCall *call)
{
    for (int i = 0; i < ALSO_MAX && also[i].role; i++) {
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

// Makes the stage of a step, with the calls of the right one.
static void make_stage(const MistakeStep *step, MistakeRow *row)
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
        .run = run_formula,
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

static void make_row(const MistakeStep *step, MistakeRow *row)
{
    int count = 0;
    make_stage(step, row);
    for (int i = 0; i < STAGE_CALLS_MAX && step->formula[i]; i++)
        row->lines[count++] = step->formula[i];
    if (step->where)
        row->lines[count++] = step->where;
    row->code = (StageCode){.stage = "mistakes.def",
                            .file = "mistakes.def",
                            .first_line = 1,
                            .lines = row->lines,
                            .count = count};
}

static void make_rows(void)
{
    if (stages_of[0][0])
        return;
    for (int i = ROWS - 1; i >= 0; i--)
        for (int j = 0; j < STEPS_MAX && steps_of[i][j].stage; j++) {
            make_row(&steps_of[i][j], &rows[i][j]);
            stages_of[i][j] = &rows[i][j].stage;
        }
}

// --- the list

const Mistake *mistake_get(int number)
{
    make_rows();
    return number >= 0 && number < ROWS ? &mistakes[number] : NULL;
}

const Mistake *mistake_find(const char *name)
{
    const Mistake *mistake;
    for (int i = 0; (mistake = mistake_get(i)); i++)
        if (strcmp(mistake->name, name) == 0)
            return mistake;
    return NULL;
}

bool mistake_is_backward(const Mistake *mistake)
{
    return stage_is_backward(mistake->stages[0]);
}

const StageCode *mistake_code(const Stage *stage)
{
    const MistakeRow *row = row_of(stage);
    return row ? &row->code : NULL;
}
