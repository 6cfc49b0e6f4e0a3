// An input, or the result, as somebody reads or writes it by mistake.
#include <math.h>
#include <string.h>
#include "relation_tools.h"
#include "tensor.h"

// --- an input as somebody reads it by mistake

// An input as somebody reads it by mistake: negated, from the last head to the first, with two indices
// exchanged. The step or the run is then right, of such an input.

typedef struct InputChange {
    int form;
    int axis, other; // that it is about; -1: none
} InputChange;

enum {
    NEGATED,
    ABSOLUTE,
    POSITIVE,
    SQUARED,
    CUT,        // to whole numbers
    NORMALISED, // each row by its length
    ONES,
    ZEROS,
    INVERTED,   // of flags
    RAW,        // in the order of memory
    RAW_FROM_0, // of the storage, whatever the offset
    FIRST,      // from here on along an axis
    LAST,
    NEXT,
    BEFORE,
    NEXT_TO_LAST, // which keeps its own
    BEFORE_TO_FIRST,
    REVERSED,
    WITHOUT_FIRST, // 0 there
    WITHOUT_LAST,
    TURNED, // two axes of one length
    FORMS,
    SYMBOLS = 64,
};

static bool applies(const Tensor *input, InputChange change)
{
    bool is_flag = input->dtype == DTYPE_BOOL, is_number = input->dtype == DTYPE_F32;
    switch (change.form) {
    case NEGATED:
    case ABSOLUTE:
    case POSITIVE:
    case SQUARED:
    case CUT:
        return is_number;
    case NORMALISED:
        return is_number && input->rank > 1;
    case ONES:
    case ZEROS:
        return is_number || is_flag;
    case INVERTED:
        return is_flag;
    case RAW:
        return !tensor_is_contiguous(input) &&
               tensor_span(input) - input->offset >= tensor_count(input);
    case RAW_FROM_0:
        return input->offset > 0 && tensor_span(input) >= tensor_count(input);
    case TURNED:
        return input->shape[change.axis] > 1 &&
               input->shape[change.axis] == input->shape[change.other];
    case WITHOUT_FIRST:
    case WITHOUT_LAST:
        return is_number && input->shape[change.axis] > 1;
    default:
        return input->shape[change.axis] > 1;
    }
}

// The change of this number, whether it applies or not: first the forms of no axis, then those of each
// axis, then the pairs of axes. False beyond the last.
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

// The changes that make another tensor of this one, by number; false beyond the last.
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

static double value_of(int form, double x)
{
    switch (form) {
    case NEGATED:
        return -x;
    case ABSOLUTE:
        return fabs(x);
    case POSITIVE:
        return x > 0.0 ? x : 0.0;
    case SQUARED:
        return x * x;
    case CUT:
        return trunc(x);
    case ONES:
        return 1.0;
    case ZEROS:
        return 0.0;
    case INVERTED:
        return 1.0 - x;
    default:
        return x;
    }
}

// Where the number that stands at `at` comes from.
static void move(const Tensor *input, InputChange change, const ptrdiff_t at[], ptrdiff_t from[])
{
    for (int axis = 0; axis < input->rank; axis++)
        from[axis] = at[axis];
    if (change.axis < 0)
        return;
    ptrdiff_t length = input->shape[change.axis], index = at[change.axis];
    switch (change.form) {
    case FIRST:
        from[change.axis] = 0;
        return;
    case LAST:
        from[change.axis] = length - 1;
        return;
    case NEXT:
        from[change.axis] = (index + 1) % length;
        return;
    case BEFORE:
        from[change.axis] = (index + length - 1) % length;
        return;
    case NEXT_TO_LAST:
        from[change.axis] = index + 1 < length ? index + 1 : index;
        return;
    case BEFORE_TO_FIRST:
        from[change.axis] = index > 0 ? index - 1 : 0;
        return;
    case REVERSED:
        from[change.axis] = length - 1 - index;
        return;
    case WITHOUT_FIRST:
    case WITHOUT_LAST:
        return;
    default:
        from[change.axis] = at[change.other];
        from[change.other] = index;
    }
}

// Whether what stands there is left out.
static bool is_without(const Tensor *input, InputChange change, const ptrdiff_t at[])
{
    return (change.form == WITHOUT_FIRST && at[change.axis] == 0) ||
           (change.form == WITHOUT_LAST && at[change.axis] == input->shape[change.axis] - 1);
}

