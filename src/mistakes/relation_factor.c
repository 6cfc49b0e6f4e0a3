// Relation: every number is the right one times a factor: a constant, or a formula of sizes.
#include "relation_tools.h"

#include <math.h>
#include <string.h>
#include "relation_words.h"

extern const Relation relation_factor;

enum { CONSTANT, TIMES, OVER }; // reading.a; reading.b is the formula

// The factor of the largest right number: others have fewer digits that count.
static double factor_of(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, factor = NAN;
    do {
        double known = tensor_number(what->known, at);
        if (isfinite(known) && fabs(known) > largest) {
            largest = fabs(known);
            factor = tensor_number(what->wrong, at) / known;
        }
    } while (tensor_next(what->known, at));
    return factor;
}

static double times(const RelationCase *what, const ptrdiff_t at[], const void *factor)
{
    double known = tensor_number(what->known, at), by = *(const double *)factor;
    return isinf(known) && by > 0.0 ? known : by * known;
}

// Whether an input of the step has an axis that this symbol counts.
static bool is_of_step(const RelationCase *what, Symbol symbol)
{
    const StageCall *call = what->step >= 0 ? what->right->steps[what->step].call : NULL;
    for (int slot = 0; call && slot < STAGE_READS_MAX && call->reads[slot].role; slot++) {
        const RelationCase input = {.axes = call->reads[slot].axes ? call->reads[slot].axes : ""};
        for (int axis = 0; axis < TENSOR_RANK_MAX; axis++)
            if (relation_axis(&input, axis) == symbol)
                return true;
    }
    return false;
}

static void read_formula(const RelationCase *what, RelationReadings *readings, double factor, int i)
{
    double value = relation_formula_value(i, what->right->scenario);
    if (value > 0.0 && fabs(factor - value) <= 1e-4 * value)
        relation_add(what, readings, (RelationReading){&relation_factor, TIMES, i, 0.0, NULL});
    if (value > 0.0 && fabs(factor * value - 1.0) <= 1e-4)
        relation_add(what, readings, (RelationReading){&relation_factor, OVER, i, 0.0, NULL});
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    double factor = factor_of(what);
    if (!isfinite(factor) || !relation_fits(what, times, &factor))
        return;
    relation_add(what, readings, (RelationReading){&relation_factor, CONSTANT, 0, factor, NULL});
    // Sizes agree by chance: those of the step's own axes come first.
    for (int own = 1; own >= 0; own--)
        for (int i = 0; relation_formula(i); i++)
            if (is_of_step(what, relation_formula_symbol(i)) == (own == 1))
                read_formula(what, readings, factor, i);
}

// A formula in the words of the step: without heads there is one length, of tokens.
static const char *formula_of(const RelationReading *reading)
{
    const char *formula = relation_formula(reading->b);
    const char *axes = reading->call ? reading->call->reads[0].axes : NULL;
    return axes && !strchr(axes, 'H') && strcmp(formula, "Lq") == 0 ? "L" : formula;
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    const char *formula =
        reading->a == CONSTANT ? relation_number(reading->number, number) : formula_of(reading);
    if (reading->a == CONSTANT && reading->number == 0.0)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, FACTOR_ZERO));
    else
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, FACTOR),
                     reading->a == OVER ? "1 / " : "", formula);
}

const Relation relation_factor = {.name = "factor", .read = read, .say = say};
