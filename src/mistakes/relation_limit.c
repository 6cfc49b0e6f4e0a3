// Relation: the numbers are right within a range, and its ends beyond it: somebody clamped them.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_limit;

enum {
    BOTH,
    ABOVE,
    BELOW,
    WAYS
}; // reading.a; reading.number is the largest, or smallest, that is left

typedef struct Limit {
    int way;
    double number;
} Limit;

static double limited(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Limit *limit = context;
    double known = tensor_number(what->known, at), number = limit->number;
    known = limit->way != BELOW ? fmin(known, number) : known;
    return limit->way == BOTH    ? fmax(known, -number)
           : limit->way == BELOW ? fmax(known, number)
                                 : known;
}

// The number that is farthest out on a side, or on both; NAN where only one stands there, which may be right.
static double end_of(const RelationCase *what, int way)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double most = -INFINITY;
    int count = 0;
    do {
        double wrong = tensor_number(what->wrong, at);
        double out = way == BOTH ? fabs(wrong) : way == ABOVE ? wrong : -wrong;
        bool is_more = out > most;
        count = is_more ? 1 : count + (out == most);
        most = is_more ? out : most;
    } while (tensor_next(what->wrong, at));
    return count > 1 && isfinite(most) ? (way == BELOW ? -most : most) : NAN;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int way = 0; way < WAYS; way++) {
        Limit limit = {way, end_of(what, way)};
        RelationReading reading = {&relation_limit, way, 0, relation_tidy(limit.number), NULL};
        // All numbers at one end are another matter; 0 is told as what became of negative numbers.
        bool is_range = isfinite(limit.number) && limit.number != 0.0;
        if (is_range && relation_counts(what, &reading) && relation_fits(what, limited, &limit))
            relation_add(what, readings, reading);
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [BOTH] = ROW(LIMIT_BOTH), [ABOVE] = ROW(LIMIT_ABOVE), [BELOW] = ROW(LIMIT_BELOW)};
    char number[32];
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_number(reading->number, number));
}

const Relation relation_limit = {.name = "limit", .read = read, .say = say};
