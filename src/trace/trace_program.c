// The formula of a step over the tensors of a trace; see trace_program.h.
#include "trace_program.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stage.h"
#include "trace_internal.h"
#include "trace_words.def"

// --- names

// Compares two names; '_' in the first also matches '.'.
static bool trace_same_name(const char *name, const char *full)
{
    size_t i = 0;
    while (name[i] && (name[i] == full[i] || (name[i] == '_' && full[i] == '.')))
        i++;
    return !name[i] && !full[i];
}

static bool is_first_part(const char *name, const char *full)
{
    size_t length = strlen(name);
    return strncmp(name, full, length) == 0 && (full[length] == '.' || full[length] == '_');
}

enum { OUTRIGHT, LAST_PART, FIRST_PART };

static bool matches(int way, const char *name, const char *full)
{
    size_t length = strlen(name), all = full ? strlen(full) : 0;
    if (!full || way == OUTRIGHT)
        return full && trace_same_name(name, full);
    if (way == FIRST_PART)
        return is_first_part(name, full);
    return all > length + 1 && full[all - length - 1] == '.' &&
           trace_same_name(name, full + all - length);
}

// The slots of a step and their tensors.
typedef struct Slots {
    const Trace *trace;
    const Slot *slots;
    int count;
    const int *tensors; // NULL: not in a trace
} Slots;

// Which of the slots a name means; -1: none. What is called so outright goes before what is called so in
// part.
static int find_slot(Slots all, const char *name, int first_way, int last_way)
{
    for (int way = first_way; way <= last_way; way++)
        for (int i = 0; i < all.count && all.slots[i].role; i++) {
            const Slot *slot = &all.slots[i];
            bool has_tensor = all.trace && all.tensors[i] >= 0;
            const char *tensor = has_tensor ? all.trace->tensors[all.tensors[i]].name : NULL;
            bool is_begun = !all.trace && way == FIRST_PART && is_first_part(slot->role, name);
            bool is_alias = slot->alias && strcmp(slot->alias, name) == 0;
            if (is_alias || is_begun || matches(way, name, slot->role) ||
                (way < FIRST_PART &&
                 (matches(way, name, slot->tensor) || matches(way, name, tensor))))
                return i;
        }
    return -1;
}

const StageCall *trace_program_call(const TraceProgram *made)
{
    return made->trace ? made->trace->steps[made->step].call : made->call;
}

int trace_program_read(const StageCall *call, const char *name)
{
    return find_slot((Slots){.slots = call->reads, .count = STAGE_READS_MAX}, name, OUTRIGHT,
                     FIRST_PART);
}

static int find_read(const TraceProgram *made, const char *name, int first_way, int last_way)
{
    Slots reads = {made->trace, trace_program_call(made)->reads, STAGE_READS_MAX,
                   made->trace ? made->trace->steps[made->step].reads : NULL};
    return find_slot(reads, name, first_way, last_way);
}

static int find_write(const TraceProgram *made, const char *name)
{
    Slots writes = {made->trace, trace_program_call(made)->writes, STAGE_WRITES_MAX,
                    made->trace ? made->trace->steps[made->step].writes : NULL};
    return find_slot(writes, name, OUTRIGHT, LAST_PART);
}

// --- sizes and options

bool trace_program_size(const TraceProgram *made, const char *name, double *size)
{
    const StageCall *call = trace_program_call(made);
    int symbol = 0;
    while (symbol < SYMBOL_COUNT && strcmp(symbol_names[symbol], name) != 0)
        symbol++;
    if (symbol == SYMBOL_COUNT)
        return false;
    for (int slot = 0; slot < STAGE_READS_MAX + STAGE_WRITES_MAX; slot++) {
        bool writes = slot >= STAGE_READS_MAX;
        const Slot *declared = writes ? &call->writes[slot - STAGE_READS_MAX] : &call->reads[slot];
        const Tensor *tensor =
            writes ? &made->args.out[slot - STAGE_READS_MAX] : &made->args.in[slot];
        Symbol symbols[TRACE_WORDS_MAX];
        int count = declared->role && declared->axes ? trace_symbols(declared->axes, symbols) : 0;
        for (int axis = 0; axis < count && count == tensor->rank; axis++)
            if ((int)symbols[axis] == symbol && !declared->broadcasts) {
                *size = (double)tensor->shape[axis];
                return true;
            }
    }
    *size = made->trace ? (double)made->trace->scenario->size[symbol] : 0.0;
    return *size > 0.0;
}

