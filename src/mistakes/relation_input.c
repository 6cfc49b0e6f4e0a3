// Relations to the inputs of a step: an input itself, another input, one that is read otherwise.
#include <math.h>
#include <stdio.h>
#include "relation_tools.h"

// --- input itself
//
// The step's result is one of its inputs, as it was.

static void input_itself_read(const RelationCase *what, RelationReadings *readings)
{
    for (int slot = 0; what->given && slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && relation_makes(what, input))
            relation_add(what, readings,
                         (RelationReading){&relation_input_itself, slot, 0, 0.0, NULL});
    }
}

static void input_itself_say(const RelationReading *reading, Language language,
                             char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_ITSELF),
                 reading->call->reads[reading->a].role);
}

const Relation relation_input_itself = {
    .name = "input-itself", .read = input_itself_read, .say = input_itself_say};

// --- input factor
//
// Of a step that divides its input: every number is the input divided by something else.

enum { DIVIDES, MULTIPLIES, INPUT_FACTOR_ALWAYS }; // reading.a; reading.b is the formula

static double times(const RelationCase *what, const ptrdiff_t at[], const void *factor)
{
    return *(const double *)factor * tensor_number(&what->given->in[0], at);
}

static void input_factor_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "scale"))
        return;
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, what->right->scenario), inverse = 1.0 / value;
        if (!(value >= 0.0)) // 0 is a divisor like others: log(1)
            continue;
        if (relation_fits(what, times, &inverse))
            relation_add(what, readings,
                         (RelationReading){&relation_input_factor, DIVIDES, i, 0.0, NULL});
        if (relation_fits(what, times, &value))
            relation_add(what, readings,
                         (RelationReading){&relation_input_factor, MULTIPLIES, i, 0.0, NULL});
    }
    double always = relation_input_divisor_of(what), over = 1.0 / always;
    if (isfinite(over) && relation_fits(what, times, &over))
        relation_add(
            what, readings,
            (RelationReading){&relation_input_factor, INPUT_FACTOR_ALWAYS, 0, always, NULL});
}

static void input_factor_say(const RelationReading *reading, Language language,
                             char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {[DIVIDES] = ROW(INPUT_DIVIDED),
                                      [MULTIPLIES] = ROW(INPUT_MULTIPLIED),
                                      [INPUT_FACTOR_ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS)};
    const char *by = reading->a == INPUT_FACTOR_ALWAYS ? relation_number(reading->number, number)
                                                       : relation_formula(reading->b);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], by);
}

const Relation relation_input_factor = {
    .name = "input-factor", .read = input_factor_read, .say = input_factor_say};

// --- input offset
//
// Of the step that divides scores: something is added to them, or subtracted, instead.

// reading.a; reading.b is the formula, or of what comes before the division reading.number
enum { INPUT_OFFSET_PLUS, MINUS, INPUT_OFFSET_FIRST };

static double plus(const RelationCase *what, const ptrdiff_t at[], const void *offset)
{
    return *(const double *)offset + tensor_number(&what->given->in[0], at);
}

static double plus_known(const RelationCase *what, const ptrdiff_t at[], const void *offset)
{
    return *(const double *)offset + tensor_number(what->known, at);
}

// What was added to all scores before they were divided by the right number.
static void read_first(const RelationCase *what, RelationReadings *readings)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, count = 0;
    double sum = 0.0, root = sqrt((double)what->right->scenario->size[SYMBOL_D_K]);
    do {
        double apart = tensor_number(what->wrong, at) - tensor_number(what->known, at);
        sum += isfinite(apart) ? apart : 0.0;
        count += isfinite(apart);
    } while (tensor_next(what->known, at));
    double offset = count > 0 ? sum / (double)count : NAN;
    if (isfinite(offset) && relation_fits(what, plus_known, &offset))
        relation_add(what, readings,
                     (RelationReading){&relation_input_offset, INPUT_OFFSET_FIRST, 0,
                                       relation_tidy(offset * root), NULL});
}

static void input_offset_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "scale"))
        return;
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, what->right->scenario), minus = -value;
        if (relation_fits(what, plus, &value))
            relation_add(
                what, readings,
                (RelationReading){&relation_input_offset, INPUT_OFFSET_PLUS, i, 0.0, NULL});
        if (relation_fits(what, plus, &minus))
            relation_add(what, readings,
                         (RelationReading){&relation_input_offset, MINUS, i, 0.0, NULL});
    }
    read_first(what, readings);
}

static void input_offset_say(const RelationReading *reading, Language language,
                             char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {[INPUT_OFFSET_PLUS] = ROW(INPUT_PLUS),
                                      [MINUS] = ROW(INPUT_MINUS),
                                      [INPUT_OFFSET_FIRST] = ROW(INPUT_PLUS_FIRST)};
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 reading->a == INPUT_OFFSET_FIRST ? relation_number(reading->number, number)
                                                  : relation_formula(reading->b));
}

