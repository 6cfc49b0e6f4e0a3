// Relations in which an input is read in a wrong way, or the result written to wrong places.
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"

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
static bool change_make(const Tensor *input, InputChange change, Arena *arena, Tensor *changed,
                        Error *err)
{
    static const double most = 1e9;
    Tensor from = turn(input, change);
    Formula formula;
    FormulaProgram program;
    char text[FORMULA_TEXT_MAX + 1];
    const FormulaScope scope = {input_thing, changed_thing, &from};
    if (forms[change.form].of & STRIDES) {
        from = tensor_over(input->storage.bytes, input->dtype, input->rank, input->shape);
        from.offset = change.form == RAW ? input->offset : 0;
    }
    put_formula(&from, change, text);
    bool good = formula_parse(arena, text, &formula, err) &&
                formula_bind(arena, &formula, &scope, most, &program, err) &&
                formula_run(&program, false, err) &&
                tensor_take(arena, input->dtype, input->rank, input->shape, changed, err);
    if (good)
        relation_put(&program.results[0].numbers, changed);
    return good;
}

// Encodes a change by its form and by what its axes count, so that cases can agree on it. `axes` are the
// input's.
static int change_code(InputChange change, const char *axes)
{
    const RelationCase input = {.axes = axes ? axes : ""};
    int axis = change.axis < 0 ? 0 : (int)relation_axis_named(&input, change.axis);
    int other = change.other < 0 ? 0 : (int)relation_axis_named(&input, change.other);
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

// The change of the other factor that gives the same sums of products. Most changes are their own.
static int change_opposite(int code)
{
    int form = code / SYMBOLS / SYMBOLS, axes = code % (SYMBOLS * SYMBOLS);
    form = form == NEXT ? BEFORE : form == BEFORE ? NEXT : form;
    return form * SYMBOLS * SYMBOLS + axes;
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

// One sentence: this change of an input, or the opposite change of another.
static void change_say_either(int code, const char *input, const char *opposite, Language language,
                              char text[RELATION_TEXT_MAX])
{
    static const Words shifted = WORDS_ROW(CHANGED_SHIFTED);
    char both[128];
    bool is_next = code / SYMBOLS / SYMBOLS == NEXT;
    if (change_opposite(code) == code) {
        words_format(both, sizeof both, TELL_IN(language, EITHER_INPUT), input, opposite);
        change_say(code, both, language, text);
        return;
    }
    words_format(text, RELATION_TEXT_MAX, shifted.in[language], is_next ? opposite : input,
                 is_next ? input : opposite,
                 relation_axis_word((Symbol)(code / SYMBOLS % SYMBOLS), false, language));
}

// --- changed input
//
// The step is right for one changed input.

// Either factor of a product may have been changed: the sentence names both.
static void add_either(const RelationCase *what, RelationReadings *readings, int slot, int code,
                       bool is_doubtful)
{
    bool is_found = false;
    for (int i = 0; i < readings->count; i++) {
        RelationReading *before = &readings->all[i];
        if (before->relation == &relation_changed_input && before->a != slot &&
            (before->b == code || before->b == change_opposite(code))) {
            before->number = (double)slot;
            is_found = true;
        }
    }
    if (is_found)
        return;
    relation_add_if(what, readings,
                    (RelationReading){
                        .relation = &relation_changed_input, .a = slot, .b = code, .number = -1.0},
                    is_doubtful);
}

// reading.a: the input's slot; reading.b: the change; reading.number: the other possible slot, or -1
static void read_slot(const RelationCase *what, RelationReadings *readings, int slot, bool is_part)
{
    InputChange change;
    const Tensor *input = &what->given->in[slot];
    const char *axes = what->right->steps[what->step].call->reads[slot].axes;
    for (int i = 0; change_get(input, i, &change); i++) {
        bool takes_part = change.form == FIRST || change.form == LAST;
        if (takes_part != is_part || change_leaves_out(change)) // see relation_sums
            continue;
        Arena arena = {0};
        Error err = {.text = ""};
        StageArgs args = *what->given;
        if (change_make(input, change, &arena, &args.in[slot], &err) &&
            relation_stage_makes(what, &args)) {
            int code = change_code(change, axes);
            if (is_part)
                relation_add_if(
                    what, readings,
                    (RelationReading){
                        .relation = &relation_part, .a = slot, .b = code, .number = -1.0},
                    false);
            else
                add_either(what, readings, slot, code, change_is_doubtful(input, change));
        }
        relation_lacks(what, &err);
        arena_finish(&arena);
    }
}

// A function that ignores strides ignores those of every input.
enum { ALL_SLOTS = STAGE_READS_MAX };

static void read_all_raw(const RelationCase *what, RelationReadings *readings, int form)
{
    Arena arena = {0};
    Error err = {.text = ""};
    StageArgs args = *what->given;
    const InputChange raw = {form, -1, -1};
    int count = 0;
    bool good = true;
    for (int slot = 0; good && slot < STAGE_READS_MAX; slot++)
        if (args.in[slot].storage.bytes && applies(&what->given->in[slot], raw)) {
            good = change_make(&what->given->in[slot], raw, &arena, &args.in[slot], &err);
            count++;
        }
    if (good && count > 0 && relation_stage_makes(what, &args))
        relation_add_if(what, readings,
                        (RelationReading){.relation = &relation_changed_input,
                                          .a = ALL_SLOTS,
                                          .b = change_code(raw, NULL),
                                          .number = -1.0},
                        false);
    relation_lacks(what, &err);
    arena_finish(&arena);
}

static void read_slots(const RelationCase *what, RelationReadings *readings, bool is_part)
{
    // With other lengths the step would read
    // beyond the tokens.
    int lengths = relation_is_stage(what, "pad") ? 1 : -1;
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++)
        if (what->given->in[slot].storage.bytes && slot != lengths)
            read_slot(what, readings, slot, is_part);
}

// One part of an input (head 0, the last key) is used for all.
static void part_read(const RelationCase *what, RelationReadings *readings)
{
    read_slots(what, readings, true);
}

static void changed_input_read(const RelationCase *what, RelationReadings *readings)
{
    read_slots(what, readings, false);
    for (int form = RAW; what->given && form <= RAW_FROM_0; form++)
        read_all_raw(what, readings, form);
}

static void changed_input_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
{
    const Slot *reads = reading->call->reads;
    const char *name =
        reading->a == ALL_SLOTS ? TELL_IN(language, ALL_INPUTS) : reads[reading->a].role;
    if (reading->number < 0.0)
        change_say(reading->b, name, language, text);
    else
        change_say_either(reading->b, name, reads[(int)reading->number].role, language, text);
}

const Relation relation_part = {.read = part_read, .say = changed_input_say};

const Relation relation_changed_input = {.read = changed_input_read, .say = changed_input_say};

// --- axes
//
// The right numbers, written in the order of two swapped axes.

static bool is_exchanged(const RelationCase *what, int a, int b)
{
    Arena arena = {0};
    Tensor numbers, turned = tensor_transpose(what->known, a, b), like = turned;
    bool good = relation_room(what, &arena, &numbers);
    if (good) {
        like = tensor_over(numbers.storage.bytes, DTYPE_F32, turned.rank, turned.shape);
        tensor_copy(&turned, &like);
    }
    good = good && relation_makes(what, &numbers);
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

// --- other input
//
// The step is right with one input in place of another.

static bool is_number(const Tensor *tensor)
{
    return tensor->storage.bytes && tensor->dtype == DTYPE_F32;
}

// Cuts `from` to the shape of `like`. Returns false if `from` is smaller.
static bool cut_to(const Tensor *from, const Tensor *like, Tensor *out)
{
    Tensor cut = *from;
    bool fits = from->rank == like->rank;
    for (int axis = 0; axis < from->rank && fits; axis++) {
        fits = from->shape[axis] >= like->shape[axis];
        if (fits)
            cut = tensor_narrow(&cut, axis, 0, like->shape[axis]);
    }
    *out = cut;
    return fits;
}

static void read_exchanged(const RelationCase *what, RelationReadings *readings, int slot)
{
    for (int other = 0; other < STAGE_READS_MAX; other++) {
        StageArgs args = *what->given;
        bool fits = other != slot && is_number(&args.in[other]) &&
                    cut_to(&args.in[other], &args.in[slot], &args.in[slot]);
        if (fits && relation_stage_makes(what, &args))
            relation_add(what, readings, &relation_other_input, slot, other);
    }
}

static void other_input_read(const RelationCase *what, RelationReadings *readings)
{
    if (!what->given)
        return;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (is_number(&what->given->in[slot]))
            read_exchanged(what, readings, slot);
}

static void say_exchanged(const char *name, const char *other, Language language,
                          char text[RELATION_TEXT_MAX])
{
    static const Words exchanged = WORDS_ROW(INPUT_EXCHANGED); // %2$s comes first
    words_format(text, RELATION_TEXT_MAX, exchanged.in[language], name, other);
}

static void other_input_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    const Slot *reads = reading->call->reads;
    say_exchanged(reads[reading->a].role, reads[reading->b].role, language, text);
}

const Relation relation_other_input = {.read = other_input_read, .say = other_input_say};

// --- inner, inner other and given
//
// In a whole run, all steps are right except one: it reads an input in another way, or another tensor of the run in
// its place (k for q, the gradient of the weights for that of the scores). Or all steps read a tensor that the function
// is given in another way. Or all calls of one stage read their own in another way, as where one function makes q, k
// and v.

typedef struct Inner {
    const Trace *run;
    int step, slot;
    int given;          // step -1: every step that reads this tensor
    const Stage *stage; // step -1: every call of this stage instead; NULL: none
    int tensor;         // what is read there; -1: the own input, changed
    InputChange change;
    Arena arena;
} Inner;

static bool is_replaced(const Inner *inner, const TraceStep *step, int slot)
{
    if (inner->step >= 0)
        return step == &inner->run->steps[inner->step] && slot == inner->slot;
    return inner->stage ? step->stage == inner->stage && slot == inner->slot
                        : step->reads[slot] == inner->given;
}

static bool run_inner(void *context, const TraceStep *step, StageArgs *args, bool *done, Error *err)
{
    Inner *inner = context;
    StageArgs changed = *args;
    *done = false;
    for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++) {
        Tensor *in = &changed.in[slot];
        if (!is_replaced(inner, step, slot))
            continue;
        *done = true;
        if (inner->tensor >= 0)
            *in = inner->run->tensors[inner->tensor].tensor;
        else if (!change_make(&args->in[slot], inner->change, &inner->arena, in, err))
            return false;
    }
    return !*done || step->stage->run(&changed, err);
}

