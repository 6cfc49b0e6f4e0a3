// Relation: of the step that divides scores: something is added to them, or subtracted, instead.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_input_offset;

enum { PLUS, MINUS }; // reading.a; reading.b is the formula

static double plus(const RelationCase *what, const ptrdiff_t at[], const void *offset)
{
    return *(const double *)offset + tensor_number(&what->given->in[0], at);
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "scale"))
        return;
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, what->right->scenario), minus = -value;
        if (relation_fits(what, plus, &value))
            relation_add(what, readings,
                         (RelationReading){&relation_input_offset, PLUS, i, 0.0, NULL});
        if (relation_fits(what, plus, &minus))
            relation_add(what, readings,
                         (RelationReading){&relation_input_offset, MINUS, i, 0.0, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {[PLUS] = ROW(INPUT_PLUS), [MINUS] = ROW(INPUT_MINUS)};
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_formula(reading->b));
}

const Relation relation_input_offset = {.name = "input-offset", .read = read, .say = say};
