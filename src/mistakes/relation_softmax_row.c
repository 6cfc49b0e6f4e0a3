// Relation: of the softmax: what is subtracted, added up or taken of a row is another number. Computed as a
// plain loop does, since what overflows and what becomes 0 tells most.
#include "relation_tools.h"

#include <math.h>
#include <string.h>
#include "relation_words.h"

extern const Relation relation_softmax_row;

enum { // reading.a
    LARGEST_FROM_0,
    SMALLEST_TAKEN,
    FIRST_TAKEN,
    LAST_TAKEN,
    LARGEST_ABSOLUTE,
    SUM_WITHOUT_FIRST,
    SUM_WITHOUT_LAST,
    SUM_OF_MASKED_TOO,
    SIGMOIDS,
    LOGARITHMS,
    LOGARITHMS_OF_SUMS, // where a weight is too small for a float its logarithm is none
    WITHOUT_EXP,
    LARGEST_KEPT, // from row to row
    LARGEST_OF_ALL,
    SUM_KEPT,
    SUM_FROM_1,
    NEGATED,
    LARGEST_ADDED,
    POWERS_LESS_1,
    SUM_SO_FAR, // divided while it is still being added up
    SUM_OF_LAST,
    SUM_OF_SQUARES,
    MEAN,
    TWICE,
    WAYS,
};

typedef struct Row {
    float subtracted, sum;
    ptrdiff_t length;
    ptrdiff_t at[TENSOR_RANK_MAX];
} Row;

static float score(const RelationCase *what, Row *row, ptrdiff_t j)
{
    row->at[what->known->rank - 1] = j;
    return (float)tensor_number(&what->given->in[0], row->at);
}