static bool find_option(const TraceProgram *made, const char *name, double *value)
{
    if (!made->trace)
        return stage_option_value(name, made->args.options, value);
    if (made->narrow)
        return stage_option_value(
            name, scenario_options(made->trace->scenario, made->trace->steps[made->step].layer),
            value);
#define STAGE_OPTION(option, KIND) \
    if (strcmp(name, #option) == 0) { \
        *value = STAGE_OPTION_VALUE(made->exact.option); \
        return true; \
    }
#include "options.def"
    return false;
}

// --- tensors

// The axes that a slot declares, with their lengths; false if it declares none.
static bool declared_shape(const TraceProgram *made, const Slot *slot, int *rank, ptrdiff_t shape[])
{
    Symbol symbols[TRACE_WORDS_MAX];
    if (!slot->axes)
        return false;
    *rank = trace_symbols(slot->axes, symbols);
    for (int axis = 0; axis < *rank; axis++) {
        double size = 1.0;
        if (symbols[axis] != SYMBOL_COUNT &&
            !trace_program_size(made, symbol_names[symbols[axis]], &size))
            return false;
        shape[axis] = (ptrdiff_t)size;
    }
    return true;
}

// Expands a mask that is smaller than its scores.
static void add_broadcast(const TraceProgram *made, const Slot *slot, FormulaThing *thing)
{
    Error ignored;
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    const Slot *main = &trace_program_call(made)->writes[0];
    if ((thing->tensor.dtype == DTYPE_BOOL || !slot->axes || slot->broadcasts) &&
        declared_shape(made, slot->axes ? slot : main, &rank, shape) &&
        !tensor_expand(&thing->tensor, rank, shape, &thing->broadcast, &ignored))
        thing->broadcast.rank = 0;
}

static FormulaThing tensor_thing(const TraceProgram *made, const Slot *slot, const Tensor *tensor,
                                 int id)
{
    FormulaThing thing = {.kind = FORMULA_TENSOR,
                          .tensor = *tensor,
                          .hidden = -1,
                          .id = id,
                          .is_wide = made->is_wide};
    add_broadcast(made, slot, &thing);
    int rank = thing.broadcast.rank > 0 ? thing.broadcast.rank : tensor->rank;
    if (made->trace && !made->trace->scenario->has_heads)
        thing.hidden = trace_hidden_axis(made->trace, slot->axes, rank - 1);
    return thing;
}

// A tensor of an earlier step, as shown.
static FormulaThing find_earlier(const TraceProgram *made, const char *name)
{
    const Trace *trace = made->trace;
    FormulaThing thing = {.kind = FORMULA_UNKNOWN};
    for (int i = trace ? trace->tensor_count - 1 : -1; i >= 0; i--) {
        if (!trace_same_name(name, trace->tensors[i].name))
            continue;
        if (trace->tensors[i].step < made->step && trace->tensors[i].tensor.storage.bytes)
            return (FormulaThing){.kind = FORMULA_TENSOR,
                                  .tensor = trace->tensors[i].tensor,
                                  .hidden = -1,
                                  .id = TRACE_PROGRAM_OTHER + i,
                                  .is_wide = made->is_wide};
        if (trace->tensors[i].step > made->step)
            thing.kind = FORMULA_NOT_YET;
    }
    return thing;
}

static FormulaThing read_name(void *context, const char *name)
{
    const TraceProgram *made = context;
    const StageCall *call = trace_program_call(made);
    FormulaThing thing = {.kind = FORMULA_VALUE};
    int slot = find_read(made, name, OUTRIGHT, LAST_PART);
    if (slot < 0 &&
        (trace_program_size(made, name, &thing.value) || find_option(made, name, &thing.value)))
        return thing;
    if (slot < 0)
        slot = find_read(made, name, FIRST_PART, FIRST_PART);
    if (slot >= 0 && !made->args.in[slot].storage.bytes)
        return (FormulaThing){.kind = FORMULA_ABSENT};
    if (slot >= 0)
        return tensor_thing(made, &call->reads[slot], &made->args.in[slot], slot);
    slot = find_write(made, name);
    if (slot >= 0 && made->args.out[slot].storage.bytes) {
        thing = tensor_thing(made, &call->writes[slot], &made->args.out[slot], SOURCE_OWN + slot);
        thing.is_own = true;
        return thing;
    }
    return find_earlier(made, name);
}

// The output that a definition computes; the first definition is the main output, whatever its name.
static FormulaThing result_name(void *context, const char *name, bool is_first)
{
    const TraceProgram *made = context;
    int slot = find_write(made, name);
    if (slot < 0 && is_first)
        slot = (made->trace ? made->trace->steps[made->step].stage : made->stage)->main_output;
    if (slot < 0)
        return (FormulaThing){.kind = FORMULA_UNKNOWN};
    return tensor_thing(made, &trace_program_call(made)->writes[slot], &made->args.out[slot],
                        SOURCE_OWN + slot);
}

int trace_program_slot(const TraceProgram *made, int result)
{
    return made->program.results[result].thing.id - SOURCE_OWN;
}

bool trace_program_open(TraceProgram *made, Arena *arena, const TraceProgramAsk *ask, Error *err)
{
    char own[FORMULA_TEXT_MAX + 1];
    const Trace *trace = ask->trace;
    FormulaScope scope = {read_name, result_name, made};
    *made = (TraceProgram){
        .trace = trace,
        .step = ask->step,
        .exact = exact_options(scenario_options(trace->scenario, trace->steps[ask->step].layer)),
        .narrow = ask->narrow};
    return trace_arguments(trace, ask->step, &made->args, err) &&
           formula_parse(arena, ask->text ? ask->text : trace_formula_whole(trace, ask->step, own),
                         &made->formula, err) &&
           formula_bind(arena, &made->formula, &scope, ask->most, &made->program, err);
}

FormulaScope trace_program_scope(TraceProgram *made, const Trace *trace, int step,
                                 const StageArgs *args)
{
    *made = (TraceProgram){
        .trace = trace,
        .step = step,
        .args = *args,
        .exact = exact_options(scenario_options(trace->scenario, trace->steps[step].layer))};
    return (FormulaScope){read_name, result_name, made};
}

FormulaScope trace_program_alone(TraceProgram *made, const Stage *stage, const StageCall *call,
                                 const StageArgs *args)
{
    *made = (TraceProgram){.stage = stage, .call = call, .args = *args, .narrow = true};
    return (FormulaScope){read_name, result_name, made};
}

// --- as the screen shows them

static const Words remarks[REMARKS] = {
    [REMARK_NONE] = {{NULL}},
#define FORMULA_REMARK(NAME, english, korean) [REMARK_##NAME] = WORDS(english, korean),
#include "formula_remarks.def"
#undef FORMULA_REMARK
};

// Without heads, leaves out their axis; h is 0.
static size_t copy_shown(const Trace *trace, const char *formula, char text[TRACE_FORMULA_MAX])
{
    size_t length = 0;
    bool has_heads = trace->scenario->has_heads;
    for (const char *at = formula; *at && length + 1 < TRACE_FORMULA_MAX; at++) {
        bool is_begun = at > formula && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool is_head =
            !has_heads && *at == 'h' && !is_begun && !isalnum((unsigned char)at[1]) && at[1] != '_';
        bool is_axis = !has_heads && (strncmp(at, "b,h,", 4) == 0 || strncmp(at, "l,h,b", 5) == 0);
        text[length++] = is_head ? '0' : *at;
        at += is_axis ? strlen(",h") : 0;
    }
    text[length] = '\0';
    return length;
}

// The step's own formula, as shown.
static const char *trace_formula_shown(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const TraceStep *step = &trace->steps[number];
    const StageForm *form = stage_form(step->stage, scenario_options(trace->scenario, step->layer));
    const char *formula = step->call->formula ? step->call->formula
                          : form              ? form->formula
                                              : step->stage->formula;
    FormulaRemark remark = step->call->formula ? step->call->remark
                           : form              ? form->remark
                                               : step->stage->remark;
    size_t length = copy_shown(trace, formula, text);
    if (remark != REMARK_NONE)
        snprintf(text + length, TRACE_FORMULA_MAX - length, "   # %s", words_tell(remarks[remark]));
    return text;
}

// --- edited formulas

const char *trace_edited(const Trace *trace, int step)
{
    const ScenarioFormula *formula = trace->steps[step].formula;
    return formula ? formula->text : NULL;
}

static int slot_of(const TraceProgram *made, const Formula *formula, int definition)
{
    FormulaThing thing =
        result_name((void *)made, formula->definitions[definition].name, definition == 0);
    return thing.kind == FORMULA_TENSOR ? thing.id - SOURCE_OWN : -1;
}

// Adds the step's own definitions that the edited text lacks.
static bool complete(TraceProgram *made, Arena *arena, const char *own, Error *err)
{
    Formula right, *edited = &made->formula;
    if (!formula_parse(arena, own, &right, err))
        return false;
    int count = edited->count;
    for (int i = 0; i < right.count && edited->count < FORMULA_DEFINITIONS_MAX; i++) {
        bool is_there = false;
        int slot = slot_of(made, &right, i);
        for (int j = 0; j < count; j++)
            is_there = is_there || (slot >= 0 && slot_of(made, edited, j) == slot) ||
                       strcmp(edited->definitions[j].name, right.definitions[i].name) == 0;
        if (!is_there)
            edited->definitions[edited->count++] = right.definitions[i];
    }
    return true;
}

void trace_program_keep(const FormulaResult *result, const Tensor *out, bool is_wide)
{
    const Tensor *numbers = &result->numbers;
    bool is_whole = tensor_count(numbers) == tensor_count(out);
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, number = 0;
    for (bool more = tensor_count(out) > 0; more; more = tensor_next(out, at), number++) {
        ptrdiff_t there[TENSOR_RANK_MAX] = {0};
        for (int axis = 0; axis < out->rank && !is_whole; axis++)
            there[axis + numbers->rank - out->rank] = at[axis];
        double value =
            ((const double *)
                 numbers->storage.bytes)[is_whole ? number : tensor_place(numbers, there)];
        ptrdiff_t place = tensor_place(out, at);
        if (out->dtype == DTYPE_F32 && is_wide)
            ((double *)out->storage.bytes)[place] = value;
        else if (out->dtype == DTYPE_F32)
            out->storage.f32[place] = (float)value;
        else if (out->dtype == DTYPE_BOOL)
            out->storage.boolean[place] = value != 0.0;
        else
            out->storage.i64[place] = fabs(value) < 0x1p62 ? (int64_t)value : 0;
    }
}

bool trace_program_compute(TraceProgram *made, Error *err)
{
    bool good = formula_run(&made->program, made->narrow, err);
    for (int i = 0; good && i < made->program.result_count; i++) {
        int slot = trace_program_slot(made, i);
        if (!trace_program_call(made)->writes[slot].is_view)
            trace_program_keep(&made->program.results[i], &made->args.out[slot], made->is_wide);
    }
    return good;
}

// Parses a text as the step's formula; `made->args` must be set.
static bool open_text(TraceProgram *made, Arena *arena, const char *text, double most, Error *err)
{
    char own[FORMULA_TEXT_MAX + 1];
    FormulaScope scope = {read_name, result_name, made};
    return formula_parse(arena, text, &made->formula, err) &&
           complete(made, arena, trace_formula_whole(made->trace, made->step, own), err) &&
           formula_bind(arena, &made->formula, &scope, most, &made->program, err);
}

// The trace's name for a tensor that the formula names differently; NULL for anything else.
static const char *name_in_trace(void *context, const char *name, bool is_result)
{
    const TraceProgram *made = context;
    const TraceStep *step = &made->trace->steps[made->step];
    for (int i = 1; i < made->formula.count; i++)
        if (strcmp(made->formula.definitions[i].name, name) == 0 &&
            result_name(context, name, false).kind == FORMULA_UNKNOWN)
            return NULL; // a helper
    FormulaThing thing =
        is_result ? result_name(context, name, strcmp(made->formula.definitions[0].name, name) == 0)
                  : read_name(context, name);
    if (thing.kind != FORMULA_TENSOR || thing.id >= TRACE_PROGRAM_OTHER)
        return NULL;
    int tensor =
        thing.id >= SOURCE_OWN ? step->writes[thing.id - SOURCE_OWN] : step->reads[thing.id];
    return made->trace->tensors[tensor].name;
}

// Rewrites a formula with the trace's names, so that it stands alone.
static bool print_named(const Trace *trace, int step, const char *text,
                        char named[FORMULA_TEXT_MAX + 1], Error *err)
{
    Arena arena = {0};
    TraceProgram made = {.trace = trace, .step = step};
    FormulaScope scope = {read_name, result_name, &made};
    made.exact = exact_options(scenario_options(trace->scenario, trace->steps[step].layer));
    bool good = trace_arguments(trace, step, &made.args, err) &&
                open_text(&made, &arena, text, INFINITY, err);
    if (good) {
        formula_settle(&made.formula, &scope);
        formula_print(&made.formula, name_in_trace, &made, named, FORMULA_TEXT_MAX + 1);
    }
    arena_finish(&arena);
    return good;
}

bool trace_formula_named(const Trace *trace, int step, char text[FORMULA_TEXT_MAX + 1], Error *err)
{
    char own[FORMULA_TEXT_MAX + 1];
    return print_named(trace, step, trace_formula_whole(trace, step, own), text, err);
}

bool trace_formula_used(const Trace *trace, int step, char text[FORMULA_TEXT_MAX + 1], Error *err)
{
    const char *edited = trace_edited(trace, step);
    return edited ? print_named(trace, step, edited, text, err)
                  : trace_formula_named(trace, step, text, err);
}

// The first step whose formula computes a gradient of a forward step; -1: none.
static int find_own_gradient(const Trace *trace, const TraceStep *forward)
{
    for (int i = 0; i < trace->step_count; i++) {
        const TraceStep *step = &trace->steps[i];
        const char *of = step->call->of, *label = step->call->label;
        bool is_labelled = forward->call->label && label;
        if (of && strcmp(of, forward->stage->name) == 0 && !step->formula &&
            step->layer == forward->layer &&
            (!is_labelled || strcmp(label, forward->call->label) == 0))
            return i;
    }
    return -1;
}

// An edited formula has other gradients, which only the user knows.
static bool fits_gradients(const Trace *trace, int number, const char *text, Error *err)
{
    char own[FORMULA_TEXT_MAX + 1], shown[FORMULA_TEXT_MAX + 1], edited[FORMULA_TEXT_MAX + 1],
        shown_text[TRACE_FORMULA_MAX];
    int gradient = find_own_gradient(trace, &trace->steps[number]);
    if (gradient < 0)
        return true;
    if (!trace_formula_named(trace, number, own, err) ||
        !print_named(trace, number, trace_formula_shown(trace, number, shown_text), shown, err) ||
        !print_named(trace, number, text, edited, err))
        return false;
    const TraceStep *step = &trace->steps[gradient];
    return strcmp(own, edited) == 0 || strcmp(shown, edited) == 0 ||
           error_set(err, TELL(FORMULA_GRADIENTS),
                     trace->tensors[step->writes[step->stage->main_output]].name);
}

static bool open_edited(TraceProgram *made, Arena *arena, Error *err)
{
    return open_text(made, arena, trace_edited(made->trace, made->step), trace_formula_most, err);
}

bool trace_is_drawn(const Slot *slot)
{
    return strcmp(slot->role, "dropout_mask") == 0 || strcmp(slot->role, "noise") == 0;
}

// Computes the outputs of `made->args`.
static bool run_edited(TraceProgram *made, Error *err)
{
    char name[64];
    Arena arena = {0};
    bool good =
        fits_gradients(made->trace, made->step, trace_edited(made->trace, made->step), err) &&
        open_edited(made, &arena, err) && formula_run(&made->program, made->narrow, err);
    for (int i = 0; good && i < made->program.result_count; i++)
        trace_program_keep(&made->program.results[i], &made->args.out[trace_program_slot(made, i)],
                           made->is_wide);
    arena_finish(&arena);
    return good || error_prefix(err, "%s%s: ", made->trace->steps[made->step].formula->place,
                                trace_step_name(made->trace, made->step, name));
}

bool trace_run_formula(Trace *trace, TraceStep *step, Error *err)
{
    bool is_drawn = false; // by a generator, not computed by the formula
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        is_drawn |= trace_is_drawn(&step->call->writes[i]);
    if (is_drawn && !step->stage->run(&step->args, err))
        return false;
    TraceProgram made = {
        .trace = trace, .step = (int)(step - trace->steps), .args = step->args, .narrow = true};
    return run_edited(&made, err);
}

bool trace_run_formula_exactly(const Trace *wide, int step, const StageArgs *args, Error *err)
{
    TraceProgram made = {
        .trace = wide,
        .step = step,
        .args = *args,
        .is_wide = true,
        .exact = exact_options(scenario_options(wide->scenario, wide->steps[step].layer))};
    return run_edited(&made, err);
}

bool trace_formula_compute(const Trace *trace, int step, const Formula *formula, double most,
                           StageArgs *args, Error *err)
{
    Arena arena = {0};
    TraceProgram made;
    FormulaScope scope = trace_program_scope(&made, trace, step, args);
    made.narrow = true;
    bool good = formula_bind(&arena, formula, &scope, most, &made.program, err) &&
                trace_program_compute(&made, err);
    arena_finish(&arena);
    return good;
}

bool trace_formula_open(TraceProgram *made, Arena *arena, const Trace *trace, int step, Error *err)
{
    *made = (TraceProgram){.trace = trace, .step = step, .narrow = true};
    return trace_arguments(trace, step, &made->args, err) && open_edited(made, arena, err);
}

// An output of a step as its slot declares it, without numbers.
static Tensor planned_output(const Trace *trace, const Slot *slot)
{
    Symbol symbols[TRACE_WORDS_MAX];
    ptrdiff_t shape[TRACE_WORDS_MAX];
    int count = trace_symbols(slot->axes, symbols);
    for (int axis = 0; axis < count; axis++)
        shape[axis] = trace_axis_length(trace->scenario, symbols[axis]);
    return tensor_over(NULL, slot->dtype, count, shape);
}

// The trace, with shapes, but no numbers, for tensors that no step made yet. Returns false and sets err if out of
// memory.
static bool plan_shapes(const Trace *trace, Arena *arena, Trace *planned, Error *err)
{
    static float no_numbers[1];
    *planned = *trace;
    planned->tensors =
        arena_take(arena, (size_t)trace->tensor_count, sizeof *planned->tensors, err);
    if (!planned->tensors)
        return false;
    for (int number = 0; number < trace->tensor_count; number++) {
        TraceTensor *tensor = &planned->tensors[number];
        *tensor = trace->tensors[number];
        if (tensor->step < trace->steps_done)
            continue;
        const TraceStep *step = &trace->steps[tensor->step];
        int slot = 0;
        while (step->writes[slot] != number)
            slot++;
        Tensor out = planned_output(trace, &step->call->writes[slot]);
        int hidden = trace_hidden_axis(trace, step->call->writes[slot].axes, out.rank - 1);
        tensor->tensor = hidden >= 0 ? tensor_squeeze(&out, hidden) : out;
        tensor->tensor.storage.f32 = no_numbers;
    }
    return true;
}

bool trace_formula_check(const Trace *trace, const char *text, Error *err)
{
    Arena arena = {0};
    Trace planned;
    TraceProgram made = {.trace = &planned, .step = -1, .narrow = true};
    if (plan_shapes(trace, &arena, &planned, err))
        made.step = trace_formula_step(&planned, text, err);
    bool good = made.step >= 0 && trace_arguments(&planned, made.step, &made.args, err) &&
                open_text(&made, &arena, text, trace_formula_most, err) &&
                fits_gradients(&planned, made.step, text, err);
    arena_finish(&arena);
    return good;
}

// --- as text

static char letter_of(Symbol symbol)
{
    switch (symbol) {
    case SYMBOL_B:
        return 'b';
    case SYMBOL_L:
        return 'l';
    case SYMBOL_LQ:
        return 'i';
    case SYMBOL_LK:
    case SYMBOL_LT:
    case SYMBOL_LB:
    case SYMBOL_LP:
        return 'j';
    case SYMBOL_H:
    case SYMBOL_G:
        return 'h';
    case SYMBOL_V:
        return 'v';
    case SYMBOL_N:
    case SYMBOL_LAYERS:
        return 'n';
    case SYMBOL_Q:
        return 'q';
    case SYMBOL_BLOCKS:
        return 't';
    case SYMBOL_DFF:
        return 'f';
    case SYMBOL_COUNT: // "1"
        return '0';
    default:
        return 'd';
    }
}

const char *trace_formula_indices(const Trace *trace, int tensor, char text[TRACE_INDICES_MAX])
{
    static const char spare[] = "oceamns";
    Symbol symbols[TRACE_WORDS_MAX];
    const TraceTensor *of = &trace->tensors[tensor];
    int count = of->axes ? trace_symbols(of->axes, symbols) : 0;
    size_t length = 0, next = 0;
    text[0] = '\0';
    for (int axis = 0; axis < count && axis < TENSOR_RANK_MAX; axis++) {
        char letter = letter_of(symbols[axis]);
        text[length++] = axis ? ',' : '[';
        text[length] = '\0';
        if (letter != '0' && strchr(text, letter) && next < strlen(spare))
            letter = spare[next++];
        text[length++] = letter;
    }
    text[length] = count ? ']' : '\0';
    text[length + (count > 0)] = '\0';
    return text;
}

const char *trace_formula_text(const Stage *stage, const StageCall *call, const StageForm *form,
                               char text[FORMULA_TEXT_MAX + 1])
{
    const char *where = call->where                             ? call->where
                        : !call->formula && form && form->where ? form->where
                                                                : stage->where;
    const char *formula = call->formula ? call->formula : form ? form->formula : stage->formula;
    snprintf(text, FORMULA_TEXT_MAX + 1, "%s%s%s", formula, where ? "; " : "", where ? where : "");
    return text;
}

const char *trace_formula_whole(const Trace *trace, int number, char text[FORMULA_TEXT_MAX + 1])
{
    const TraceStep *step = &trace->steps[number];
    return trace_formula_text(
        step->stage, step->call,
        stage_form(step->stage, scenario_options(trace->scenario, step->layer)), text);
}

bool trace_formula_makes(const Trace *trace, int tensor)
{
    int step = trace->tensors[tensor].step;
    Error ignored;
    Arena arena = {0};
    TraceProgram made;
    bool makes = trace_program_open(
        &made, &arena, &(TraceProgramAsk){.trace = trace, .step = step, .most = INFINITY},
        &ignored);
    bool is_there = false;
    for (int i = 0; makes && i < made.program.result_count; i++)
        is_there = is_there || trace_program_slot(&made, i) == trace->tensors[tensor].slot;
    arena_finish(&arena);
    return is_there;
}

const char *trace_formula(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const char *edited = trace_edited(trace, number);
    if (!edited)
        return trace_formula_shown(trace, number, text);
    snprintf(text, TRACE_FORMULA_MAX, "%s", edited);
    return text;
}

char trace_sum_letter(const Trace *trace, int number)
{
    static const char sign[] = "sum_";
    char formula[TRACE_FORMULA_MAX];
    const char *sum = strstr(trace_formula(trace, number, formula), sign);
    return sum ? sum[strlen(sign)] : '\0';
}

const char *trace_torch(const Trace *trace, int number, char text[TRACE_FORMULA_MAX])
{
    const TraceStep *step = &trace->steps[number];
    const StageForm *form = stage_form(step->stage, scenario_options(trace->scenario, step->layer));
    const char *torch = step->call->torch ? step->call->torch
                        : form            ? form->torch
                                          : step->stage->torch;
    const char *mark = strchr(torch, '$'), *layer;
    char own[FORMULA_TEXT_MAX + 1];
    if (step->formula) // no line of PyTorch is known; a remark stands in its place
        snprintf(text, TRACE_FORMULA_MAX, TELL(TORCH_EDITED),
                 trace_formula_whole(trace, number, own));
    else if (!mark)
        snprintf(text, TRACE_FORMULA_MAX, "%s", torch);
    else {
        // the layer whose weight the step reads as its second slot: "q_proj" of "q_proj.weight"
        layer = step->reads[1] >= 0 ? trace->tensors[step->reads[1]].name : "";
        if (step->layer > 0 && strchr(layer, '.'))
            layer = strchr(layer, '.') + 1;
        snprintf(text, TRACE_FORMULA_MAX, "%.*s%.*s%s", (int)(mark - torch), torch,
                 (int)strcspn(layer, "."), layer, mark + 1);
    }
    return text;
}

// --- the step that a formula is for

// Whether a step's formula is shown with this name: a role ("weights" for attn_weights). `is_own`: and with
// all of this definition.
static bool is_shown(const Trace *trace, int step, const FormulaDefinition *typed, bool *is_own,
                     Arena *arena)
{
    Formula own;
    Error ignored;
    char text[TRACE_FORMULA_MAX], shown[FORMULA_TEXT_MAX + 1], asked[FORMULA_TEXT_MAX + 1];
    if (!formula_parse(arena, trace_formula_shown(trace, step, text), &own, &ignored) ||
        strcmp(own.definitions[0].name, typed->name) != 0)
        return false;
    formula_print_definition(&own.definitions[0], NULL, 0, shown, sizeof shown);
    formula_print_definition(typed, NULL, 0, asked, sizeof asked);
    *is_own = strcmp(shown, asked) == 0;
    return true;
}

// Lists the tensors that could be meant.
static bool ambiguous(const Trace *trace, const char *name, const bool could[], Error *err)
{
    char names[256] = "";
    for (int step = 0; step < trace->step_count; step++)
        if (could[step]) {
            const TraceStep *of = &trace->steps[step];
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "",
                     trace->tensors[of->writes[of->stage->main_output]].name);
        }
    return error_set(err, TELL(EDIT_MANY_STEPS), name, names);
}

