// Relations in which an input is read in a wrong way, or the result written to wrong places.
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"
#include "trace_program.h"

// --- an input as somebody reads it by mistake

// A change turns an input into what was read in its place: negated, in reverse order, with two indices
// swapped. The step is right for the changed input.

typedef struct InputChange {
    int form;
    int axis, other; // -1: none
} InputChange;

enum {
#define CHANGE(NAME, ...) NAME,
#include "relation_changes.def"
#undef CHANGE
    FORMS,
    SYMBOLS = 64,
};

// What a form applies to.
enum { NUMBERS = 1, FLAGS = 2, ALL = 4, ROWS = 8, STRIDES = 16, AXIS = 32, MATRIX = 64 };

typedef struct InputForm {
    int of;
    const char *value, *index;
    Words words;
} InputForm;

static const InputForm forms[FORMS] = {
#define CHANGE(NAME, of, value, index, english, korean) \
    [NAME] = {of, value, index, WORDS(english, korean)},
#include "relation_changes.def"
#undef CHANGE
};

// The input with two indices exchanged: without bounds, a function reads at such a place whatever the shape is. AS_TURNED:
// its memory has the transposed shape.
static Tensor turn(const Tensor *input, InputChange change)
{
    Tensor turned = *input;
    if (change.form == AS_TURNED) {
        turned.stride[0] = 1;
        turned.stride[1] = input->shape[0];
    }
    if (change.form != TURNED)
        return turned;
    turned.stride[change.axis] = input->stride[change.other];
    turned.stride[change.other] = input->stride[change.axis];
    return turned;
}

static bool applies(const Tensor *input, InputChange change)
{
    int of = forms[change.form].of;
    bool is_kind = (of & ALL) || ((of & NUMBERS) && input->dtype == DTYPE_F32) ||
                   ((of & FLAGS) && input->dtype == DTYPE_BOOL);
    ptrdiff_t from = change.form == RAW ? input->offset : 0, span = tensor_span(input);
    bool is_moved = change.form == RAW ? !tensor_is_contiguous(input) : input->offset > 0;
    Tensor turned = turn(input, change);
    return is_kind && (!(of & ROWS) || input->rank > 1) &&
           (!(of & MATRIX) || (input->rank == 2 && tensor_is_contiguous(input) &&
                               input->shape[0] > 1 && input->shape[1] > 1)) &&
           (!(of & STRIDES) || (is_moved && span - from >= tensor_count(input))) &&
           (!(of & AXIS) || (input->shape[change.axis] > 1 && tensor_span(&turned) <= span));
}

// Change `number` of all, whether it applies or not: forms without an axis, then forms along each
// axis, then pairs of axes. Returns false after the last.
static bool change_of(int rank, int number, InputChange *change)
{
    int along = TURNED - FIRST, pairs = number - FIRST - along * rank;
    if (number < FIRST)
        *change = (InputChange){number, -1, -1};
    else if (pairs < 0)
        *change = (InputChange){FIRST + (number - FIRST) % along, (number - FIRST) / along, -1};
    else if (pairs < rank * rank)
        *change = (InputChange){TURNED, pairs / rank, pairs % rank};
    else
        return false;
    return true;
}

// Change `number` of those that apply to the input. Returns false after the last.
static bool change_get(const Tensor *input, int number, InputChange *change)
{
    InputChange one;
    for (int i = 0; change_of(input->rank, i, &one); i++)
        if ((one.form != TURNED || one.axis < one.other) && applies(input, one) && number-- == 0) {
            *change = one;
            return true;
        }
    return false;
}

// Writes a change as a formula over the axes a, b, c ...
static void put_formula(const Tensor *input, InputChange change, char text[FORMULA_TEXT_MAX + 1])
{
    const InputForm *form = &forms[change.form];
    char own[2 * TENSOR_RANK_MAX + 1] = "", read[3 * TENSOR_RANK_MAX + 1] = "";
    int turned = form->of & AXIS ? change.axis : 0, last = input->rank - 1;
    for (int axis = 0; axis <= last; axis++) {
        const char *comma = axis < last ? "," : "";
        snprintf(own + 2 * axis, sizeof own - 2 * (size_t)axis, "%c%s", 'a' + axis, comma);
        if (axis == turned)
            snprintf(read + strlen(read), sizeof read - strlen(read), "at%s", comma);
        else
            snprintf(read + strlen(read), sizeof read - strlen(read), "%c%s", 'a' + axis, comma);
    }
    snprintf(text, FORMULA_TEXT_MAX + 1,
             "y[%s] = %s; x = input[%s]; at = %s; i = %c; n = %td; r[z] = input[%.*sz]", own,
             form->value ? form->value : "x", read, form->index ? form->index : "i", 'a' + turned,
             input->shape[turned], 2 * last, own);
}

