// Relation: of the step that divides scores: the divisor is a formula with a number in it that nobody could
// guess (sqrt(d_k) + 0.1, d_k^0.4), or of two sizes (d_k + H).
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>
#include "relation_words.h"

extern const Relation relation_input_divisor;

// reading.a: those with a number, reading.number, come first; those of a second size, reading.b, behind
enum {
    ROOT_PLUS,
    UNDER_ROOT_PLUS,
    PLUS,
    LOGARITHM_PLUS,
    TIMES,
    LOGARITHM_TIMES,
    POWER,
    WITH_SIZE,
    ROOT_WITH_SIZE,
    ROOT_PLUS_SIZE,
    TIMES_SIZE,
    OVER_SIZE,
    WAYS
};

static double times(const RelationCase *what, const ptrdiff_t at[], const void *factor)
{
    return *(const double *)factor * tensor_number(&what->given->in[0], at);
}

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
    case PLUS:
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

static void read(const RelationCase *what, RelationReadings *readings)
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
    for (int way = WITH_SIZE; way < WAYS; way++)
        for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
            double value = with_size(way, d_k, (double)scenario->size[sizes[i].symbol]);
            if (fabs(divisor - value) <= 2e-6 * value)
                relation_add(what, readings,
                             (RelationReading){&relation_input_divisor, way, i, 0.0, NULL});
        }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const char *const formulas[] = {
        [ROOT_PLUS] = "sqrt(d_k) %s %s",
        [UNDER_ROOT_PLUS] = "sqrt(d_k %s %s)",
        [PLUS] = "d_k %s %s",
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

const Relation relation_input_divisor = {.name = "input-divisor", .read = read, .say = say};