// What a formula on the screen says goes first, then a name in the trace, then what formulas on the screen
// call their results.
static int find_formula_step(const Trace *trace, const FormulaDefinition *typed, Arena *arena,
                             Error *err)
{
    bool could[TRACE_STEPS_MAX] = {false};
    int found = -1, count = 0, tensor = trace_find(trace, typed->name);
    for (int i = 0; i < trace->tensor_count; i++)
        if (trace->tensors[i].step >= 0 && trace_same_name(typed->name, trace->tensors[i].name))
            could[trace->tensors[i].step] = true;
    for (int step = 0; step < trace->step_count; step++) {
        bool is_own = false;
        could[step] = is_shown(trace, step, typed, &is_own, arena) || could[step];
        if (is_own)
            return step;
        found = could[step] ? step : found;
        count += could[step];
    }
    if (tensor >= 0 && trace->tensors[tensor].step >= 0)
        return trace->tensors[tensor].step;
    if (count > 1)
        ambiguous(trace, typed->name, could, err);
    else if (count == 0 && tensor >= 0)
        error_set(err, TELL(EDIT_GIVEN), typed->name);
    else if (count == 0)
        error_set(err, TELL(EDIT_NO_STEP), typed->name);
    return count == 1 ? found : -1;
}

int trace_formula_step(const Trace *trace, const char *text, Error *err)
{
    Arena arena = {0};
    Formula formula;
    int step = formula_parse(&arena, text, &formula, err)
                   ? find_formula_step(trace, &formula.definitions[0], &arena, err)
                   : -1;
    arena_finish(&arena);
    return step;
}

