// Relation: of a mask: one number stands wherever -inf belongs, or wherever nothing is masked.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_fill;

typedef struct Fill {
    bool masked; // reading.a: what is filled
    double number;
} Fill;

static double filled(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Fill *fill = context;
    double known = tensor_number(what->known, at);
    return (isinf(known) && known < 0.0) == fill->masked ? fill->number : known;
}

// The first number of ours that stands in such a place; NaN: there is no such place.
static double number_in(const RelationCase *what, bool masked)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        double known = tensor_number(what->known, at);
        if ((isinf(known) && known < 0.0) == masked)
            return tensor_number(what->wrong, at);
    } while (tensor_next(what->known, at));
    return NAN;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (isnan(number_in(what, true)))
        return; // nothing is masked here, or with NaN
    for (int masked = 0; masked < 2; masked++) {
        Fill fill = {masked, number_in(what, masked)};
        if (isfinite(fill.number) && relation_fits(what, filled, &fill))
            relation_add(what, readings,
                         (RelationReading){&relation_fill, masked, 0, fill.number, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {ROW(FILL_UNMASKED), ROW(FILL_MASKED)};
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_number(reading->number, number));
}

const Relation relation_fill = {.name = "fill", .read = read, .say = say};
