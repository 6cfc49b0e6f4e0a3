// Relation: of the step that divides scores: the divisor grows with d_k in another way, with a number in it that
// nobody could guess: exp(0.1 * d_k), log2(d_k + 1).
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>
#include "relation_words.h"

extern const Relation relation_scale_curve;

enum { EXPONENTIAL, LOGARITHM, LOGARITHM_OF_2, LOGARITHM_OF_10, POWER_OF_2, WAYS }; // reading.a

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

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "scale"))
        return;
    double divisor = relation_input_divisor_of(what),
           d_k = (double)what->right->scenario->size[SYMBOL_D_K];
    if (!(divisor > 0.0) || !relation_fits(what, divided, &divisor))
        return;
    for (int way = 0; way < WAYS; way++) {
        double number = relation_tidy(number_in(way, divisor, d_k));
        if (isfinite(number) && fabs(number) > 1e-3 && fabs(number) < 1e3)
            relation_add(what, readings,
                         (RelationReading){&relation_scale_curve, way, 0, number, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
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

const Relation relation_scale_curve = {.name = "scale-curve", .read = read, .say = say};
