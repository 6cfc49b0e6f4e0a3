// Relations of the softmax, its gradient and dropout.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"

// --- softmax base
//
// Of the softmax: a power of another number than e, or no power at all.

enum {
    SOFTMAX_BASE_POWER,
    LINEAR,
    HARD,
    SHARED,
    FORMULA,
    OVER_FORMULA
}; // reading.a; reading.b is the formula

typedef struct BaseRow {
    int way;
    double times;
} BaseRow;

static double softmax_base_weight(const RelationCase *what, const ptrdiff_t at[],
                                  const void *context)
{
    const BaseRow *row = context;
    const Tensor *scores = &what->given->in[0];
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = scores->rank - 1;
    double sum = 0.0, most = -INFINITY, own = tensor_number(scores, at);
    int largest = 0;    // how many are
    float plain = 0.0f; // as a plain loop adds them: their signs differ, and digits cancel
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++) {
        double score = tensor_number(scores, place);
        largest = score > most ? 1 : largest + (score == most);
        most = fmax(most, score);
        plain += (float)score;
        sum += exp(row->times * (score - own));
    }
    if (row->way == HARD)
        return own == most ? 1.0 : 0.0;
    if (row->way == SHARED)
        return own == most ? 1.0 / (double)largest : 0.0;
    return row->way == LINEAR ? (double)((float)own / plain) : isinf(own) ? 0.0 : 1.0 / sum;
}

// What the differences of a row's scores must be multiplied by: of the two weights of one row whose scores
// lie furthest apart, among those that have digits.
static double times_of(const RelationCase *what)
{
    const double tiny = 1e-30;
    const Tensor *scores = &what->given->in[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, other[TENSOR_RANK_MAX];
    int last = scores->rank - 1;
    double furthest = 0.0, times = NAN;
    do {
        for (int axis = 0; axis <= last; axis++)
            other[axis] = at[axis];
        double softmax_base_weight = tensor_number(what->wrong, at);
        for (other[last] = 0; softmax_base_weight > tiny && other[last] < at[last]; other[last]++) {
            double apart = tensor_number(scores, at) - tensor_number(scores, other);
            double beside = tensor_number(what->wrong, other);
            if (beside > tiny && isfinite(apart) && fabs(apart) > furthest) {
                furthest = fabs(apart);
                times = log(softmax_base_weight / beside) / apart;
            }
        }
    } while (tensor_next(scores, at));
    return times;
}

static void read_formulas(const RelationCase *what, RelationReadings *readings, double times)
{
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, what->right->scenario);
        if (value > 0.0 && fabs(times - value) <= 1e-4 * value)
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, FORMULA, i, 0.0, NULL});
        if (value > 0.0 && fabs(times * value - 1.0) <= 1e-4)
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, OVER_FORMULA, i, 0.0, NULL});
    }
}

static void softmax_base_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    double kept = relation_kept_number(what, &relation_softmax_base, SOFTMAX_BASE_POWER);
    double times = relation_tidy(times_of(what));
    const double candidates[] = {log(2.0), log(10.0), 0.5, 2.0, -1.0, times, kept};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (isfinite(candidates[i]) &&
            relation_fits(what, softmax_base_weight, &(BaseRow){SOFTMAX_BASE_POWER, candidates[i]}))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, SOFTMAX_BASE_POWER, 0,
                                           candidates[i], NULL});
    if (isfinite(times) &&
        relation_fits(what, softmax_base_weight, &(BaseRow){SOFTMAX_BASE_POWER, times}))
        read_formulas(what, readings, times);
    for (int way = LINEAR; way <= SHARED; way++)
        if (relation_fits(what, softmax_base_weight, &(BaseRow){way, 0.0}))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, way, 0, 0.0, NULL});
}

// A temperature divides: 1 / 0.7 says more than 1.429.
static bool is_divided(double number)
{
    double over = 100.0 / number;
    return fabs(over - round(over)) < 1e-3 && fabs(100.0 * number - round(100.0 * number)) > 1e-3;
}

