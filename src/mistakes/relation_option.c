// Relation: the whole run is right, of other options: a mask that was not asked for, another divisor.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_option;

enum { CAUSAL, DIVIDED, MULTIPLIED, ALWAYS }; // reading.a; reading.b is the formula

// Whether the run makes these numbers with the scenario's options as they are here.
static bool makes(const RelationCase *what, const Scenario *changed)
{
    Error err = {.text = ""};
    Trace other;
    if (!trace_open(&other, changed, &err)) {
        relation_lacks(what, &err);
        return false;
    }
    int tensor = relation_tensor(what, &other);
    bool made = tensor >= 0 && trace_run(&other, &err) &&
                relation_makes(what, &other.tensors[tensor].tensor);
    relation_lacks(what, &err);
    trace_close(&other);
    return made;
}

static void read_divisor(const RelationCase *what, RelationReadings *readings,
                         RelationReading reading, double divisor)
{
    Scenario changed = *what->right->scenario; // shares its tensors, and is not finished
    changed.options.scale = (float)divisor;
    if (divisor > 0.0 && relation_counts(what, &reading) && makes(what, &changed))
        relation_add(what, readings, reading);
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const double constants[] = {2.0, 4.0, 8.0, 10.0, 16.0, 32.0, 64.0, 100.0};
    const Scenario *right = what->right->scenario;
    if (what->step >= 0)
        return;
    Scenario causal = *right;
    causal.masked = causal.options.causal = true;
    if (!right->options.causal && makes(what, &causal))
        relation_add(what, readings, (RelationReading){&relation_option, CAUSAL, 0, 0.0, NULL});
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, right);
        RelationReading divided = {&relation_option, DIVIDED, i, 0.0, NULL};
        RelationReading multiplied = {&relation_option, MULTIPLIED, i, 0.0, NULL};
        read_divisor(what, readings, divided, value);
        read_divisor(what, readings, multiplied, value > 0.0 ? 1.0 / value : 0.0);
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        RelationReading always = {&relation_option, ALWAYS, 0, constants[i], NULL};
        read_divisor(what, readings, always, constants[i]);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [CAUSAL] = ROW(OPTION_CAUSAL),
        [DIVIDED] = ROW(INPUT_DIVIDED),
        [MULTIPLIED] = ROW(INPUT_MULTIPLIED),
        [ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS),
    };
    const char *by = reading->a == ALWAYS ? relation_number(reading->number, number)
                                          : relation_formula(reading->b);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], by);
}

const Relation relation_option = {.name = "option", .read = read, .say = say};
