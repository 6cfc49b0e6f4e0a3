// Relation: of a step that divides its input: every number is the input divided by something else.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_input_factor;

enum { DIVIDES, MULTIPLIES, ALWAYS }; // reading.a; reading.b is the formula

static double times(const RelationCase *what, const ptrdiff_t at[], const void *factor)
{
    return *(const double *)factor * tensor_number(&what->given->in[0], at);
}

static void read(const RelationCase *what, RelationReadings *readings)
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
        relation_add(what, readings,
                     (RelationReading){&relation_input_factor, ALWAYS, 0, always, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {[DIVIDES] = ROW(INPUT_DIVIDED),
                                      [MULTIPLIES] = ROW(INPUT_MULTIPLIED),
                                      [ALWAYS] = ROW(INPUT_DIVIDED_ALWAYS)};
    const char *by = reading->a == ALWAYS ? relation_number(reading->number, number)
                                          : relation_formula(reading->b);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], by);
}

const Relation relation_input_factor = {.name = "input-factor", .read = read, .say = say};