static void say_times(const RelationReading *reading, Language language,
                      char text[RELATION_TEXT_MAX])
{
    char number[32];
    bool is_formula = reading->a != SOFTMAX_BASE_POWER, over = is_divided(reading->number);
    bool is_over = is_formula ? reading->a == OVER_FORMULA : over;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_TIMES), is_over ? "1 / " : "",
                 is_formula
                     ? relation_formula(reading->b)
                     : relation_number(over ? 1.0 / reading->number : reading->number, number));
}

static void softmax_base_say(const RelationReading *reading, Language language,
                             char text[RELATION_TEXT_MAX])
{
    if (reading->a == LINEAR)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_LINEAR));
    else if (reading->a == HARD)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_HARD));
    else if (reading->a == SHARED)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_HARD_SHARED));
    else if (fabs(reading->number - log(2.0)) < 1e-4)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_BASE_2));
    else if (fabs(reading->number - log(10.0)) < 1e-4)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_BASE_10));
    else
        say_times(reading, language, text);
}

const Relation relation_softmax_base = {
    .name = "softmax-base", .read = softmax_base_read, .say = softmax_base_say};

// --- softmax row
//
// Of the softmax: what is subtracted, added up or taken of a row is another number. Computed as a
// plain loop does, since what overflows and what becomes 0 tells most.

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
    SOFTMAX_ROW_WAYS,
};

typedef struct SoftmaxRow {
    float subtracted, sum;
    ptrdiff_t length;
    ptrdiff_t at[TENSOR_RANK_MAX];
} SoftmaxRow;

static float score(const RelationCase *what, SoftmaxRow *row, ptrdiff_t j)
{
    row->at[what->known->rank - 1] = j;
    return (float)tensor_number(&what->given->in[0], row->at);
}

// The largest score of the tensor, or of the rows up to this one.
static float largest(const RelationCase *what, const SoftmaxRow *row, int way)
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
static float subtracted(const RelationCase *what, SoftmaxRow *row, int way)
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
static float softmax_row_power(float score, float subtracted, int way)
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
static float sum_before(const RelationCase *what, const SoftmaxRow *row)
{
    const Tensor *scores = &what->given->in[0];
    int last = scores->rank - 1;
    SoftmaxRow before = {.length = row->length};
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
static double twice(const RelationCase *what, SoftmaxRow *row, float own)
{
    double sum = 0.0;
    for (ptrdiff_t j = 0; j < row->length; j++)
        sum += exp((double)(expf(score(what, row, j) - row->subtracted) / row->sum));
    return exp((double)(expf(own - row->subtracted) / row->sum)) / sum;
}

static double softmax_row_weight(const RelationCase *what, const ptrdiff_t at[],
                                 const void *context)
{
    int way = *(const int *)context, last = what->known->rank - 1;
    SoftmaxRow row = {.length = what->known->shape[last]};
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
        float own_power = softmax_row_power(score(what, &row, j), row.subtracted, way);
        row.sum += is_left_out             ? 0.0f
                   : is_masked             ? 1.0f
                   : way == SUM_OF_SQUARES ? own_power * own_power
                                           : own_power;
    }
    if (way == TWICE)
        return twice(what, &row, own);
    if (way == LOGARITHMS_OF_SUMS)
        return (double)(own - row.subtracted - logf(row.sum));
    double result = (double)(softmax_row_power(own, row.subtracted, way) / row.sum);
    return way == LOGARITHMS ? (double)logf((float)result) : result;
}

static void softmax_row_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    for (int way = 0; way < SOFTMAX_ROW_WAYS; way++)
        if (relation_fits(what, softmax_row_weight, &way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_row, way, 0, 0.0, NULL});
}

static void softmax_row_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
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

const Relation relation_softmax_row = {
    .name = "softmax-row", .read = softmax_row_read, .say = softmax_row_say};

// --- softmax masked
//
// Of the softmax: masked keys take part, with a score or a power of their own in the place of none.

// reading.a: what masked keys have; reading.number: how much. A score may count when the largest one is
// looked for, or not.
enum { SCORE, SCORE_BEHIND_LARGEST, SOFTMAX_MASKED_POWER, SOFTMAX_MASKED_WAYS };

typedef struct Part {
    int way;
    double number;
} Part;

// The largest score of a row that is not masked; -inf where all are.
static double largest_of(const Tensor *scores, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = scores->rank - 1;
    double largest = -INFINITY;
    for (int axis = 0; axis < last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++)
        largest = fmax(largest, tensor_number(scores, place));
    return largest;
}

