// Runs the formulas of mistakes over the tensors of a stage; see mistake_row.h.
#include "mistake_row.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "formula.h"
#include "stage.h"
#include "trace_program.h"
#include "trace_words.def"

// --- names

// A formula over the tensors of one run of a stage.
typedef struct Bound {
    const Stage *stage;
    const StageCall *call;
    const StageArgs *args;
    Arena arena;
    Formula formula;
    FormulaProgram program;
    bool is_costly; // or too large: more than a formula may take
} Bound;

// '_' stands for '.', too: grad_q for grad.q.
static bool same_name(const char *name, const char *role)
{
    while (*name && (*name == *role || (*name == '_' && *role == '.')))
        name++, role++;
    return !*name && !*role;
}

// "q_view" where the role is "q", "embedding" where it is "embedding.weight", "x" where it is "x_query".
static int find_part(const Slot *slots, const char *name)
{
    for (int i = 0; slots[i].role; i++) {
        size_t role = strlen(slots[i].role), own = strlen(name);
        if ((own > role && strncmp(name, slots[i].role, role) == 0 && name[role] == '_') ||
            (role > own && strncmp(name, slots[i].role, own) == 0 &&
             strchr("._", slots[i].role[own])))
            return i;
    }
    return -1;
}

// Roles without their layer, too: "weight" for "q_proj.weight".
static bool is_called(const Slot *slot, const char *name)
{
    const char *dot = slot->role ? strrchr(slot->role, '.') : NULL;
    return same_name(name, slot->role) || (dot && strcmp(dot + 1, name) == 0) ||
           (slot->alias && strcmp(slot->alias, name) == 0) ||
           (slot->tensor && strcmp(slot->tensor, name) == 0);
}

static int find(const Slot *slots, const char *name)
{
    for (int i = 0; slots[i].role; i++)
        if (is_called(&slots[i], name))
            return i;
    return -1;
}

// The axis of a slot that has this name; -1: none.
static int axis_called(const char *axes, const char *name)
{
    size_t length = strlen(name);
    for (int axis = 0; axes && *axes; axis++) {
        size_t own = strcspn(axes, " ");
        if (own == length && strncmp(axes, name, length) == 0)
            return axis;
        axes += own + strspn(axes + own, " ");
    }
    return -1;
}

static int axis_count(const char *axes)
{
    int count = axes ? 1 : 0;
    for (; axes && *axes; axes++)
        count += *axes == ' ';
    return count;
}

static bool size_in(const Slot *slots, const Tensor tensors[], const char *name, double *size)
{
    for (int i = 0; slots[i].role; i++) {
        int axis = axis_called(slots[i].axes, name);
        if (axis >= 0 && axis < tensors[i].rank && !slots[i].broadcasts) {
            *size = (double)tensors[i].shape[axis];
            return true;
        }
    }
    return false;
}

// A mask may be smaller than the scores that it is read beside: then its elements repeat.
static void broadcast(const Bound *bound, FormulaThing *thing)
{
    Error ignored;
    const Tensor *like = &bound->args->out[bound->stage->main_output];
    if (thing->tensor.dtype != DTYPE_BOOL || thing->tensor.rank > like->rank ||
        !tensor_expand(&thing->tensor, like->rank, like->shape, &thing->broadcast, &ignored))
        thing->broadcast.rank = 0;
}

static FormulaThing thing_of(const Bound *bound, const Tensor *tensor, int id)
{
    FormulaThing thing = {.kind = FORMULA_TENSOR, .tensor = *tensor, .hidden = -1, .id = id};
    broadcast(bound, &thing);
    return thing;
}

static FormulaThing read_name(void *context, const char *name)
{
    const Bound *bound = context;
    FormulaThing thing = {.kind = FORMULA_VALUE};
    int slot = find(bound->call->reads, name);
    if (slot >= 0)
        return bound->args->in[slot].storage.bytes ? thing_of(bound, &bound->args->in[slot], slot)
                                                   : (FormulaThing){.kind = FORMULA_ABSENT};
    if (size_in(bound->call->reads, bound->args->in, name, &thing.value) ||
        size_in(bound->call->writes, bound->args->out, name, &thing.value) ||
        stage_option_value(name, bound->args->options, &thing.value))
        return thing;
    slot = find(bound->call->writes, name);
    int part = slot < 0 ? find_part(bound->call->reads, name) : -1;
    if (part >= 0)
        return thing_of(bound, &bound->args->in[part], part);
    if (slot < 0 || !bound->args->out[slot].storage.bytes)
        return (FormulaThing){.kind = FORMULA_UNKNOWN};
    thing = thing_of(bound, &bound->args->out[slot], SOURCE_OWN + slot);
    thing.is_own = true;
    return thing;
}

static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    const Bound *bound = context;
    int slot = find(bound->call->writes, name);
    if (slot < 0 && is_first)
        slot = bound->stage->main_output;
    return slot < 0 ? (FormulaThing){.kind = FORMULA_UNKNOWN}
                    : thing_of(bound, &bound->args->out[slot], SOURCE_OWN + slot);
}

// --- the call

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