// --- arguments
//
// The tensors that the stage of a step is given, in the axes that its slots declare; see trace.h.

static bool check_shape(const Trace *trace, int step, const Slot *slot, int number,
                        const Tensor *given, Error *err)
{
    Symbol symbols[TRACE_WORDS_MAX];
    ptrdiff_t want[TRACE_WORDS_MAX];
    int count = trace_symbols(slot->axes, symbols);
    bool fits = given->rank == count;
    for (int axis = 0; axis < count; axis++) {
        want[axis] = trace_axis_length(trace->scenario, symbols[axis]);
        fits = fits && given->shape[axis] == want[axis];
    }
    const TraceTensor *tensor = &trace->tensors[number];
    const TraceTensor *first = &trace->tensors[trace->steps[step].reads[0]];
    char name[64], axes[TENSOR_TEXT_MAX], have[TENSOR_TEXT_MAX], wanted[TENSOR_TEXT_MAX],
        first_shape[TENSOR_TEXT_MAX];
    if (given->dtype != slot->dtype)
        return error_set(err, TELL(SLOT_DTYPE), trace_step_name(trace, step, name), tensor->name,
                         dtype_name(given->dtype), dtype_name(slot->dtype));
    if (fits)
        return true;
    trace_axes_declared(trace->scenario, symbols, count, axes);
    return error_set(err, TELL(SLOT_SHAPE), trace_step_name(trace, step, name), tensor->name,
                     tensor_shape_text(tensor->tensor.rank, tensor->tensor.shape, have), axes,
                     tensor_shape_text(count, want, wanted), first->name,
                     tensor_shape_text(first->tensor.rank, first->tensor.shape, first_shape));
}