// Computed as a plain loop does: what overflows tells which of the ways it was.
static float softmax_masked_power(const Part *part, double score, double largest)
{
    bool is_masked = isinf(score);
    if (is_masked && part->way == SOFTMAX_MASKED_POWER)
        return (float)part->number;
    if (part->way == SCORE)
        largest = fmax(largest, part->number);
    return expf((float)(is_masked ? part->number : score) - (float)largest);
}

static double softmax_masked_weight(const RelationCase *what, const ptrdiff_t at[],
                                    const void *context)
{
    const Tensor *scores = &what->given->in[0];
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = scores->rank - 1;
    double largest = largest_of(scores, at);
    float sum = 0.0f;
    for (int axis = 0; axis < last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++)
        sum += softmax_masked_power(context, tensor_number(scores, place), largest);
    return (double)(softmax_masked_power(context, tensor_number(scores, at), largest) / sum);
}

// How much a masked key must have beside the largest score of its row: of the first row where both have a
// weight that can be divided by. NaN: no row has such a pair.
static double number_of(const RelationCase *what, int way)
{
    enum { TINY = 1000000 }; // a weight below 1 / TINY has few digits
    const Tensor *scores = &what->given->in[0];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    int last = scores->rank - 1;
    do {
        ptrdiff_t best[TENSOR_RANK_MAX];
        double masked = tensor_number(what->wrong, at), largest = largest_of(scores, at);
        for (int axis = 0; axis <= last; axis++)
            best[axis] = at[axis];
        for (best[last] = 0; best[last] < scores->shape[last]; best[last]++) {
            double other = tensor_number(what->wrong, best);
            bool is_pair = isinf(tensor_number(scores, at)) &&
                           tensor_number(scores, best) == largest && masked * TINY > 1.0 &&
                           other * TINY > 1.0;
            if (is_pair)
                return way == SOFTMAX_MASKED_POWER ? masked / other : largest + log(masked / other);
        }
    } while (tensor_next(scores, at));
    return NAN;
}

static void softmax_masked_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    for (int way = 0; way < SOFTMAX_MASKED_WAYS; way++) {
        double kept = relation_kept_number(what, &relation_softmax_masked, way);
        Part part = {way, isnan(kept) ? relation_tidy(number_of(what, way)) : kept};
        if (isfinite(part.number) && relation_fits(what, softmax_masked_weight, &part))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_masked, way, 0, part.number, NULL});
    }
}

static void softmax_masked_say(const RelationReading *reading, Language language,
                               char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {[SCORE] = ROW(SOFTMAX_MASKED_SCORE),
                                      [SCORE_BEHIND_LARGEST] = ROW(SOFTMAX_MASKED_SCORE),
                                      [SOFTMAX_MASKED_POWER] = ROW(SOFTMAX_MASKED_POWER)};
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_number(reading->number, number));
}

const Relation relation_softmax_masked = {
    .name = "softmax-masked", .read = softmax_masked_read, .say = softmax_masked_say};

// --- softmax limit
//
// Of the softmax: a small number is added to what divides a row or to its powers, or the powers or the
// scores in them are clamped.

enum { // reading.a: of what is reading.number
    ADDED_TO_SUM,
    ADDED_TO_POWERS,
    POWERS_AT_LEAST,
    POWERS_AT_MOST,
    SCORES_AT_LEAST, // less the largest of their row
    SOFTMAX_LIMIT_WAYS,
};

typedef struct Limit {
    int way;
    double number;
} Limit;

static double softmax_limit_power(const Limit *limit, double score)
{
    double softmax_limit_power =
        exp(limit->way == SCORES_AT_LEAST ? fmax(score, limit->number) : score);
    switch (limit->way) {
    case ADDED_TO_POWERS:
        return softmax_limit_power + limit->number;
    case POWERS_AT_LEAST:
        return fmax(softmax_limit_power, limit->number);
    case POWERS_AT_MOST:
        return fmin(softmax_limit_power, limit->number);
    default:
        return softmax_limit_power;
    }
}