// The largest score of the tensor, or of the rows up to this one.
static float largest(const RelationCase *what, const Row *row, int way)
{
    const Tensor *scores = &what->given->in[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int last = scores->rank - 1;
    float most = -INFINITY;
    do {
        most = fmaxf(most, (float)tensor_number(scores, at));
        bool is_own = memcmp(at, row->at, (size_t)last * sizeof *at) == 0;
        if (way == LARGEST_KEPT && is_own && at[last] == row->length - 1)
            return most;
    } while (tensor_next(scores, at));
    return most;
}

// The number that a way subtracts from the scores of a row.
static float subtracted(const RelationCase *what, Row *row, int way)
{
    if (way == LARGEST_KEPT || way == LARGEST_OF_ALL)
        return largest(what, row, way);
    float most = way == LARGEST_FROM_0 ? 0.0f : -INFINITY, least = INFINITY;
    for (ptrdiff_t j = 0; j < row->length; j++) {
        float own = score(what, row, j);
        most = fmaxf(most, way == LARGEST_ABSOLUTE ? fabsf(own) : own);
        least = fminf(least, own);
    }
    ptrdiff_t taken = way == LAST_TAKEN ? row->length - 1 : 0;
    bool is_taken = way == FIRST_TAKEN || way == LAST_TAKEN;
    return way == SMALLEST_TAKEN ? least : is_taken ? score(what, row, taken) : most;
}

// A row's own number behind exp.
static float power(float score, float subtracted, int way)
{
    switch (way) {
    case WITHOUT_EXP:
        return score - subtracted;
    case NEGATED:
        return expf(subtracted - score);
    case LARGEST_ADDED:
        return expf(score + subtracted);
    case POWERS_LESS_1:
        return expm1f(score - subtracted);
    default:
        return expf(score - subtracted);
    }
}

// What the rows before this one add up to.
static float sum_before(const RelationCase *what, const Row *row)
{
    const Tensor *scores = &what->given->in[0];
    int last = scores->rank - 1;
    Row before = {.length = row->length};
    float sum = 0.0f;
    while (memcmp(before.at, row->at, (size_t)last * sizeof *before.at) != 0) {
        before.subtracted = subtracted(what, &before, SUM_KEPT);
        for (ptrdiff_t j = 0; j < row->length; j++)
            sum += expf(score(what, &before, j) - before.subtracted);
        if (!tensor_next(scores, before.at))
            break;
    }
    return sum;
}

// The softmax of the weights that row.sum makes, for the weight of this score.
static double twice(const RelationCase *what, Row *row, float own)
{
    double sum = 0.0;
    for (ptrdiff_t j = 0; j < row->length; j++)
        sum += exp((double)(expf(score(what, row, j) - row->subtracted) / row->sum));
    return exp((double)(expf(own - row->subtracted) / row->sum)) / sum;
}

static double weight(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    int way = *(const int *)context, last = what->known->rank - 1;
    Row row = {.length = what->known->shape[last]};
    for (int axis = 0; axis <= last; axis++)
        row.at[axis] = at[axis];
    float own = score(what, &row, at[last]);
    if (way == SIGMOIDS)
        return 1.0 / (1.0 + exp(-(double)own));
    row.subtracted = subtracted(what, &row, way);
    row.sum = way == SUM_FROM_1 ? 1.0f
              : way == SUM_KEPT ? sum_before(what, &row)
              : way == MEAN     ? (float)row.length
                                : 0.0f;
    for (ptrdiff_t j = 0; j < row.length && way != MEAN; j++) {
        bool is_left_out = (way == SUM_SO_FAR && j > at[last]) ||
                           (way == SUM_OF_LAST && j != row.length - 1) ||
                           (way == SUM_WITHOUT_FIRST && j == 0) ||
                           (way == SUM_WITHOUT_LAST && j == row.length - 1);
        bool is_masked = way == SUM_OF_MASKED_TOO && isinf(score(what, &row, j));
        float own_power = power(score(what, &row, j), row.subtracted, way);
        row.sum += is_left_out             ? 0.0f
                   : is_masked             ? 1.0f
                   : way == SUM_OF_SQUARES ? own_power * own_power
                                           : own_power;
    }
    if (way == TWICE)
        return twice(what, &row, own);
    if (way == LOGARITHMS_OF_SUMS)
        return (double)(own - row.subtracted - logf(row.sum));
    double result = (double)(power(own, row.subtracted, way) / row.sum);
    return way == LOGARITHMS ? (double)logf((float)result) : result;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    for (int way = 0; way < WAYS; way++)
        if (relation_fits(what, weight, &way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_row, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [LARGEST_FROM_0] = ROW(SOFTMAX_LARGEST_FROM_0),
        [SMALLEST_TAKEN] = ROW(SOFTMAX_SMALLEST_TAKEN),
        [FIRST_TAKEN] = ROW(SOFTMAX_FIRST_TAKEN),
        [LAST_TAKEN] = ROW(SOFTMAX_LAST_TAKEN),
        [LARGEST_ABSOLUTE] = ROW(SOFTMAX_LARGEST_ABSOLUTE),
        [SUM_WITHOUT_FIRST] = ROW(SOFTMAX_SUM_WITHOUT_FIRST),
        [SUM_WITHOUT_LAST] = ROW(SOFTMAX_SUM_WITHOUT_LAST),
        [SUM_OF_MASKED_TOO] = ROW(SOFTMAX_SUM_OF_MASKED),
        [SIGMOIDS] = ROW(SOFTMAX_SIGMOIDS),
        [LOGARITHMS] = ROW(SOFTMAX_LOGARITHMS),
        [LOGARITHMS_OF_SUMS] = ROW(SOFTMAX_LOGARITHMS),
        [WITHOUT_EXP] = ROW(SOFTMAX_WITHOUT_EXP),
        [LARGEST_KEPT] = ROW(SOFTMAX_LARGEST_KEPT),
        [LARGEST_OF_ALL] = ROW(SOFTMAX_LARGEST_OF_ALL),
        [SUM_KEPT] = ROW(SOFTMAX_SUM_KEPT),
        [SUM_FROM_1] = ROW(SOFTMAX_SUM_FROM_1),
        [NEGATED] = ROW(SOFTMAX_NEGATED),
        [LARGEST_ADDED] = ROW(SOFTMAX_LARGEST_ADDED),
        [POWERS_LESS_1] = ROW(SOFTMAX_POWERS_LESS_1),
        [SUM_SO_FAR] = ROW(SOFTMAX_SUM_SO_FAR),
        [SUM_OF_LAST] = ROW(SOFTMAX_SUM_OF_LAST),
        [SUM_OF_SQUARES] = ROW(SOFTMAX_SUM_OF_SQUARES),
        [MEAN] = ROW(SOFTMAX_MEAN),
        [TWICE] = ROW(SOFTMAX_TWICE),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_softmax_row = {.name = "softmax-row", .read = read, .say = say};
