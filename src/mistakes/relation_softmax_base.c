// Relation: of the softmax: a power of another number than e, or no power at all.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_softmax_base;

enum { POWER, LINEAR, HARD };

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
    float plain = 0.0f; // as a plain loop adds them: their signs differ, and digits cancel
    for (int axis = 0; axis <= last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++) {
        double score = tensor_number(scores, place);
        most = fmax(most, score);
        plain += (float)score;
        sum += exp(row->times * (score - own));
    }
    if (row->way == HARD)
        return own == most ? 1.0 : 0.0;
    return row->way == LINEAR ? (double)((float)own / plain) : isinf(own) ? 0.0 : 1.0 / sum;
}

// What the differences of a row's scores must be multiplied by, from the two first weights that differ.
static double times_of(const RelationCase *what)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, before[TENSOR_RANK_MAX] = {0};
    const Tensor *scores = &what->given->in[0];
    for (at[scores->rank - 1] = 1; at[scores->rank - 1] < scores->shape[scores->rank - 1];
         at[scores->rank - 1]++) {
        double apart = tensor_number(scores, at) - tensor_number(scores, before);
        double ratio = tensor_number(what->wrong, at) / tensor_number(what->wrong, before);
        if (isfinite(apart) && fabs(apart) > 0.05 && ratio > 0.0 && isfinite(ratio))
            return log(ratio) / apart;
    }
    return NAN;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    double times = times_of(what);
    const double candidates[] = {log(2.0), 0.5, 2.0, times, -1.0};
    for (int i = 0; i < 5; i++)
        if (isfinite(candidates[i]) && relation_fits(what, weight, &(Row){POWER, candidates[i]}))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, POWER, 0, candidates[i], NULL});
    for (int way = LINEAR; way <= HARD; way++)
        if (relation_fits(what, weight, &(Row){way, 0.0}))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_base, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    if (reading->a == LINEAR)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_LINEAR));
    else if (reading->a == HARD)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_HARD));
    else if (fabs(reading->number - log(2.0)) < 1e-4)
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_BASE_2));
    else
        words_format(text, RELATION_TEXT_MAX, TELL_IN(language, SOFTMAX_TIMES),
                     relation_number(reading->number, number));
}

const Relation relation_softmax_base = {.name = "softmax-base", .read = read, .say = say};