// Adds the reading if such a run makes the wrong numbers.
static void try_inner(const RelationCase *what, RelationReadings *readings, RelationReading reading,
                      int first, Inner *inner, bool is_doubtful)
{
    inner->run = &what->run->trace;
    if (relation_counts(what, &reading) &&
        relation_run_makes(what->run, first, inner->step < 0 ? what->right->step_count - 1 : first,
                           run_inner, inner))
        relation_add_if(what, readings, reading, is_doubtful);
    arena_finish(&inner->arena);
}

// True if the result lacks this axis of an input.
static bool is_summed(const TraceStep *step, int slot, int axis)
{
    const RelationCase input = {.axes = step->call->reads[slot].axes};
    const RelationCase output = {.axes = step->call->writes[step->stage->main_output].axes};
    const char *own = relation_axis_text(&input, axis);
    for (int other = 0; *relation_axis_text(&output, other); other++)
        if (strcspn(own, " ") == strcspn(relation_axis_text(&output, other), " ") &&
            strncmp(own, relation_axis_text(&output, other), strcspn(own, " ")) == 0)
            return false;
    return true;
}

static int input_code(const TraceStep *step, int slot)
{
    return relation_step_code(step) * STAGE_READS_MAX + slot;
}

// Changes the input of one step, or (relation_given) its tensor for all steps, or (relation_calls) that of all calls.
static void try_each_change(const RelationCase *what, RelationReadings *readings,
                            const Relation *relation, int number, int slot, const Tensor *input)
{
    InputChange change;
    const TraceStep *step = &what->right->steps[number];
    for (int i = 0; input->dtype != DTYPE_I64 && change_get(input, i, &change); i++) {
        Inner inner = {.step = relation == &relation_inner ? number : -1,
                       .slot = slot,
                       .given = step->reads[slot],
                       .stage = relation == &relation_calls ? step->stage : NULL,
                       .tensor = -1,
                       .change = change};
        const RelationReading reading = {.relation = relation,
                                         .a = input_code(step, slot),
                                         .b = change_code(change, step->call->reads[slot].axes)};
        bool leaves_out = change_leaves_out(change);
        bool is_unused = change.form == ZEROS && input->dtype == DTYPE_BOOL;
        if (what->beside && change.form != FIRST && !is_unused && !leaves_out)
            continue; // too many runs
        if (!leaves_out || is_summed(step, slot, change.axis))
            try_inner(what, readings, reading, number, &inner, change_is_doubtful(input, change));
    }
}