static double length_of_row(const Tensor *input, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = input->rank - 1;
    double squares = 0.0;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < input->shape[last]; place[last]++)
        squares += tensor_number(input, place) * tensor_number(input, place);
    return sqrt(squares);
}

static void put(Tensor *tensor, ptrdiff_t place, double number)
{
    if (tensor->dtype == DTYPE_F32)
        tensor->storage.f32[place] = (float)number;
    else if (tensor->dtype == DTYPE_I64)
        tensor->storage.i64[place] = (int64_t)number;
    else
        tensor->storage.boolean[place] = number != 0.0;
}

// What a change makes, in memory of the arena. False with a sentence where there is no memory.
static bool change_make(const Tensor *input, InputChange change, Arena *arena, Tensor *changed,
                        Error *err)
{
    Tensor from = *input;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, place = 0;
    if (change.form == RAW || change.form == RAW_FROM_0) {
        from = tensor_over(input->storage.bytes, input->dtype, input->rank, input->shape);
        from.offset = change.form == RAW ? input->offset : 0;
    }
    double length = 1.0;
    if (!tensor_take(arena, input->dtype, input->rank, input->shape, changed, err))
        return false;
    do {
        ptrdiff_t source[TENSOR_RANK_MAX];
        move(&from, change, at, source);
        double number = is_without(input, change, at) ? 0.0 : tensor_number(&from, source);
        if (change.form == NORMALISED && at[from.rank - 1] == 0)
            length = length_of_row(&from, at);
        put(changed, place++, value_of(change.form, number / length));
    } while (tensor_next(changed, at));
    return true;
}

// The change as one number, the same in all cases: its form, and what its axes count. `axes` are those of
// the input.
static int change_code(InputChange change, const char *axes)
{
    const RelationCase input = {.axes = axes ? axes : ""};
    int axis = change.axis < 0 ? 0 : (int)relation_axis_named(&input, change.axis);
    int other = change.other < 0 ? 0 : (int)relation_axis_named(&input, change.other);
    return (change.form * SYMBOLS + axis) * SYMBOLS + other;
}

// Whether another change makes the same of this input: of two, the next one is the one before.
static bool change_is_doubtful(const Tensor *input, InputChange change)
{
    return change.form >= NEXT && change.form <= REVERSED && input->shape[change.axis] == 2;
}

// Whether the change leaves a part of the input out, of what is summed up if a loop is too short.
static bool change_leaves_out(InputChange change)
{
    return change.form == WITHOUT_FIRST || change.form == WITHOUT_LAST;
}

// The change that gives a sum of products the same numbers where its other factor is read so; most are their
// own.
static int change_opposite(int code)
{
    int form = code / SYMBOLS / SYMBOLS, axes = code % (SYMBOLS * SYMBOLS);
    form = form == NEXT ? BEFORE : form == BEFORE ? NEXT : form;
    return form * SYMBOLS * SYMBOLS + axes;
}

// One sentence about the change with this code of the input of this name.
static void change_say(int code, const char *input, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[FORMS] = {
        [NEGATED] = ROW(CHANGED_NEGATED),
        [ABSOLUTE] = ROW(CHANGED_ABSOLUTE),
        [POSITIVE] = ROW(CHANGED_POSITIVE),
        [SQUARED] = ROW(CHANGED_SQUARED),
        [CUT] = ROW(CHANGED_CUT),
        [ONES] = ROW(CHANGED_ONES),
        [ZEROS] = ROW(CHANGED_ZEROS),
        [INVERTED] = ROW(CHANGED_INVERTED),
        [RAW] = ROW(CHANGED_RAW),
        [RAW_FROM_0] = ROW(CHANGED_RAW_FROM_0),
        [FIRST] = ROW(INPUT_FIRST_ALONE),
        [LAST] = ROW(INPUT_LAST_ALONE),
        [NEXT] = ROW(CHANGED_NEXT),
        [BEFORE] = ROW(CHANGED_BEFORE),
        [NORMALISED] = ROW(CHANGED_NORMALISED),
        [NEXT_TO_LAST] = ROW(CHANGED_NEXT_TO_LAST),
        [BEFORE_TO_FIRST] = ROW(CHANGED_BEFORE_TO_FIRST),
        [REVERSED] = ROW(CHANGED_REVERSED),
        [WITHOUT_FIRST] = ROW(CHANGED_WITHOUT_FIRST),
        [WITHOUT_LAST] = ROW(CHANGED_WITHOUT_LAST),
        [TURNED] = ROW(CHANGED_TURNED),
    };
    Symbol axis = (Symbol)(code / SYMBOLS % SYMBOLS), other = (Symbol)(code % SYMBOLS);
    int form = code / SYMBOLS / SYMBOLS;
    bool is_number = form == FIRST && (int)axis == RELATION_AXIS_NUMBER;
    const char *sentence =
        is_number ? TELL_IN(language, INPUT_FIRST_NUMBER) : sentences[form].in[language];
    words_format(text, RELATION_TEXT_MAX, sentence, input, relation_axis_word(axis, language),
                 relation_axis_word(other, language));
}

