// Relation: the whole run is right, of other options: a mask that was not asked for, another divisor.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_option;

// reading.a; reading.b is the formula
enum { CAUSAL, DIVIDED, MULTIPLIED, ALWAYS, TIMES_ROOT, NOT_DIVIDED, POWERS };

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
        RelationReading always = {&relation_option, ALWAYS, 0, constants[i], NULL};
        read_divisor(what, readings, always, constants[i]);
    }
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        RelationReading times = {&relation_option, TIMES_ROOT, 0, factors[i], NULL};
        read_divisor(what, readings, times, factors[i] * scale);
    }
}

static void read(const RelationCase *what, RelationReadings *readings)
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

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [CAUSAL] = ROW(OPTION_CAUSAL),         [DIVIDED] = ROW(INPUT_DIVIDED),
        [MULTIPLIED] = ROW(INPUT_MULTIPLIED),  [ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS),
        [TIMES_ROOT] = ROW(OPTION_TIMES_ROOT), [NOT_DIVIDED] = ROW(OPTION_NOT_DIVIDED),
    };
    if (reading->a == POWERS) {
        const char *powers =
            reading->b == 2 ? TELL_IN(language, OPTION_BASE_2) : TELL_IN(language, OPTION_BASE_10);
        words_format(text, RELATION_TEXT_MAX, "%s", powers);
        return;
    }
    const char *by = reading->a == ALWAYS || reading->a == TIMES_ROOT
                         ? relation_number(reading->number, number)
                         : relation_formula(reading->b);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], by);
}

const Relation relation_option = {.name = "option", .read = read, .say = say};