static void try_changes(const RelationCase *what, RelationReadings *readings, int number, int slot,
                        const Tensor *input)
{
    try_each_change(what, readings, &relation_inner, number, slot, input);
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

// Its tensor, if the step is the first of several that read what the function is given.
static void try_given(const RelationCase *what, RelationReadings *readings, int number, int slot,
                      const Tensor *input)
{
    const Trace *right = what->right;
    int tensor = right->steps[number].reads[slot];
    const TraceTensor *given = &right->tensors[tensor];
    bool is_gradient = strcmp(given->name, "grad.output") == 0;
    bool is_given = given->step < 0 || is_gradient || strcmp(given->name, "x") == 0;
    bool has_several = is_gradient || count_reads(right, tensor, number, right->step_count) > 1;
    if (is_given && has_several && count_reads(right, tensor, 0, number) == 0)
        try_each_change(what, readings, &relation_given, number, slot, input);
}

static int count_calls(const Trace *run, const Stage *stage, int first, int last)
{
    int count = 0;
    for (int i = first; i < last; i++)
        count += run->steps[i].stage == stage;
    return count;
}

static void try_calls(const RelationCase *what, RelationReadings *readings, int number, int slot,
                      const Tensor *input)
{
    const Trace *right = what->right;
    const Stage *stage = right->steps[number].stage;
    if (count_calls(right, stage, 0, number) == 0 &&
        count_calls(right, stage, number + 1, right->step_count) > 0)
        try_each_change(what, readings, &relation_calls, number, slot, input);
}

static void try_tensors(const RelationCase *what, RelationReadings *readings, int number, int slot,
                        const Tensor *input)
{
    for (int i = 0; input->dtype == DTYPE_F32 && i < number; i++) {
        const TraceStep *before = &what->right->steps[i];
        Inner inner = {
            .step = number, .slot = slot, .tensor = before->writes[before->stage->main_output]};
        const RelationReading reading = {.relation = &relation_inner_other,
                                         .a = input_code(&what->right->steps[number], slot),
                                         .b = relation_step_code(before)};
        if (inner.tensor < 0 || reading.b < 0)
            continue;
        const Tensor *made = &what->right->tensors[inner.tensor].tensor;
        if (made->storage.bytes != input->storage.bytes && made->dtype == DTYPE_F32 &&
            tensor_same_shape(made, input))
            try_inner(what, readings, reading, number, &inner, false);
    }
}

// For each input of each step. A view reads nothing in another way, a step without a call of a stage has no name, and
// the gradient of the output is given.
static void read_inner(const RelationCase *what, RelationReadings *readings,
                       void (*read)(const RelationCase *, RelationReadings *, int, int,
                                    const Tensor *))
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        StageArgs args;
        Error ignored;
        const TraceStep *step = &what->right->steps[i];
        if (relation_step_code(step) < 0 || step->call->writes[step->stage->main_output].is_view ||
            strcmp(step->stage->name, "half_square_backward") == 0 ||
            !trace_arguments(what->right, i, &args, &ignored))
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            if (args.in[slot].storage.bytes)
                read(what, readings, i, slot, &args.in[slot]);
    }
}