static double softmax_limit_weight(const RelationCase *what, const ptrdiff_t at[],
                                   const void *context)
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
        sum += softmax_limit_power(limit, tensor_number(scores, place) - largest);
    return softmax_limit_power(limit, tensor_number(scores, at) - largest) / sum;
}

// How far all numbers of a way are from the wrong ones: many are right within what rounding may cost, and
// the nearest is what was written.
static double distance(const RelationCase *what, const Limit *limit)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double sum = 0.0;
    do {
        double apart = softmax_limit_weight(what, at, limit) - tensor_number(what->wrong, at);
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
    if (isfinite(nearest.number) && relation_fits(what, softmax_limit_weight, &nearest))
        relation_add(what, readings,
                     (RelationReading){&relation_softmax_limit, way, 0, nearest.number, NULL});
}

static void softmax_limit_read(const RelationCase *what, RelationReadings *readings)
{
    for (int way = 0; relation_is_stage(what, "softmax") && way < SOFTMAX_LIMIT_WAYS; way++)
        read_way(what, readings, way);
}

static void softmax_limit_say(const RelationReading *reading, Language language,
                              char text[RELATION_TEXT_MAX])
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

const Relation relation_softmax_limit = {
    .name = "softmax-limit", .read = softmax_limit_read, .say = softmax_limit_say};

// --- softmax lost
//
// Of the softmax: whole rows are NaN or 0, and all others right. What was subtracted from them was no
// score to be near 0 with: powers overflowed, or all of them became 0, or -inf took part.

enum { WITH_MASKED, WITH_LARGE, SOFTMAX_LOST_WAYS }; // reading.a: the rows that are lost

typedef struct RowFacts {
    bool is_lost, has_masked;
    double largest; // size of a score
} RowFacts;

// A number is lost that is not finite, or 0 where it should be more.
static bool is_number_lost(const RelationCase *what, const ptrdiff_t at[])
{
    double wrong = tensor_number(what->wrong, at), known = tensor_number(what->known, at);
    return isfinite(known) && (!isfinite(wrong) || (wrong == 0.0 && known > 1e-3));
}

static RowFacts facts_of(const RelationCase *what, const ptrdiff_t at[])
{
    RowFacts facts = {.largest = 0.0};
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = what->known->rank - 1;
    for (int axis = 0; axis < last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++) {
        double score = tensor_number(&what->given->in[0], place);
        facts.is_lost = facts.is_lost || is_number_lost(what, place);
        facts.has_masked = facts.has_masked || isinf(score);
        facts.largest = isinf(score) ? facts.largest : fmax(facts.largest, fabs(score));
    }
    return facts;
}

static double or_lost(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    (void)context;
    return tensor_number(facts_of(what, at).is_lost ? what->wrong : what->known, at);
}

// exp overflows above 88, so smaller scores that are lost were lost otherwise.
static bool holds(const RelationCase *what, int way)
{
    const double exp_max = 88.0;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    bool all = true, is_any = false;
    do {
        RowFacts facts = facts_of(what, at);
        is_any = is_any || facts.is_lost;
        bool is_large = facts.largest > exp_max / 2.0;
        bool may_be = is_large || (way == WITH_MASKED && facts.has_masked);
        bool must_be = way == WITH_MASKED && facts.has_masked;
        all = all && (!facts.is_lost || may_be) && (facts.is_lost || !must_be);
    } while (tensor_next(what->known, at));
    return all && is_any;
}

static void softmax_lost_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax") || !relation_fits(what, or_lost, NULL))
        return;
    for (int way = 0; way < SOFTMAX_LOST_WAYS; way++)
        if (holds(what, way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_lost, way, 0, 0.0, NULL});
}

static void softmax_lost_say(const RelationReading *reading, Language language,
                             char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [WITH_MASKED] = ROW(SOFTMAX_LOST_WITH_MASKED), [WITH_LARGE] = ROW(SOFTMAX_LOST_WITH_LARGE)};
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_softmax_lost = {
    .name = "softmax-lost", .read = softmax_lost_read, .say = softmax_lost_say};

// --- softmax backward
//
// Of the gradient of the softmax, w * (g - sum of w g): its row's sum is another one, or is added, or
// a factor is. Computed as a plain loop does: what nearly cancels leaves rounding behind.

