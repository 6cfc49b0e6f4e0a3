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