static void inner_read(const RelationCase *what, RelationReadings *readings)
{
    read_inner(what, readings, try_changes);
}

static void given_read(const RelationCase *what, RelationReadings *readings)
{
    read_inner(what, readings, try_given);
}

static void calls_read(const RelationCase *what, RelationReadings *readings)
{
    read_inner(what, readings, try_calls);
}

static void inner_other_read(const RelationCase *what, RelationReadings *readings)
{
    read_inner(what, readings, try_tensors);
}

static void inner_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char why[RELATION_TEXT_MAX];
    int code = reading->a / STAGE_READS_MAX;
    const char *role = relation_step_call(code)->reads[reading->a % STAGE_READS_MAX].role;
    const char *dot = reading->relation == &relation_calls ? strrchr(role, '.') : NULL;
    const char *name = dot ? dot + 1 : relation_tensor_name(role, language);
    if (reading->relation == &relation_inner_other) {
        int made = relation_step_stage(reading->b)->main_output;
        const char *other = relation_step_call(reading->b)->writes[made].role;
        char of_step[128], step[RELATION_TEXT_MAX];
        other = relation_tensor_name(other, language);
        words_format(of_step, sizeof of_step, TELL_IN(language, INNER_OF_STEP), other,
                     relation_step_name(reading->b, language, step));
        say_exchanged(name, strcmp(name, other) == 0 ? of_step : other, language, why);
    } else {
        bool is_x = strcmp(role, "x_query") == 0; // a whole run makes queries of x too
        change_say(reading->b, is_x ? "x" : name, language, why);
    }
    if (reading->relation == &relation_given)
        snprintf(text, RELATION_TEXT_MAX, "%s", why);
    else if (reading->relation == &relation_calls)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INNER_CALLS),
                     relation_step_stage(code)->name, why);
    else
        relation_say_step(code, why, language, text);
}