// False where these shapes have no such formula, or where memory is short.
static bool open(Bound *bound, const MistakeRow *row, const StageArgs *args, Error *err)
{
    char text[FORMULA_TEXT_MAX + 1];
    FormulaScope scope = {read_name, result_name, bound};
    *bound = (Bound){.stage = &row->stage, .call = call_of(&row->stage, args), .args = args};
    snprintf(text, sizeof text, "%s%s%s", bound->call->formula, row->stage.where ? "; " : "",
             row->stage.where ? row->stage.where : "");
    double size;
    if (row->step->many &&
        (!size_in(bound->call->writes, args->out, row->step->many, &size) || size < 2))
        return false;
    bool good = formula_parse(&bound->arena, text, &bound->formula, err) &&
                formula_bind(&bound->arena, &bound->formula, &scope, trace_formula_most,
                             &bound->program, err);
    bound->is_costly = !good && bound->program.cost > 0.0; // all of it was bound
    return good;
}

static int slot_of(const FormulaResult *result)
{
    return result->thing.id - SOURCE_OWN;
}

// --- numbers

// A mask may be kept smaller than it is computed.
static void keep(const FormulaResult *result, const Tensor *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int more_axes = result->numbers.rank - out->rank;
    for (bool more = tensor_count(out) > 0; more; more = tensor_next(out, at)) {
        ptrdiff_t there[TENSOR_RANK_MAX] = {0}, place = tensor_place(out, at);
        memcpy(there + more_axes, at, (size_t)out->rank * sizeof *at);
        double value =
            ((const double *)result->numbers.storage.bytes)[tensor_place(&result->numbers, there)];
        if (out->dtype == DTYPE_F32)
            out->storage.f32[place] = (float)value;
        else if (out->dtype == DTYPE_BOOL)
            out->storage.boolean[place] = value != 0.0;
        else
            out->storage.i64[place] = (int64_t)value;
    }
}

static void keep_all(const Bound *bound, const StageArgs *args)
{
    for (int i = 0; i < bound->program.result_count; i++)
        keep(&bound->program.results[i], &args->out[slot_of(&bound->program.results[i])]);
}

// Whether the formula makes every output; of a step that draws numbers, a generator makes one.
static bool makes_all(const Bound *bound)
{
    int made = 0, written = 0;
    while (bound->call->writes[written].role)
        written++;
    for (int i = 0; i < bound->program.result_count; i++)
        made += slot_of(&bound->program.results[i]) >= 0;
    return made == written;
}

static bool run_row(const MistakeRow *row, StageArgs *args, Error *err)
{
    Bound bound;
    Error why = {.text = ""};
    const Stage *right = stage_find(row->stage.name);
    bool good = open(&bound, row, args, &why);
    if (good && !makes_all(&bound) && !right->run(args, err)) {
        arena_finish(&bound.arena);
        return false;
    }
    good = good && formula_run(&bound.program, true, &why);
    if (good)
        keep_all(&bound, args);
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
        id >= SOURCE_OWN ? &bound->args->out[id - SOURCE_OWN] : &bound->args->in[id];
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
    if (own >= 0 && bound->args->out[own].dtype == DTYPE_BOOL)
        bound->stage->origin(bound->args, own, source->at, take_sources, out);
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
    const char *text = strstr(bound->call->formula, " = ");
    return text ? text + strlen(" = ") : bound->call->formula;
}

// The index of an element with the axes of the result; a kept mask may have fewer.
static bool tell_result(Bound *bound, int slot, const ptrdiff_t at[],
                        const FormulaTermVisitor *visitor, Error *err)
{
    for (int i = 0; i < bound->program.result_count; i++) {
        const FormulaResult *result = &bound->program.results[i];
        if (slot_of(result) != slot)
            continue;
        ptrdiff_t there[TENSOR_RANK_MAX] = {0};
        int rank = bound->args->out[slot].rank;
        memcpy(there + result->rank - rank, at, (size_t)rank * sizeof *at);
        return formula_terms(&bound->program, i, there, true, visitor, err);
    }
    return false;
}

static void tell_origin(const MistakeRow *row, const StageArgs *args, int slot,
                        const ptrdiff_t at[], TermVisit *visit, void *context)
{
    Bound bound;
    Error err = {.text = ""};
    Telling telling = {&bound, NULL, visit, context};
    FormulaTermVisitor visitor = {tell, &telling};
    bool good = open(&bound, row, args, &err) &&
                (!bound.program.reads_results || formula_run(&bound.program, true, &err));
    telling.what = good ? said_of(&bound) : NULL;
    if (!good || !tell_result(&bound, slot, at, &visitor, &err))
        stage_find(row->stage.name)->origin(args, slot, at, visit, context);
    arena_finish(&bound.arena);
}

void mistake_row_origin(const MistakeRow *row, const StageArgs *args, int slot,
                        const ptrdiff_t at[], TermVisit *visit, void *context)
{
    StageOptions options = training(args->options);
    StageArgs other = *args;
    other.options = &options;
    tell_origin(row, row->step->trains ? &other : args, slot, at, visit, context);
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
