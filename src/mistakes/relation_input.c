// Relations to the inputs of a step: an input itself, another input, one that is read otherwise.
#include <math.h>
#include <stdio.h>
#include "relation_tools.h"

// --- other input
//
// The step is right, of other inputs: one stands in the place of another, or one part of it (head 0,
// the first key) in the place of all.

enum {
    OTHER_INPUT_FIRST = 1,
    LAST = 2,
    SYMBOLS = 64
}; // reading.b: an input; or SYMBOLS * which + symbol

static bool is_number(const Tensor *tensor)
{
    return tensor->storage.bytes && tensor->dtype == DTYPE_F32;
}

// The first part of `from` that has the shape of `like`; false where `from` is smaller.
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
            relation_add(what, readings,
                         (RelationReading){&relation_other_input, slot, -1 - other, 0.0, NULL});
    }
}

static Symbol axis_of(const RelationCase *what, int slot, int axis)
{
    RelationCase input = *what;
    input.axes = what->right->steps[what->step].call->reads[slot].axes;
    return relation_axis_named(&input, axis);
}

static void read_parts(const RelationCase *what, RelationReadings *readings, int slot)
{
    const Tensor *input = &what->given->in[slot];
    for (int axis = 0; axis < input->rank; axis++)
        for (int which = OTHER_INPUT_FIRST; which <= LAST; which++) {
            Error ignored;
            StageArgs args = *what->given;
            Tensor part = tensor_narrow(input, axis,
                                        which == OTHER_INPUT_FIRST ? 0 : input->shape[axis] - 1, 1);
            if (input->shape[axis] > 1 &&
                tensor_expand(&part, input->rank, input->shape, &args.in[slot], &ignored) &&
                relation_stage_makes(what, &args))
                relation_add(what, readings,
                             (RelationReading){&relation_other_input, slot,
                                               SYMBOLS * which + (int)axis_of(what, slot, axis),
                                               0.0, NULL});
        }
}

static void other_input_read(const RelationCase *what, RelationReadings *readings)
{
    if (!what->given)
        return;
    for (int slot = 0; slot < STAGE_READS_MAX; slot++)
        if (is_number(&what->given->in[slot])) {
            read_exchanged(what, readings, slot);
            read_parts(what, readings, slot);
        }
}

static void other_input_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    const char *name = reading->call->reads[reading->a].role;
    if (reading->b < 0) {
        static const Words exchanged = ROW(INPUT_EXCHANGED); // its two names are counted
        words_format(text, RELATION_TEXT_MAX, exchanged.in[language], name,
                     reading->call->reads[-1 - reading->b].role);
        return;
    }
    const char *word = relation_axis_word((Symbol)(reading->b % SYMBOLS), language);
    if (reading->b % SYMBOLS == RELATION_AXIS_NUMBER && reading->b / SYMBOLS == OTHER_INPUT_FIRST)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_FIRST_NUMBER), name);
    else if (reading->b / SYMBOLS == OTHER_INPUT_FIRST)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_FIRST_ALONE), name, word);
    else
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_LAST_ALONE), name, word);
}

const Relation relation_other_input = {
    .name = "other-input", .read = other_input_read, .say = other_input_say};

// --- changed input
//
// The step is right, of one input that was read otherwise: without signs, from the last head to the
// first, with two indices exchanged, without its strides.