enum { // reading.a
    SUM_ADDED,
    SUM_OF_GRADIENTS,
    SUM_OF_WEIGHTS,
    MEAN_OF_PRODUCTS,
    WITHOUT_WEIGHT,
    AS_SIGMOID,
    WEIGHT_SQUARED,
    TIMES_1_LESS_WEIGHT,
    SOFTMAX_BACKWARD_WAYS,
};

// What is subtracted from a row's gradients.
static float sum_of(const RelationCase *what, int way, const ptrdiff_t at[])
{
    const Tensor *weights = &what->given->in[0], *gradients = &what->given->in[1];
    int last = weights->rank - 1;
    ptrdiff_t place[TENSOR_RANK_MAX];
    float sum = 0.0f;
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < weights->shape[last]; place[last]++) {
        float w = (float)tensor_number(weights, place), g = (float)tensor_number(gradients, place);
        sum += way == SUM_OF_GRADIENTS ? g : way == SUM_OF_WEIGHTS ? w : w * g;
    }
    return way == MEAN_OF_PRODUCTS ? sum / (float)weights->shape[last] : sum;
}

static double gradient(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    int way = *(const int *)context;
    float w = (float)tensor_number(&what->given->in[0], at);
    float g = (float)tensor_number(&what->given->in[1], at);
    float sum = sum_of(what, way, at);
    switch (way) {
    case SUM_ADDED:
        return (double)(w * (g + sum));
    case WITHOUT_WEIGHT:
        return (double)(g - sum);
    case AS_SIGMOID:
        return (double)(w * (1.0f - w) * g);
    case WEIGHT_SQUARED:
        return (double)(w * w * (g - sum));
    case TIMES_1_LESS_WEIGHT:
        return (double)((1.0f - w) * (g - sum));
    default:
        return (double)(w * (g - sum));
    }
}

static void softmax_backward_read(const RelationCase *what, RelationReadings *readings)
{
    for (int way = 0; relation_is_stage(what, "softmax_backward") && way < SOFTMAX_BACKWARD_WAYS;
         way++)
        if (relation_fits(what, gradient, &way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_backward, way, 0, 0.0, NULL});
}

