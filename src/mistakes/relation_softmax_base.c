// Relation: of the softmax: a power of another number than e, or no power at all.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_softmax_base;

enum { POWER, LINEAR, HARD, SHARED, FORMULA, OVER_FORMULA }; // reading.a; reading.b is the formula

typedef struct Row {
    int way;
    double times;
} Row;

static double weight(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Row *row = context;
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
        double weight = tensor_number(what->wrong, at);
        for (other[last] = 0; weight > tiny && other[last] < at[last]; other[last]++) {
            double apart = tensor_number(scores, at) - tensor_number(scores, other);
            double beside = tensor_number(what->wrong, other);
            if (beside > tiny && isfinite(apart) && fabs(apart) > furthest) {
                furthest = fabs(apart);
                times = log(weight / beside) / apart;
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

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    double kept = relation_kept_number(what, &relation_softmax_base, POWER);
    double times = relation_tidy(times_of(what));
    const double candidates[] = {log(2.0), log(10.0), 0.5, 2.0, -1.0, times, kept};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (isfinite(candidates[i]) && relation_fits(what, weight, &(Row){POWER, candidates[i]}))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, POWER, 0, candidates[i], NULL});
    if (isfinite(times) && relation_fits(what, weight, &(Row){POWER, times}))
        read_formulas(what, readings, times);
    for (int way = LINEAR; way <= SHARED; way++)
        if (relation_fits(what, weight, &(Row){way, 0.0}))
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
    bool is_formula = reading->a != POWER, over = is_divided(reading->number);
    bool is_over = is_formula ? reading->a == OVER_FORMULA : over;
    words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_TIMES), is_over ? "1 / " : "",
                 is_formula
                     ? relation_formula(reading->b)
                     : relation_number(over ? 1.0 / reading->number : reading->number, number));
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
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

const Relation relation_softmax_base = {.name = "softmax-base", .read = read, .say = say};