const Relation relation_given = {.read = given_read, .say = inner_say};
const Relation relation_calls = {.read = calls_read, .say = inner_say};
const Relation relation_inner = {.read = inner_read, .say = inner_say};
const Relation relation_inner_other = {.read = inner_other_read, .say = inner_say};

// --- earlier
//
// The result of a whole run is that of an earlier step, as far as its columns go.

// True if both have the same rows; the number of columns may differ.
static bool has_rows_of(const Tensor *one, const Tensor *other)
{
    int last = one->rank - 1;
    bool same = one->rank == other->rank && last > 0 && one->dtype == DTYPE_F32 &&
                other->dtype == DTYPE_F32 && one->shape[last] > 1 && other->shape[last] > 1;
    for (int axis = 0; same && axis < last; axis++)
        same = one->shape[axis] == other->shape[axis];
    return same;
}

static bool is_made_of(const RelationCase *what, const Tensor *earlier)
{
    if (!has_rows_of(what->wrong, earlier))
        return false;
    int last = earlier->rank - 1;
    ptrdiff_t width = what->wrong->shape[last] < earlier->shape[last] ? what->wrong->shape[last]
                                                                      : earlier->shape[last];
    Tensor wrong = tensor_narrow(what->wrong, last, 0, width);
    Tensor known = tensor_narrow(what->known, last, 0, width);
    Tensor part = tensor_narrow(earlier, last, 0, width);
    return tensor_difference(&wrong, &part).kind == DIFFERENCE_NONE &&
           tensor_difference(&known, &part).kind != DIFFERENCE_NONE;
}

// reading.a: the step
static void earlier_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        StageArgs args;
        Error err = {.text = ""};
        int code = relation_step_code(step);
        bool has_args = code >= 0 && trace_arguments(what->right, i, &args, &err);
        relation_lacks(what, &err);
        if (has_args && is_made_of(what, &args.out[step->stage->main_output]))
            relation_add(what, readings, &relation_earlier, code, 0);
    }
}

static void earlier_say(const RelationReading *reading, Language language,
                        char text[RELATION_TEXT_MAX])
{
    char name[RELATION_TEXT_MAX];
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, EARLIER),
                 relation_step_name(reading->a, language, name));
}

const Relation relation_earlier = {.read = earlier_read, .say = earlier_say};