// One sentence about this change of an input or its opposite of another.
static void change_say_either(int code, const char *input, const char *opposite, Language language,
                              char text[RELATION_TEXT_MAX])
{
    static const Words shifted = ROW(CHANGED_SHIFTED);
    char both[128];
    bool is_next = code / SYMBOLS / SYMBOLS == NEXT;
    if (change_opposite(code) == code) {
        words_format(both, sizeof both, TELL_IN(language, EITHER_INPUT), input, opposite);
        change_say(code, both, language, text);
        return;
    }
    words_format(text, RELATION_TEXT_MAX, shifted.in[language], is_next ? opposite : input,
                 is_next ? input : opposite,
                 relation_axis_word((Symbol)(code / SYMBOLS % SYMBOLS), language));
}

// --- changed input
//
// The step is right, of one input that was read otherwise: without signs, from the last head to the
// first, with two indices exchanged, without its strides.

// Of a product either factor may have been read so: both are told.
static void add_either(const RelationCase *what, RelationReadings *readings, int slot, int code,
                       bool is_doubtful)
{
    bool is_told = false;
    for (int i = 0; i < readings->count; i++) {
        RelationReading *before = &readings->all[i];
        if (before->relation == &relation_changed_input && before->a != slot &&
            (before->b == code || before->b == change_opposite(code))) {
            before->number = (double)slot;
            is_told = true;
        }
    }
    if (is_told)
        return;
    relation_add_if(what, readings,
                    (RelationReading){&relation_changed_input, slot, code, -1.0, NULL},
                    is_doubtful);
}

// reading.a: the input's slot; reading.b: the change; reading.number: the other slot that will do; -1
static void read_slot(const RelationCase *what, RelationReadings *readings, int slot, bool is_part)
{
    InputChange change;
    const Tensor *input = &what->given->in[slot];
    const char *axes = what->right->steps[what->step].call->reads[slot].axes;
    for (int i = 0; change_get(input, i, &change); i++) {
        bool takes_part = change.form == FIRST || change.form == LAST;
        if (takes_part != is_part || change_leaves_out(change)) // relation_sums tells of it
            continue;
        Arena arena = {0};
        Error err = {.text = ""};
        StageArgs args = *what->given;
        if (change_make(input, change, &arena, &args.in[slot], &err) &&
            relation_stage_makes(what, &args)) {
            int code = change_code(change, axes);
            if (is_part)
                relation_add(what, readings,
                             (RelationReading){&relation_part, slot, code, -1.0, NULL});
            else
                add_either(what, readings, slot, code, change_is_doubtful(input, change));
        }
        relation_lacks(what, &err);
        arena_finish(&arena);
    }
}

static void read_slots(const RelationCase *what, RelationReadings *readings, bool is_part)
{
    // With other lengths it would read what is not there.
    int lengths = relation_is_stage(what, "pad") ? 1 : -1;
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++)
        if (what->given->in[slot].storage.bytes && slot != lengths)
            read_slot(what, readings, slot, is_part);
}

// One part of an input (head 0, the last key) stands for all. It says more than what comes of it.
static void part_read(const RelationCase *what, RelationReadings *readings)
{
    read_slots(what, readings, true);
}

static void changed_input_read(const RelationCase *what, RelationReadings *readings)
{
    read_slots(what, readings, false);
}

static void changed_input_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
{
    const Slot *reads = reading->call->reads;
    const char *name = reads[reading->a].role;
    if (reading->number < 0.0)
        change_say(reading->b, name, language, text);
    else
        change_say_either(reading->b, name, reads[(int)reading->number].role, language, text);
}

const Relation relation_part = {.name = "part", .read = part_read, .say = changed_input_say};

const Relation relation_changed_input = {
    .name = "changed-input", .read = changed_input_read, .say = changed_input_say};

// --- elsewhere
//
// Right answers in the wrong place along one axis: another head's, row's or sequence's.