// Of a product either factor may have been read so: both are told.
static void add(const RelationCase *what, RelationReadings *readings, int slot, int code,
                bool is_doubtful)
{
    bool is_told = false;
    for (int i = 0; i < readings->count; i++) {
        RelationReading *before = &readings->all[i];
        if (before->relation == &relation_changed_input && before->a != slot &&
            (before->b == code || before->b == input_change_opposite(code))) {
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
static void read_slot(const RelationCase *what, RelationReadings *readings, int slot)
{
    InputChange change;
    const Tensor *input = &what->given->in[slot];
    const char *axes = what->right->steps[what->step].call->reads[slot].axes;
    for (int i = 0; input_change_get(input, i, &change); i++) {
        if (input_change_leaves_out(change)) // relation_sums tells of it
            continue;
        Arena arena = {0};
        Error err = {.text = ""};
        StageArgs args = *what->given;
        if (input_change_make(input, change, &arena, &args.in[slot], &err) &&
            relation_stage_makes(what, &args))
            add(what, readings, slot, input_change_code(change, axes),
                input_change_is_doubtful(input, change));
        relation_lacks(what, &err);
        arena_finish(&arena);
    }
}

static void changed_input_read(const RelationCase *what, RelationReadings *readings)
{
    // With other lengths it would read what is not there.
    int lengths = relation_is_stage(what, "pad") ? 1 : -1;
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++)
        if (what->given->in[slot].storage.bytes && slot != lengths)
            read_slot(what, readings, slot);
}

static void changed_input_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
{
    const Slot *reads = reading->call->reads;
    const char *name = reads[reading->a].role;
    if (reading->number < 0.0)
        input_change_say(reading->b, name, language, text);
    else
        input_change_say_either(reading->b, name, reads[(int)reading->number].role, language, text);
}

const Relation relation_changed_input = {
    .name = "changed-input", .read = changed_input_read, .say = changed_input_say};

// --- option
//
// The whole run is right, of other options: a mask that was not asked for, another divisor.

// reading.a; reading.b is the formula
enum { CAUSAL, DIVIDED, MULTIPLIED, OPTION_ALWAYS, TIMES_ROOT, NOT_DIVIDED, POWERS, ONE_HEAD };

// One scenario at a time: they are large for a small stack.
static void read_options(const RelationCase *what, RelationReadings *readings,
                         RelationReading reading, const StageOptions *options)
{
    // Any size may be 1, and divides nothing then.
    bool is_size = reading.a == DIVIDED || reading.a == MULTIPLIED;
    bool is_by_1 = is_size && options->scale == 1.0f;
    Trace run;
    Scenario changed = *what->right->scenario; // shares its tensors, and is not finished
    changed.options = *options;
    changed.masked = changed.masked || options->causal;
    if (relation_run_makes(what, &changed, NULL, &run))
        relation_add_if(what, readings, reading, is_by_1);
}

static void read_causal(const RelationCase *what, RelationReadings *readings)
{
    StageOptions options = what->right->scenario->options;
    RelationReading causal = {&relation_option, CAUSAL, 0, 0.0, NULL};
    if (options.causal)
        return;
    options.causal = true;
    read_options(what, readings, causal, &options);
}

static void read_divisor(const RelationCase *what, RelationReadings *readings,
                         RelationReading reading, double divisor)
{
    StageOptions options = what->right->scenario->options;
    options.scale = (float)divisor;
    if (divisor > 0.0 && relation_counts(what, &reading))
        read_options(what, readings, reading, &options);
}

// Divisors that are the same whatever d_k is, and factors of the right one.
static void read_constants(const RelationCase *what, RelationReadings *readings)
{
    static const double constants[] = {2.0, 4.0, 8.0, 10.0, 16.0, 32.0, 64.0, 100.0};
    static const double factors[] = {0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.7,
                                     0.8, 0.9, 1.5,  3.0, 4.0, 5.0, 10.0};
    double scale = (double)what->right->scenario->options.scale;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        RelationReading always = {&relation_option, OPTION_ALWAYS, 0, constants[i], NULL};
        read_divisor(what, readings, always, constants[i]);
    }
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        RelationReading times = {&relation_option, TIMES_ROOT, 0, factors[i], NULL};
        read_divisor(what, readings, times, factors[i] * scale);
    }
}

// One head over the whole width in the place of all.
static void read_one_head(const RelationCase *what, RelationReadings *readings)
{
    Trace run;
    Scenario one = *what->right->scenario; // shares its tensors, and is not finished
    const RelationReading reading = {&relation_option, ONE_HEAD, 0, 0.0, NULL};
    bool has_several = one.has_heads && one.size[SYMBOL_H] > 1;
    one.options.heads = one.size[SYMBOL_H] = 1;
    one.size[SYMBOL_D_K] = one.size[SYMBOL_DK];
    one.size[SYMBOL_D_V] = one.size[SYMBOL_DV];
    one.options.scale = sqrtf((float)one.size[SYMBOL_DK]);
    if (has_several && relation_counts(what, &reading) &&
        relation_run_makes(what, &one, NULL, &run))
        relation_add(what, readings, reading);
}

static void option_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->step >= 0)
        return;
    const Scenario *right = what->right->scenario;
    const RelationReading not_divided = {&relation_option, NOT_DIVIDED, 0, 0.0, NULL};
    read_causal(what, readings);
    char text[RELATION_FORMULA_MAX];
    for (int i = 0; relation_formula(i, text); i++) {
        double value = relation_formula_value(what, text);
        RelationReading divided = {&relation_option, DIVIDED, i, 0.0, NULL};
        RelationReading multiplied = {&relation_option, MULTIPLIED, i, 0.0, NULL};
        read_divisor(what, readings, divided, value);
        read_divisor(what, readings, multiplied, value > 0.0 ? 1.0 / value : 0.0);
    }
    read_divisor(what, readings, not_divided, 1.0);
    // 2^x is exp(x ln 2), so powers of 2 are a softmax of scores that were divided by less.
    for (int base = 2; base <= 10; base += 8) {
        RelationReading powers = {&relation_option, POWERS, base, 0.0, NULL};
        read_divisor(what, readings, powers, (double)right->options.scale / log((double)base));
    }
    read_constants(what, readings);
    read_one_head(what, readings);
}

static void option_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [CAUSAL] = ROW(OPTION_CAUSAL),
        [DIVIDED] = ROW(INPUT_DIVIDED),
        [MULTIPLIED] = ROW(INPUT_MULTIPLIED),
        [OPTION_ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS),
        [TIMES_ROOT] = ROW(OPTION_TIMES_ROOT),
        [NOT_DIVIDED] = ROW(OPTION_NOT_DIVIDED),
        [ONE_HEAD] = ROW(ONE_HEAD),
    };
    if (reading->a == POWERS) {
        const char *powers =
            reading->b == 2 ? TELL_IN(language, OPTION_BASE_2) : TELL_IN(language, OPTION_BASE_10);
        words_format(text, RELATION_TEXT_MAX, "%s", powers);
        return;
    }
    if (reading->a == OPTION_ALWAYS || reading->a == TIMES_ROOT)
        relation_number(reading->number, number);
    else
        relation_formula(reading->b, number);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], number);
}

const Relation relation_option = {.name = "option", .read = option_read, .say = option_say};
