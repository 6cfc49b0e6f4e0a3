// Relation: infinities and NaN in a pattern: +inf in place of -inf, or NaN where nothing is masked.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>

extern const Relation relation_infinite;

enum { PLUS, NAN_UNMASKED, NAN_MASKED, FORMS };

static double in_form(const RelationCase *what, const ptrdiff_t at[], const void *form)
{
    double known = tensor_number(what->known, at);
    bool is_masked = isinf(known) && known < 0.0;
    switch (*(const int *)form) {
    case PLUS:
        return is_masked ? (double)INFINITY : known;
    case NAN_UNMASKED:
        return is_masked ? known : (double)NAN;
    default:
        return is_masked ? (double)NAN : known;
    }
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int form = 0; form < FORMS; form++)
        if (relation_fits(what, in_form, &form))
            relation_add(what, readings, (RelationReading){&relation_infinite, form, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const char *const sentences[][LANGUAGES] = {
        [PLUS] = {"Where -inf belongs yours is +inf: a masked score must lose, not win.",
                  "-inf가 있어야 할 곳이 모두 +inf입니다. 가린 점수는 가장 작아야 합니다."},
        [NAN_UNMASKED] = {"Yours is NaN exactly where nothing is masked: 0 * INFINITY is NaN.",
                          "가리지 않은 곳이 모두 NaN입니다. 0 * INFINITY는 NaN입니다."},
        [NAN_MASKED] = {"Yours is NaN exactly where -inf belongs.",
                        "-inf가 있어야 할 곳이 모두 NaN입니다."},
    };
    snprintf(text, RELATION_TEXT_MAX, "%s", sentences[reading->a][language]);
}

const Relation relation_infinite = {.name = "infinite", .read = read, .say = say};