static FormulaThing input_thing(void *context, const char *name)
{
    bool is_it = strcmp(name, "input") == 0 || strcmp(name, "y") == 0;
    return is_it
               ? (FormulaThing){.kind = FORMULA_TENSOR, .tensor = *(Tensor *)context, .hidden = -1}
               : (FormulaThing){.kind = FORMULA_UNKNOWN};
}

static FormulaThing changed_thing(void *context, const char *name, bool is_first)
{
    return is_first ? input_thing(context, name) : (FormulaThing){.kind = FORMULA_UNKNOWN};
}

// Computes a change into memory of the arena. Returns false and sets err if memory is short.
static bool change_make(const RelationCase *what, const Tensor *input, InputChange change,
                        Arena *arena, Tensor *changed, Error *err)
{
    static const double most = 1e9;
    Tensor from = turn(input, change);
    FormulaProgram program;
    char text[FORMULA_TEXT_MAX + 1];
    const FormulaScope scope = {input_thing, changed_thing, &from};
    if (forms[change.form].of & STRIDES) {
        from = tensor_over(input->storage.bytes, input->dtype, input->rank, input->shape);
        from.offset = change.form == RAW ? input->offset : 0;
    }
    put_formula(&from, change, text);
    const Formula *formula = relation_parse(what, text);
    bool good = formula && formula_bind(arena, formula, &scope, most, &program, err) &&
                formula_run(&program, false, err) &&
                tensor_take(arena, input->dtype, input->rank, input->shape, changed, err);
    if (good)
        trace_program_keep(&program.results[0], changed, false);
    return good;
}

// Encodes a change by its form and by what its axes count, so that cases can agree on it. `axes` are the
// input's.
static int change_code(InputChange change, const char *axes)
{
    int axis = change.axis < 0 ? 0 : (int)relation_axis_named(axes, change.axis);
    int other = change.other < 0 ? 0 : (int)relation_axis_named(axes, change.other);
    return (change.form * SYMBOLS + axis) * SYMBOLS + other;
}

// True if another change gives the same: of two elements, the next is the previous one.
static bool change_is_doubtful(const Tensor *input, InputChange change)
{
    return change.form >= NEXT && change.form <= REVERSED && input->shape[change.axis] == 2;
}

// True for changes that a loop makes which is too short.
static bool change_leaves_out(InputChange change)
{
    return change.form == WITHOUT_FIRST || change.form == WITHOUT_LAST;
}

static void change_say(int code, const char *input, Language language, char text[RELATION_TEXT_MAX])
{
    Symbol axis = (Symbol)(code / SYMBOLS % SYMBOLS), other = (Symbol)(code % SYMBOLS);
    int form = code / SYMBOLS / SYMBOLS;
    bool is_number = form == FIRST && (int)axis == RELATION_AXIS_NUMBER;
    const char *sentence =
        is_number ? TELL_IN(language, INPUT_FIRST_NUMBER) : forms[form].words.in[language];
    words_format(text, RELATION_TEXT_MAX, sentence, input,
                 relation_axis_word(axis, false, language),
                 relation_axis_word(other, false, language));
}

// --- inputs
//
// A step reads an input in another way, or another tensor in its place: the step of the case, or in a whole run one
// step alone, all steps that read what the function is given, or all calls of one stage, as where one function makes q,
// k and v.

enum { ALL_SLOTS = STAGE_READS_MAX, SLOTS };

// reading.number: of which steps the input is.
enum { IS_ALONE, IS_GIVEN, IS_CALLS };

typedef struct Instead {
    const Relation *relation;
    const RelationCase *what;
    const Trace *run;
    int step, slot;
    int whose; // IS_ALONE: the step; IS_GIVEN: all that read its tensor; IS_CALLS: all of its stage
    int tensor; // what is read there; -1: the own input, changed
    InputChange change;
    Arena arena;
} Instead;

static bool is_replaced(const Instead *instead, const TraceStep *step, int slot)
{
    const TraceStep *own = &instead->run->steps[instead->step];
    return instead->whose == IS_GIVEN   ? step->reads[slot] == own->reads[instead->slot]
           : instead->whose == IS_CALLS ? step->stage == own->stage && slot == instead->slot
                                        : step == own && slot == instead->slot;
}

