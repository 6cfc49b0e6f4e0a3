// Relation: every number is the right one plus a constant.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_offset;

static double offset_of(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do {
        double known = tensor_number(what->known, at);
        if (isfinite(known))
            return tensor_number(what->wrong, at) - known;
    } while (tensor_next(what->known, at));
    return NAN;
}

static double plus(const RelationCase *what, const ptrdiff_t at[], const void *offset)
{
    return *(const double *)offset + tensor_number(what->known, at);
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    double offset = offset_of(what);
    if (isfinite(offset) && relation_fits(what, plus, &offset))
        relation_add(what, readings, (RelationReading){&relation_offset, 0, 0, offset, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, OFFSET),
                 relation_number(reading->number, number));
}

const Relation relation_offset = {.name = "offset", .read = read, .say = say};