bool trace_arguments(const Trace *trace, int number, StageArgs *args, Error *err)
{
    const TraceStep *step = &trace->steps[number];
    *args = (StageArgs){.stage = step->stage,
                        .call = step->call,
                        .options = scenario_options(trace->scenario, step->layer),
                        .kernel = trace->kernel};
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Slot *slot = &step->call->reads[i];
        if (step->reads[i] < 0)
            continue;
        Tensor *in = &args->in[i];
        *in = trace->tensors[step->reads[i]].tensor;
        int hidden = trace_hidden_axis(trace, slot->axes, in->rank);
        if (hidden >= 0)
            *in = tensor_unsqueeze(in, hidden);
        if (slot->axes && !slot->broadcasts &&
            !check_shape(trace, number, slot, step->reads[i], in, err))
            return false;
    }
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++) {
        const Slot *slot = &step->call->writes[i];
        const Tensor *stored = &trace->tensors[step->writes[i]].tensor;
        args->out[i] = planned_output(trace, slot);
        if (stored->storage.bytes) {
            int hidden = trace_hidden_axis(trace, slot->axes, stored->rank);
            args->out[i] = hidden >= 0 ? tensor_unsqueeze(stored, hidden) : *stored;
        }
    }
    return true;
}

size_t trace_bytes(const Trace *trace)
{
    size_t bytes = 0;
    for (int step = 0; step < trace->step_count; step++)
        for (const Slot *slot = trace->steps[step].call->writes; slot->role; slot++) {
            if (slot->is_view)
                continue;
            Tensor out = planned_output(trace, slot);
            ptrdiff_t count;
            size_t size;
            if (!tensor_count_of(out.rank, out.shape, &count) ||
                __builtin_mul_overflow((size_t)count, dtype_size(slot->dtype), &size) ||
                __builtin_add_overflow(bytes, size, &bytes))
                return SIZE_MAX;
        }
    return bytes;
}
