// Relation: of the step that divides scores: something is added to them, or subtracted, instead.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_input_offset;

// reading.a; reading.b is the formula, or of what comes before the division reading.number
enum { PLUS, MINUS, FIRST };

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
                     (RelationReading){&relation_input_offset, FIRST, 0,
                                       relation_tidy(offset * root), NULL});
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
    read_first(what, readings);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [PLUS] = ROW(INPUT_PLUS), [MINUS] = ROW(INPUT_MINUS), [FIRST] = ROW(INPUT_PLUS_FIRST)};
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 reading->a == FIRST ? relation_number(reading->number, number)
                                     : relation_formula(reading->b));
}

const Relation relation_input_offset = {.name = "input-offset", .read = read, .say = say};