const Relation relation_input_offset = {
    .name = "input-offset", .read = input_offset_read, .say = input_offset_say};

// --- input divisor
//
// Of the step that divides scores: the divisor is a formula with a number in it that nobody could
// guess (sqrt(d_k) + 0.1, d_k^0.4), or of two sizes (d_k + H).

// reading.a: those with a number, reading.number, come first; those of a second size, reading.b, behind
enum {
    ROOT_PLUS,
    UNDER_ROOT_PLUS,
    INPUT_DIVISOR_PLUS,
    LOGARITHM_PLUS,
    TIMES,
    LOGARITHM_TIMES,
    POWER,
    WITH_SIZE,
    ROOT_WITH_SIZE,
    ROOT_PLUS_SIZE,
    TIMES_SIZE,
    OVER_SIZE,
    INPUT_DIVISOR_WAYS
};

// What is left of `all` where `part` of it is known: all that counts beside rounding, in two digits where
// those are what was written.
static double rest(double all, double part)
{
    double left = all - part;
    if (!(fabs(left) > 1e-5 * fabs(all)))
        return NAN;
    double unit = pow(10.0, floor(log10(fabs(left))) - 1.0), two = round(left / unit) * unit;
    return fabs(left - two) < 2e-6 * fabs(all) ? two : left;
}

static double number_of(int way, double divisor, double d_k)
{
    switch (way) {
    case ROOT_PLUS:
        return rest(divisor, sqrt(d_k));
    case UNDER_ROOT_PLUS:
        return rest(divisor * divisor, d_k);
    case INPUT_DIVISOR_PLUS:
        return rest(divisor, d_k);
    case LOGARITHM_PLUS:
        return rest(divisor, log(d_k));
    case TIMES:
        return divisor / d_k;
    case LOGARITHM_TIMES:
        return divisor / log(d_k);
    default:
        return log(divisor) / log(d_k);
    }
}

static double with_size(int way, double d_k, double size)
{
    switch (way) {
    case WITH_SIZE:
        return d_k + size;
    case ROOT_WITH_SIZE:
        return sqrt(d_k + size);
    case ROOT_PLUS_SIZE:
        return sqrt(d_k) + size;
    case TIMES_SIZE:
        return d_k * size;
    default:
        return d_k / size;
    }
}

static const struct {
    Symbol symbol;
    const char *name;
} sizes[] = {{SYMBOL_H, "H"}, {SYMBOL_B, "B"}, {SYMBOL_LK, "Lk"}, {SYMBOL_LQ, "Lq"}};

static void input_divisor_read(const RelationCase *what, RelationReadings *readings)
{
    double divisor, over;
    if (!relation_is_stage(what, "scale") || !isfinite(divisor = relation_input_divisor_of(what)) ||
        !isfinite(over = 1.0 / divisor) || !relation_fits(what, times, &over))
        return;
    const Scenario *scenario = what->right->scenario;
    double d_k = (double)scenario->size[SYMBOL_D_K];
    for (int way = 0; way < WITH_SIZE; way++) {
        double number = number_of(way, divisor, d_k);
        if (isfinite(number))
            relation_add(what, readings,
                         (RelationReading){&relation_input_divisor, way, 0, number, NULL});
    }
    for (int way = WITH_SIZE; way < INPUT_DIVISOR_WAYS; way++)
        for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
            double value = with_size(way, d_k, (double)scenario->size[sizes[i].symbol]);
            if (fabs(divisor - value) <= 2e-6 * value)
                relation_add(what, readings,
                             (RelationReading){&relation_input_divisor, way, i, 0.0, NULL});
        }
}

static void input_divisor_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
{
    static const char *const formulas[] = {
        [ROOT_PLUS] = "sqrt(d_k) %s %s",
        [UNDER_ROOT_PLUS] = "sqrt(d_k %s %s)",
        [INPUT_DIVISOR_PLUS] = "d_k %s %s",
        [LOGARITHM_PLUS] = "log(d_k) %s %s",
        [TIMES] = "d_k %s %s",
        [LOGARITHM_TIMES] = "log(d_k) %s %s",
        [POWER] = "d_k^(%s%s)",
        [WITH_SIZE] = "d_k %s %s",
        [ROOT_WITH_SIZE] = "sqrt(d_k %s %s)",
        [ROOT_PLUS_SIZE] = "sqrt(d_k) %s %s",
        [TIMES_SIZE] = "d_k %s %s",
        [OVER_SIZE] = "d_k %s %s",
    };
    char number[32], formula[80];
    int way = reading->a;
    double size = fabs(reading->number), over = 1.0 / size;
    bool may_divide = way == TIMES || way == LOGARITHM_TIMES;
    bool divides =
        way == OVER_SIZE || (may_divide && size < 1.0 && fabs(over - round(over)) < 1e-3);
    const char *sign = way == POWER                               ? ""
                       : divides                                  ? "/"
                       : may_divide || way == TIMES_SIZE          ? "*"
                       : way < WITH_SIZE && reading->number < 0.0 ? "-"
                                                                  : "+";
    snprintf(number, sizeof number, "%.4g", way == POWER ? reading->number : divides ? over : size);
    snprintf(formula, sizeof formula, formulas[way], sign,
             way >= WITH_SIZE ? sizes[reading->b].name : number);
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_DIVIDED), formula);
}