static void softmax_backward_say(const RelationReading *reading, Language language,
                                 char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [SUM_ADDED] = ROW(SOFTMAX_BACK_SUM_ADDED),
        [SUM_OF_GRADIENTS] = ROW(SOFTMAX_BACK_SUM_OF_GRADIENTS),
        [SUM_OF_WEIGHTS] = ROW(SOFTMAX_BACK_SUM_OF_WEIGHTS),
        [MEAN_OF_PRODUCTS] = ROW(SOFTMAX_BACK_MEAN),
        [WITHOUT_WEIGHT] = ROW(SOFTMAX_BACK_WITHOUT_WEIGHT),
        [AS_SIGMOID] = ROW(SOFTMAX_BACK_AS_SIGMOID),
        [WEIGHT_SQUARED] = ROW(SOFTMAX_BACK_WEIGHT_SQUARED),
        [TIMES_1_LESS_WEIGHT] = ROW(SOFTMAX_BACK_1_LESS_WEIGHT),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_softmax_backward = {
    .name = "softmax-backward", .read = softmax_backward_read, .say = softmax_backward_say};

// --- dropout
//
// Of dropout: what is kept is enlarged otherwise, or what is to be dropped is treated as the rest.

enum {
    INVERTED,
    NOTHING_DROPPED,
    ENLARGED_BY_P,
    MADE_SMALLER,
    DROPPED_AS_IT_WAS,
    DROPPED_IS_P,
    DROPPED_ENLARGED,
    ENLARGED_BY_ROOT,
    ENLARGED_TWICE,
    DIVIDED_BY_MORE,
    ROWS_SUM_TO_1,
    ENLARGED_ALWAYS,
    DROPOUT_WAYS
}; // reading.a; reading.number: of ENLARGED_ALWAYS, by how much

typedef struct Dropping {
    int way;
    double by;
} Dropping;

// The sum of what is kept of a row.
static double row_kept(const RelationCase *what, const ptrdiff_t at[])
{
    ptrdiff_t place[TENSOR_RANK_MAX];
    double sum = 0.0;
    int last = what->known->rank - 1;
    memcpy(place, at, sizeof place);
    for (place[last] = 0; place[last] < what->known->shape[last]; place[last]++)
        if (tensor_number(what->known, place) != 0.0)
            sum += tensor_number(&what->given->in[0], place);
    return sum;
}

// By how much the largest weight that was kept has been multiplied.
static double enlarged_by(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, by = NAN;
    do {
        double weight = tensor_number(&what->given->in[0], at);
        if (tensor_number(what->known, at) != 0.0 && weight > largest) {
            largest = weight;
            by = tensor_number(what->wrong, at) / weight;
        }
    } while (tensor_next(what->known, at));
    return relation_tidy(by);
}

static double dropped(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Dropping *dropping = context;
    bool is_kept = tensor_number(what->known, at) != 0.0;
    double weight = tensor_number(&what->given->in[0], at), p = what->given->options->dropout_p;
    switch (dropping->way) {
    case INVERTED:
        return is_kept ? 0.0 : weight / (1.0 - p);
    case NOTHING_DROPPED:
        return weight / (1.0 - p);
    case ENLARGED_BY_P:
        return is_kept ? weight / p : 0.0;
    case MADE_SMALLER:
        return is_kept ? weight * (1.0 - p) : 0.0;
    case DROPPED_ENLARGED:
        return is_kept ? weight : weight / (1.0 - p);
    case ENLARGED_BY_ROOT:
        return is_kept ? weight / sqrt(1.0 - p) : 0.0;
    case ENLARGED_TWICE:
        return is_kept ? weight / (1.0 - p) / (1.0 - p) : 0.0;
    case DIVIDED_BY_MORE:
        return is_kept ? weight / (1.0 + p) : 0.0;
    case ROWS_SUM_TO_1:
        return is_kept ? weight / row_kept(what, at) : 0.0;
    case ENLARGED_ALWAYS:
        return is_kept ? weight * dropping->by : 0.0;
    case DROPPED_IS_P:
        return is_kept ? weight / (1.0 - p) : weight * p;
    default:
        return is_kept ? weight / (1.0 - p) : weight;
    }
}

// Where nothing is dropped (p = 0) most ways have the right numbers.
static void dropout_read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "dropout"))
        return;
    // A number by itself divided by its sum is 1, whatever else was done to it.
    bool are_rows_long = what->known->shape[what->known->rank - 1] > 1;
    for (int way = 0; way < DROPOUT_WAYS; way++) {
        Dropping dropping = {way, way == ENLARGED_ALWAYS ? enlarged_by(what) : 0.0};
        if (relation_fits(what, dropped, &dropping))
            relation_add_if(what, readings,
                            (RelationReading){&relation_dropout, way, 0, dropping.by, NULL},
                            way == ROWS_SUM_TO_1 && !are_rows_long);
    }
}

static void dropout_say(const RelationReading *reading, Language language,
                        char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [INVERTED] = ROW(DROPOUT_INVERTED),
        [NOTHING_DROPPED] = ROW(DROPOUT_NOTHING_DROPPED),
        [ENLARGED_BY_P] = ROW(DROPOUT_ENLARGED_BY_P),
        [MADE_SMALLER] = ROW(DROPOUT_MADE_SMALLER),
        [DROPPED_AS_IT_WAS] = ROW(DROPOUT_DROPPED_AS_IT_WAS),
        [DROPPED_IS_P] = ROW(DROPOUT_DROPPED_IS_P),
        [DROPPED_ENLARGED] = ROW(DROPOUT_DROPPED_ENLARGED),
        [ENLARGED_BY_ROOT] = ROW(DROPOUT_ENLARGED_BY_ROOT),
        [ENLARGED_TWICE] = ROW(DROPOUT_ENLARGED_TWICE),
        [DIVIDED_BY_MORE] = ROW(DROPOUT_DIVIDED_BY_MORE),
        [ROWS_SUM_TO_1] = ROW(DROPOUT_ROWS_SUM_TO_1),
        [ENLARGED_ALWAYS] = ROW(DROPOUT_ENLARGED_ALWAYS),
    };
    char number[32];
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_number(reading->number, number));
}

const Relation relation_dropout = {.name = "dropout", .read = dropout_read, .say = dropout_say};
