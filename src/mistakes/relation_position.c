// Relation: of the encoding of positions: another base, other pairs, one wave for all columns, or a product
// where a sum belongs.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_position;

enum { // reading.a
    BASE,
    EVERY_COLUMN,
    PAIR_BY_NUMBER,
    WHOLE_PAIR,
    WITHOUT_WIDTH,
    ALL_SINES,
    ALL_COSINES,
    HALVES,
    HALVES_OF_PAIRS, // with the wavelengths of pairs
    HALVES_OF_ODD,   // of which the first wavelengths are one more
    TWICE_THE_EXPONENT,
    ANGLE_MULTIPLIED,
    MULTIPLIED,
    ENCODING_ALONE,
    ENLARGED,
    WAYS,
};

typedef struct Wave {
    int way;
    double base; // reading.number
} Wave;

static double angle(const Wave *wave, double l, ptrdiff_t d, ptrdiff_t width)
{
    ptrdiff_t pair = d - d % 2, half = width / 2;
    double exponent = (double)pair / (double)width;
    if (wave->way == EVERY_COLUMN)
        exponent = (double)d / (double)width;
    else if (wave->way == PAIR_BY_NUMBER)
        exponent = (double)(d / 2) / (double)width;
    else if (wave->way == WHOLE_PAIR)
        exponent = (double)(pair / width);
    else if (wave->way == WITHOUT_WIDTH)
        exponent = (double)pair;
    else if (wave->way == HALVES && half > 0)
        exponent = (double)(2 * (d % half)) / (double)width;
    else if (wave->way == HALVES_OF_ODD)
        exponent = (double)(2 * (d % (width - half))) / (double)width;
    else if (wave->way == TWICE_THE_EXPONENT)
        exponent *= 2.0;
    else if (wave->way == ANGLE_MULTIPLIED)
        exponent = -exponent;
    return l / pow(wave->base, exponent);
}

static double encoding(const Wave *wave, double l, ptrdiff_t d, ptrdiff_t width)
{
    double at = angle(wave, l, d, width);
    bool in_halves = wave->way >= HALVES && wave->way <= HALVES_OF_ODD;
    bool is_sine = in_halves ? d < width / 2 : d % 2 == 0;
    bool as_sine = wave->way == ALL_SINES || (is_sine && wave->way != ALL_COSINES);
    return (double)(float)(as_sine ? sin(at) : cos(at));
}

static double placed(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Wave *wave = context;
    ptrdiff_t width = what->known->shape[2];
    double x = tensor_number(&what->given->in[0], at);
    double wavy = encoding(wave, (double)at[1], at[2], width);
    switch (wave->way) {
    case MULTIPLIED:
        return x * wavy;
    case ENCODING_ALONE:
        return wavy;
    case ENLARGED:
        return x * sqrt((double)width) + wavy;
    default:
        return x + wavy;
    }
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const double bases[] = {10.0, 100.0, 1000.0, 100000.0, 2.718281828459045};
    if (!relation_is_stage(what, "position") || what->known->rank != 3)
        return;
    for (int i = 0; i < 5; i++)
        if (relation_fits(what, placed, &(Wave){BASE, bases[i]}))
            relation_add(what, readings,
                         (RelationReading){&relation_position, BASE, 0, bases[i], NULL});
    for (int way = BASE + 1; way < WAYS; way++)
        if (relation_fits(what, placed, &(Wave){way, 10000.0}))
            relation_add(what, readings, (RelationReading){&relation_position, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [BASE] = ROW(POSITION_BASE),
        [EVERY_COLUMN] = ROW(POSITION_EVERY_COLUMN),
        [PAIR_BY_NUMBER] = ROW(POSITION_PAIR_BY_NUMBER),
        [WHOLE_PAIR] = ROW(POSITION_WHOLE_PAIR),
        [WITHOUT_WIDTH] = ROW(POSITION_WITHOUT_WIDTH),
        [ALL_SINES] = ROW(POSITION_ALL_SINES),
        [ALL_COSINES] = ROW(POSITION_ALL_COSINES),
        [HALVES] = ROW(POSITION_HALVES),
        [HALVES_OF_PAIRS] = ROW(POSITION_HALVES),
        [HALVES_OF_ODD] = ROW(POSITION_HALVES),
        [TWICE_THE_EXPONENT] = ROW(POSITION_TWICE_THE_EXPONENT),
        [ANGLE_MULTIPLIED] = ROW(POSITION_ANGLE_MULTIPLIED),
        [MULTIPLIED] = ROW(POSITION_MULTIPLIED),
        [ENCODING_ALONE] = ROW(POSITION_ALONE),
        [ENLARGED] = ROW(POSITION_ENLARGED),
    };
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], reading->number);
}

const Relation relation_position = {.name = "position", .read = read, .say = say};