const Relation relation_input_divisor = {
    .name = "input-divisor", .read = input_divisor_read, .say = input_divisor_say};

// --- scale curve
//
// Of the step that divides scores: the divisor grows with d_k in another way, with a number in it that
// nobody could guess: exp(0.1 * d_k), log2(d_k + 1).

enum {
    EXPONENTIAL,
    LOGARITHM,
    LOGARITHM_OF_2,
    LOGARITHM_OF_10,
    POWER_OF_2,
    SCALE_CURVE_WAYS
}; // reading.a

static double divided(const RelationCase *what, const ptrdiff_t at[], const void *divisor)
{
    return tensor_number(&what->given->in[0], at) / *(const double *)divisor;
}

// The number in the formula, of a divisor that it gives with this d_k.
static double number_in(int way, double divisor, double d_k)
{
    switch (way) {
    case EXPONENTIAL:
        return log(divisor) / d_k;
    case LOGARITHM:
        return exp(divisor) - d_k;
    case LOGARITHM_OF_2:
        return exp2(divisor) - d_k;
    case LOGARITHM_OF_10:
        return pow(10.0, divisor) - d_k;
    default:
        return log2(divisor) / d_k;
    }
}

static void scale_curve_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "scale"))
        return;
    double divisor = relation_input_divisor_of(what),
           d_k = (double)what->right->scenario->size[SYMBOL_D_K];
    if (!(divisor > 0.0) || !relation_fits(what, divided, &divisor))
        return;
    for (int way = 0; way < SCALE_CURVE_WAYS; way++) {
        double number = relation_tidy(number_in(way, divisor, d_k));
        if (isfinite(number) && fabs(number) > 1e-3 && fabs(number) < 1e3)
            relation_add(what, readings,
                         (RelationReading){&relation_scale_curve, way, 0, number, NULL});
    }
}

static void scale_curve_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
{
    static const char *const formulas[] = {"exp(%s * d_k)", "log(d_k %s %s)", "log2(d_k %s %s)",
                                           "log10(d_k %s %s)", "2^(%s * d_k)"};
    bool is_sum = reading->a != EXPONENTIAL && reading->a != POWER_OF_2;
    char formula[96], number[32];
    snprintf(number, sizeof number, "%.4g", is_sum ? fabs(reading->number) : reading->number);
    if (is_sum)
        words_format(formula, sizeof formula, formulas[reading->a],
                     reading->number < 0.0 ? "-" : "+", number);
    else
        words_format(formula, sizeof formula, formulas[reading->a], number);
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, INPUT_DIVIDED), formula);
}

const Relation relation_scale_curve = {
    .name = "scale-curve", .read = scale_curve_read, .say = scale_curve_say};

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
enum { CAUSAL, DIVIDED, MULTIPLIED, OPTION_ALWAYS, TIMES_ROOT, NOT_DIVIDED, POWERS };

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

static void option_read(const RelationCase *what, RelationReadings *readings)
{
    if (what->step >= 0)
        return;
    const Scenario *right = what->right->scenario;
    const RelationReading not_divided = {&relation_option, NOT_DIVIDED, 0, 0.0, NULL};
    read_causal(what, readings);
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, right);
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
}

static void option_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [CAUSAL] = ROW(OPTION_CAUSAL),         [DIVIDED] = ROW(INPUT_DIVIDED),
        [MULTIPLIED] = ROW(INPUT_MULTIPLIED),  [OPTION_ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS),
        [TIMES_ROOT] = ROW(OPTION_TIMES_ROOT), [NOT_DIVIDED] = ROW(OPTION_NOT_DIVIDED),
    };
    if (reading->a == POWERS) {
        const char *powers =
            reading->b == 2 ? TELL_IN(language, OPTION_BASE_2) : TELL_IN(language, OPTION_BASE_10);
        words_format(text, RELATION_TEXT_MAX, "%s", powers);
        return;
    }
    const char *by = reading->a == OPTION_ALWAYS || reading->a == TIMES_ROOT
                         ? relation_number(reading->number, number)
                         : relation_formula(reading->b);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], by);
}

const Relation relation_option = {.name = "option", .read = option_read, .say = option_say};
