// Relation: of a step that divides its input: every number is the input divided by something else.
#include "relation_tools.h"

#include <stdio.h>

extern const Relation relation_input_factor;

enum { DIVIDES, MULTIPLIES }; // reading.a; reading.b is the formula

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
        if (!(value > 0.0) || value == 1.0)
            continue;
        if (relation_fits(what, times, &inverse))
            relation_add(what, readings,
                         (RelationReading){&relation_input_factor, DIVIDES, i, 0.0, NULL});
        if (relation_fits(what, times, &value))
            relation_add(what, readings,
                         (RelationReading){&relation_input_factor, MULTIPLIES, i, 0.0, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const char *const sentences[][LANGUAGES] = {
        [DIVIDES] = {"The scores are divided by %s, not by sqrt(d_k).",
                     "점수를 나눈 수가 sqrt(d_k)가 아니라 %s입니다."},
        [MULTIPLIES] = {"The scores are multiplied by %s, not divided by sqrt(d_k).",
                        "점수를 sqrt(d_k)로 나누지 않고 곱했습니다. 곱한 수는 %s입니다."},
    };
    snprintf(text, RELATION_TEXT_MAX, sentences[reading->a][language],
             relation_formula(reading->b));
}

const Relation relation_input_factor = {.name = "input-factor", .read = read, .say = say};
