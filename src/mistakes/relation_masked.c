// Relation: of the mask: other keys are masked, by a rule of query i and key j.
#include "relation_masked.h"

#include <math.h>
#include "relation_tools.h"
#include "relation_words.h"

extern const Relation relation_masked;

enum {
    PAST,
    PAST_AND_SELF,
    ONLY_NEXT,
    ONLY_LAST,
    FIRST_TOO,
    EVERYTHING,
    WINDOW,
};

bool relation_masked_hides(int rule, ptrdiff_t i, ptrdiff_t j, ptrdiff_t keys)
{
    switch (rule) {
    case PAST:
        return j < i;
    case PAST_AND_SELF:
        return j <= i;
    case ONLY_NEXT:
        return j == i + 1;
    case ONLY_LAST:
        return j == keys - 1 && j > i;
    case FIRST_TOO:
        return j > i || j == 0;
    case EVERYTHING:
        return true;
    default:
        return j > i || i - j > rule - WINDOW;
    }
}

static double masked(const RelationCase *what, const ptrdiff_t at[], const void *rule)
{
    bool hides =
        relation_masked_hides(*(const int *)rule, at[2] + what->given->options->causal_shift, at[3],
                              what->known->shape[3]);
    return hides ? (double)-INFINITY : tensor_number(&what->given->in[0], at);
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "mask") || what->known->rank != 4)
        return;
    for (int rule = 0; rule < RELATION_MASKED_RULES; rule++)
        if (relation_fits(what, masked, &rule))
            relation_add(what, readings, (RelationReading){&relation_masked, rule, 0, 0.0, NULL});
}

void relation_masked_say(int rule, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [PAST] = ROW(MASKED_PAST),           [PAST_AND_SELF] = ROW(MASKED_PAST_AND_SELF),
        [ONLY_NEXT] = ROW(MASKED_ONLY_NEXT), [ONLY_LAST] = ROW(MASKED_ONLY_LAST),
        [FIRST_TOO] = ROW(MASKED_FIRST_TOO), [EVERYTHING] = ROW(MASKED_EVERYTHING),
        [WINDOW] = ROW(MASKED_WINDOW),
    };
    if (rule == WINDOW) // no key before the query is left
        words_format(text, RELATION_TEXT_MAX, "%s", TELL_IN(language, MASKED_ALL_BUT_SELF));
    else
        words_format(text, RELATION_TEXT_MAX, sentences[rule < WINDOW ? rule : WINDOW].in[language],
                     rule - WINDOW);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    relation_masked_say(reading->a, language, text);
}

const Relation relation_masked = {.name = "masked", .read = read, .say = say};