static bool run_instead(void *context, const TraceStep *step, StageArgs *args, bool *done,
                        Error *err)
{
    Instead *instead = context;
    StageArgs changed = *args;
    *done = false;
    for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++) {
        Tensor *in = &changed.in[slot];
        if (!is_replaced(instead, step, slot))
            continue;
        *done = true;
        if (instead->tensor >= 0)
            *in = instead->run->tensors[instead->tensor].tensor;
        else if (!change_make(instead->what, &args->in[slot], instead->change, &instead->arena, in,
                              err))
            return false;
    }
    return !*done || step->stage->run(&changed, err);
}

// True if the step makes the wrong numbers of the changed input.
static bool step_makes(const RelationCase *what, Instead *instead, Error *err)
{
    StageArgs args = *what->given;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++) {
        Tensor *in = &args.in[slot];
        bool is_raw =
            instead->slot == ALL_SLOTS && in->storage.bytes && applies(in, instead->change);
        if ((is_raw || slot == instead->slot) &&
            !change_make(what, &what->given->in[slot], instead->change, &instead->arena, in, err))
            return false;
    }
    return relation_stage_makes(what, &args);
}

static bool makes(const RelationCase *what, Instead *instead)
{
    Error err = {.text = ""};
    bool made;
    if (what->given)
        made = step_makes(what, instead, &err);
    else {
        int last = instead->whose == IS_ALONE ? instead->step : what->right->step_count - 1;
        instead->what = what;
        instead->run = &what->run->trace;
        made = relation_run_makes(what->run, instead->step, last, run_instead, instead);
    }
    relation_lacks(what, &err);
    arena_finish(&instead->arena);
    return made;
}

// The step of a case has no code: its call has the names.
static int input_code(const RelationCase *what, int number, int slot)
{
    return (what->given ? 0 : relation_step_code(&what->right->steps[number])) * SLOTS + slot;
}

// True if the result lacks this axis of an input.
static bool is_summed(const TraceStep *step, int slot, int axis)
{
    Symbol symbols[TRACE_WORDS_MAX];
    int count = relation_symbols(step->call->writes[step->stage->main_output].axes, symbols);
    return trace_find_symbol(symbols, count, relation_axis(step->call->reads[slot].axes, axis)) < 0;
}

// A sum of one step may lack terms: see relation_sums. That one part of an input is used for all is a relation of its
// own, more likely than other changes. Beside another mistake there would be too many runs.
static bool is_tried(const RelationCase *what, const Instead *instead, const Tensor *input)
{
    const InputChange change = instead->change;
    bool leaves_out = change_leaves_out(change);
    bool is_part = change.form == FIRST || change.form == LAST;
    bool is_unused = change.form == ZEROS && input->dtype == DTYPE_BOOL;
    if (what->given)
        return !leaves_out && is_part == (instead->relation == &relation_part);
    return input->dtype != DTYPE_I64 &&
           (!what->beside || change.form == FIRST || is_unused || leaves_out) &&
           (!leaves_out ||
            is_summed(&what->right->steps[instead->step], instead->slot, change.axis));
}

static void read_changes(const RelationCase *what, RelationReadings *readings, Instead instead,
                         const Tensor *input, const char *axes)
{
    for (int i = 0; change_get(input, i, &instead.change); i++) {
        InputChange change = instead.change;
        RelationReading reading = {.relation = instead.relation,
                                   .a = input_code(what, instead.step, instead.slot),
                                   .b = change_code(change, axes),
                                   .number = instead.whose};
        if (is_tried(what, &instead, input) && (what->given || relation_counts(what, &reading)) &&
            makes(what, &instead))
            relation_add_if(what, readings, reading, change_is_doubtful(input, change));
    }
}

// How many inputs of the steps from `first` to before `last` are the tensor.
static int count_reads(const Trace *run, int tensor, int first, int last)
{
    int count = 0;
    for (int i = first; i < last; i++)
        for (int slot = 0; slot < STAGE_READS_MAX && run->steps[i].call->reads[slot].role; slot++)
            count += run->steps[i].reads[slot] == tensor;
    return count;
}

// True if the step is the first of several that read what the function is given.
static bool is_given(const Trace *right, int number, int slot)
{
    int tensor = right->steps[number].reads[slot];
    const TraceTensor *given = &right->tensors[tensor];
    bool is_gradient = strcmp(given->name, "grad.output") == 0;
    bool has_several = is_gradient || count_reads(right, tensor, number, right->step_count) > 1;
    return (given->step < 0 || is_gradient || strcmp(given->name, "x") == 0) && has_several &&
           count_reads(right, tensor, 0, number) == 0;
}