// Of two, the next one is the one before: which it is, another case must tell.
static void elsewhere_read(const RelationCase *what, RelationReadings *readings)
{
    InputChange change;
    for (int i = 0; change_get(what->known, i, &change); i++) {
        Arena arena = {0};
        Error err = {.text = ""};
        Tensor moved;
        bool is_move = change.form >= FIRST && change.form <= BEFORE;
        is_move = is_move || change.form == REVERSED;
        if (is_move && change_make(what->known, change, &arena, &moved, &err) &&
            relation_makes(what, &moved))
            relation_add_if(what, readings,
                            (RelationReading){&relation_elsewhere, change.form,
                                              (int)relation_axis_named(what, change.axis), 0.0,
                                              NULL},
                            change_is_doubtful(what->known, change));
        relation_lacks(what, &err);
        arena_finish(&arena);
    }
}

static void elsewhere_say(const RelationReading *reading, Language language,
                          char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [FIRST] = ROW(ELSEWHERE_FIRST),       [LAST] = ROW(ELSEWHERE_LAST),
        [NEXT] = ROW(ELSEWHERE_NEXT),         [BEFORE] = ROW(ELSEWHERE_BEFORE),
        [REVERSED] = ROW(ELSEWHERE_REVERSED),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_axis_word((Symbol)reading->b, language));
}

const Relation relation_elsewhere = {
    .name = "elsewhere", .read = elsewhere_read, .say = elsewhere_say};

// --- inner
//
// Of a whole run: all steps are right but one, which reads one of its inputs otherwise.

// Which step of a run reads which input otherwise.
typedef struct Inner {
    int step, slot;
    InputChange change;
    Arena arena;
} Inner;

static bool run_changed(void *context, const TraceStep *step, StageArgs *args, bool *done,
                        Error *err)
{
    Inner *inner = context;
    *done = false;
    if (inner->step-- != 0)
        return true;
    StageArgs changed = *args;
    if (!change_make(&args->in[inner->slot], inner->change, &inner->arena, &changed.in[inner->slot],
                     err))
        return false;
    *done = true;
    return step->stage->run(&changed, err);
}

static bool run_makes(const RelationCase *what, Inner *inner)
{
    Trace run;
    const TraceVariant variant = {.run = run_changed, .context = inner};
    bool made = relation_run_makes(what, what->right->scenario, &variant, &run);
    arena_finish(&inner->arena);
    return made;
}

// Whether this axis of an input is no axis of the result: then it is summed over.
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

static void inner_read_slot(const RelationCase *what, RelationReadings *readings, int number,
                            int slot)
{
    StageArgs args;
    Error ignored;
    InputChange change;
    const TraceStep *step = &what->right->steps[number];
    if (!trace_arguments(what->right, number, &args, &ignored) || !args.in[slot].storage.bytes ||
        args.in[slot].dtype == DTYPE_I64)
        return;
    for (int i = 0; change_get(&args.in[slot], i, &change); i++) {
        if (change_leaves_out(change) && !is_summed(step, slot, change.axis))
            continue;
        Inner inner = {number, slot, change, {0}};
        int code = change_code(change, step->call->reads[slot].axes);
        const RelationReading reading = {
            &relation_inner, relation_step_code(step) * STAGE_READS_MAX + slot, code, 0.0, NULL};
        if (relation_counts(what, &reading) && run_makes(what, &inner))
            relation_add_if(what, readings, reading, change_is_doubtful(&args.in[slot], change));
    }
}

// A step that writes a view of its input has nothing to read otherwise; one that no stage has a call for
// could not be named.
static void inner_read(const RelationCase *what, RelationReadings *readings)
{
    for (int i = 0; what->step < 0 && i < what->right->step_count; i++) {
        const TraceStep *step = &what->right->steps[i];
        if (relation_step_code(step) < 0 || step->call->writes[step->stage->main_output].is_view)
            continue;
        for (int slot = 0; slot < STAGE_READS_MAX && step->call->reads[slot].role; slot++)
            inner_read_slot(what, readings, i, slot);
    }
}

static void inner_say(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char change[RELATION_TEXT_MAX];
    int code = reading->a / STAGE_READS_MAX;
    const char *role = relation_step_call(code)->reads[reading->a % STAGE_READS_MAX].role;
    bool is_x = strcmp(role, "x_query") == 0; // of a whole run queries are made of x too
    change_say(reading->b, is_x ? "x" : relation_tensor_name(role, language), language, change);
    relation_say_step(code, change, language, text);
}

const Relation relation_inner = {.name = "inner", .read = inner_read, .say = inner_say};
