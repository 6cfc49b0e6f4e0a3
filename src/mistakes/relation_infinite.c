// Relation: infinities and NaN in a pattern: +inf in place of -inf, or NaN where nothing is masked.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_infinite;

enum { PLUS, NAN_UNMASKED, NAN_MASKED, ALL_NAN, FORMS };

static double in_form(const RelationCase *what, const ptrdiff_t at[], const void *form)
{
    double known = tensor_number(what->known, at);
    bool is_masked = isinf(known) && known < 0.0;
    switch (*(const int *)form) {
    case PLUS:
        return is_masked ? (double)INFINITY : known;
    case NAN_UNMASKED:
        return is_masked ? known : (double)NAN;
    case NAN_MASKED:
        return is_masked ? (double)NAN : known;
    default:
        return (double)NAN;
    }
}

static bool masks(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    do
        if (isinf(tensor_number(what->known, at)))
            return true;
    while (tensor_next(what->known, at));
    return false;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int form = masks(what) ? 0 : ALL_NAN; form < FORMS; form++)
        if (relation_fits(what, in_form, &form))
            relation_add(what, readings, (RelationReading){&relation_infinite, form, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [PLUS] = ROW(INFINITE_PLUS),
        [NAN_UNMASKED] = ROW(INFINITE_NAN_UNMASKED),
        [NAN_MASKED] = ROW(INFINITE_NAN_MASKED),
        [ALL_NAN] = ROW(INFINITE_NAN),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_infinite = {.name = "infinite", .read = read, .say = say};