// True if the step is the first of several of its stage.
static bool is_first_call(const Trace *right, int number)
{
    int before = 0, after = 0;
    for (int i = 0; i < right->step_count; i++)
        if (right->steps[i].stage == right->steps[number].stage)
            *(i < number ? &before : &after) += i != number;
    return before == 0 && after > 0;
}

static void read_changed(const RelationCase *what, RelationReadings *readings,
                         const Relation *relation, int number, int slot, const Tensor *input)
{
    const char *axes = what->right->steps[number].call->reads[slot].axes;
    Instead instead = {
        .relation = relation, .step = number, .slot = slot, .whose = IS_GIVEN, .tensor = -1};
    bool has_several = !what->given && !what->beside;
    if (has_several && is_given(what->right, number, slot))
        read_changes(what, readings, instead, input, axes);
    instead.whose = IS_CALLS;
    if (has_several && is_first_call(what->right, number))
        read_changes(what, readings, instead, input, axes);
    instead.whose = IS_ALONE;
    read_changes(what, readings, instead, input, axes);
}

// Cuts `from` to the shape of `like`. Returns false if `from` is smaller.
static bool cut_to(const Tensor *from, const Tensor *like, Tensor *out)
{
    Tensor cut = *from;
    bool fits = from->storage.bytes && from->dtype == DTYPE_F32 && from->rank == like->rank;
    for (int axis = 0; axis < from->rank && fits; axis++) {
        fits = from->shape[axis] >= like->shape[axis];
        if (fits)
            cut = tensor_narrow(&cut, axis, 0, like->shape[axis]);
    }
    *out = cut;
    return fits;
}

// Another input of the step, or in a whole run what an earlier step has made.
static void read_other(const RelationCase *what, RelationReadings *readings,
                       const Relation *relation, int number, int slot, const Tensor *input)
{
    const Trace *right = what->right;
    int count = what->given ? STAGE_READS_MAX : number;
    for (int i = 0; input->dtype == DTYPE_F32 && i < count; i++) {
        RelationReading reading = {
            .relation = relation, .a = input_code(what, number, slot), .b = i};
        if (what->given) {
            StageArgs args = *what->given;
            if (i != slot && cut_to(&args.in[i], input, &args.in[slot]) &&
                relation_stage_makes(what, &args))
                relation_add_if(what, readings, reading, false);
            continue;
        }
        const TraceStep *before = &right->steps[i];
        Instead instead = {.step = number,
                           .slot = slot,
                           .whose = IS_ALONE,
                           .tensor = before->writes[before->stage->main_output]};
        reading.b = relation_step_code(before);
        const Tensor *made = instead.tensor >= 0 ? &right->tensors[instead.tensor].tensor : input;
        if (reading.b >= 0 && made->storage.bytes != input->storage.bytes &&
            made->dtype == DTYPE_F32 && tensor_same_shape(made, input) &&
            relation_counts(what, &reading) && makes(what, &instead))
            relation_add_if(what, readings, reading, false);
    }
}

// In a whole run a view reads nothing in another way, a step without a call of a stage has no name, and the gradient of
// the output is given. With other lengths the step `pad` would read beyond the tokens.
static bool has_inputs(const RelationCase *what, int number, StageArgs *args)
{
    Error ignored;
    const TraceStep *step = &what->right->steps[number];
    if (what->given) {
        *args = *what->given;
        if (relation_is_stage(what, "pad"))
            args->in[1].storage.bytes = NULL;
        return number == what->step;
    }
    return relation_step_code(step) >= 0 && !step->call->writes[step->stage->main_output].is_view &&
           strcmp(step->stage->name, "half_square_backward") != 0 &&
           trace_arguments(what->right, number, args, &ignored);
}

static void each_input(const RelationCase *what, RelationReadings *readings,
                       const Relation *relation,
                       void (*read)(const RelationCase *, RelationReadings *, const Relation *, int,
                                    int, const Tensor *))
{
    for (int i = 0; i < what->right->step_count; i++) {
        StageArgs args;
        bool has = has_inputs(what, i, &args);
        for (int slot = 0; has && slot < STAGE_READS_MAX; slot++)
            if (what->right->steps[i].call->reads[slot].role && args.in[slot].storage.bytes)
                read(what, readings, relation, i, slot, &args.in[slot]);
    }
}

