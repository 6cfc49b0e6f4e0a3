// Relation: every number is a function of the right one: without its sign, rounded, squared.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_function;

enum { // reading.a
    ABSOLUTE,
    POSITIVE,
    NEGATIVE,
    ROUNDED,
    CUT,
    SQUARED,
    INVERSE,
    EXPONENTIAL,
    FUNCTIONS
};

static double value(int function, double x)
{
    switch (function) {
    case ABSOLUTE:
        return fabs(x);
    case POSITIVE:
        return x > 0.0 ? x : 0.0;
    case NEGATIVE:
        return x < 0.0 ? x : 0.0;
    case ROUNDED:
        return round(x);
    case CUT:
        return trunc(x);
    case SQUARED:
        return x * x;
    case EXPONENTIAL:
        return exp(x);
    default:
        return 1.0 / x;
    }
}

static double changed(const RelationCase *what, const ptrdiff_t at[], const void *function)
{
    return value(*(const int *)function, tensor_number(what->known, at));
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int function = 0; function < FUNCTIONS; function++)
        if (relation_fits(what, changed, &function))
            relation_add(what, readings,
                         (RelationReading){&relation_function, function, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [ABSOLUTE] = ROW(FUNCTION_ABSOLUTE), [POSITIVE] = ROW(FUNCTION_POSITIVE),
        [NEGATIVE] = ROW(FUNCTION_NEGATIVE), [ROUNDED] = ROW(FUNCTION_ROUNDED),
        [CUT] = ROW(FUNCTION_CUT),           [SQUARED] = ROW(FUNCTION_SQUARED),
        [INVERSE] = ROW(FUNCTION_INVERSE),   [EXPONENTIAL] = ROW(FUNCTION_EXPONENTIAL),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_function = {.name = "function", .read = read, .say = say};
