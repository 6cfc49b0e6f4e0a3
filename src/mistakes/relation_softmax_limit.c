// Relation: of the softmax: a small number is added to what divides a row or to its powers, or the powers or the
// scores in them are clamped.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>
#include "relation_words.h"

extern const Relation relation_softmax_limit;

enum { // reading.a: of what is reading.number
    ADDED_TO_SUM,
    ADDED_TO_POWERS,
    POWERS_AT_LEAST,
    POWERS_AT_MOST,
    SCORES_AT_LEAST, // less the largest of their row
    WAYS,
};

typedef struct Limit {
    int way;
    double number;
} Limit;

static double power(const Limit *limit, double score)
{
    double power = exp(limit->way == SCORES_AT_LEAST ? fmax(score, limit->number) : score);
    switch (limit->way) {
    case ADDED_TO_POWERS:
        return power + limit->number;
    case POWERS_AT_LEAST:
        return fmax(power, limit->number);
    case POWERS_AT_MOST:
        return fmin(power, limit->number);
    default:
        return power;
    }
}

static double weight(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Limit *limit = context;
    const Tensor *scores = &what->given->in[0];
    int last = scores->rank - 1;
    ptrdiff_t place[TENSOR_RANK_MAX];
    double largest = -INFINITY, sum = limit->way == ADDED_TO_SUM ? limit->number : 0.0;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++)
        largest = fmax(largest, tensor_number(scores, place));
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++)
        sum += power(limit, tensor_number(scores, place) - largest);
    return power(limit, tensor_number(scores, at) - largest) / sum;
}

// How far all numbers of a way are from the wrong ones: many are right within what rounding may cost, and
// the nearest is what was written.
static double distance(const RelationCase *what, const Limit *limit)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double sum = 0.0;
    do {
        double apart = weight(what, at, limit) - tensor_number(what->wrong, at);
        sum += apart * apart;
    } while (tensor_next(what->wrong, at));
    return isnan(sum) ? INFINITY : sum;
}

// Numbers that people write; of scores they are negative.
static const double sizes[] = {0.5,  0.2,  0.1,  0.05, 0.01, 5e-3, 2e-3,
                               1e-3, 5e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
static const double scores_from[] = {-0.5, -1.0,  -2.0,  -3.0,  -4.0,  -5.0, -6.0,
                                     -8.0, -10.0, -15.0, -20.0, -30.0, -50.0};

static void read_way(const RelationCase *what, RelationReadings *readings, int way)
{
    const double *all = way == SCORES_AT_LEAST ? scores_from : sizes;
    size_t count = way == SCORES_AT_LEAST ? sizeof scores_from / sizeof *scores_from
                                          : sizeof sizes / sizeof *sizes;
    Limit nearest = {way, NAN};
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        Limit limit = {way, all[i]};
        double now = distance(what, &limit);
        nearest.number = now < least ? all[i] : nearest.number;
        least = fmin(least, now);
    }
    if (isfinite(nearest.number) && relation_fits(what, weight, &nearest))
        relation_add(what, readings,
                     (RelationReading){&relation_softmax_limit, way, 0, nearest.number, NULL});
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int way = 0; relation_is_stage(what, "softmax") && way < WAYS; way++)
        read_way(what, readings, way);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [ADDED_TO_SUM] = ROW(SOFTMAX_ADDED_TO_SUM),
        [ADDED_TO_POWERS] = ROW(SOFTMAX_ADDED_TO_POWERS),
        [POWERS_AT_LEAST] = ROW(SOFTMAX_POWERS_AT_LEAST),
        [POWERS_AT_MOST] = ROW(SOFTMAX_POWERS_AT_MOST),
        [SCORES_AT_LEAST] = ROW(SOFTMAX_SCORES_AT_LEAST),
    };
    char number[32];
    snprintf(number, sizeof number, "%.4g", reading->number);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], number);
}

const Relation relation_softmax_limit = {.name = "softmax-limit", .read = read, .say = say};