static void other_input_read(const RelationCase *what, RelationReadings *readings)
{
    each_input(what, readings, &relation_other_input, read_other);
}

static void part_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->given)
        each_input(what, readings, &relation_part, read_changed);
}

// A function that ignores strides ignores those of every input.
static void changed_input_read(const RelationCase *what, RelationReadings *readings)
{
    Instead instead = {.slot = ALL_SLOTS, .whose = IS_ALONE, .tensor = -1};
    each_input(what, readings, &relation_changed_input, read_changed);
    for (int form = RAW; what->given && form <= RAW_FROM_0; form++) {
        instead.change = (InputChange){form, -1, -1};
        if (makes(what, &instead))
            relation_add_if(what, readings,
                            (RelationReading){.relation = &relation_changed_input,
                                              .a = ALL_SLOTS,
                                              .b = change_code(instead.change, NULL),
                                              .number = IS_ALONE},
                            false);
    }
}

// A whole run makes queries of x too.
static const char *input_name(const RelationReading *reading, int slot, Language language)
{
    const StageCall *call = reading->call ? reading->call : relation_step_call(reading->a / SLOTS);
    if (slot == ALL_SLOTS)
        return TELL_IN(language, ALL_INPUTS);
    const char *role = call->reads[slot].role;
    bool is_x = !reading->call && strcmp(role, "x_query") == 0;
    const char *dot = reading->number == IS_CALLS ? strrchr(role, '.') : NULL;
    return is_x ? "x" : dot ? dot + 1 : relation_tensor_name(role, language);
}

static void other_input_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    static const Words exchanged = WORDS_ROW(INPUT_EXCHANGED); // %2$s comes first
    char why[RELATION_TEXT_MAX];
    const char *name = input_name(reading, reading->a % SLOTS, language);
    if (reading->call) {
        words_format(text, RELATION_TEXT_MAX, exchanged.in[language], name,
                     input_name(reading, reading->b, language));
        return;
    }
    char of_step[128], step[RELATION_TEXT_MAX];
    int made = relation_step_stage(reading->b)->main_output;
    const char *other =
        relation_tensor_name(relation_step_call(reading->b)->writes[made].role, language);
    words_format(of_step, sizeof of_step, TELL_IN(language, INNER_OF_STEP), other,
                 relation_step_name(reading->b, language, step));
    words_format(why, sizeof why, exchanged.in[language], name,
                 strcmp(name, other) == 0 ? of_step : other);
    relation_say_step(reading->a / SLOTS, why, language, text);
}

static void changed_input_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
{
    char why[RELATION_TEXT_MAX];
    int slot = reading->a % SLOTS, whose = (int)reading->number;
    change_say(reading->b, input_name(reading, slot, language), language, why);
    if (reading->call || whose == IS_GIVEN)
        snprintf(text, RELATION_TEXT_MAX, "%s", why);
    else if (whose == IS_CALLS)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_CALLS),
                     relation_step_stage(reading->a / SLOTS)->name, why);
    else
        relation_say_step(reading->a / SLOTS, why, language, text);
}

const Relation relation_other_input = {.read = other_input_read, .say = other_input_say};
const Relation relation_part = {.read = part_read, .say = changed_input_say};
const Relation relation_changed_input = {.read = changed_input_read, .say = changed_input_say};

// --- axes
//
// The right numbers, written in the order of two swapped axes.

static bool is_exchanged(const RelationCase *what, int a, int b)
{
    Error err = {.text = ""};
    Arena arena = {0};
    const Tensor turned = tensor_transpose(what->known, a, b);
    Tensor written;
    bool good = tensor_take(&arena, DTYPE_F32, turned.rank, turned.shape, &written, &err);
    if (good) {
        tensor_copy(&turned, &written);
        written = tensor_over(written.storage.bytes, DTYPE_F32, turned.rank, what->known->shape);
        good = relation_makes(what, &written);
    }
    relation_lacks(what, &err);
    arena_finish(&arena);
    return good;
}

static void axes_read(const RelationCase *what, RelationReadings *readings)
{
    int rank = what->known->dtype == DTYPE_F32 ? what->known->rank : 0;
    for (int a = 0; a < rank; a++)
        for (int b = a + 1; b < rank; b++)
            if (is_exchanged(what, a, b))
                relation_add(what, readings, &relation_axes, a, b);
}

static void axes_say(const RelationReading *reading, Language language,
                     char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, AXES_EXCHANGED), reading->a,
                 reading->b);
}

const Relation relation_axes = {.read = axes_read, .say = axes_say};
