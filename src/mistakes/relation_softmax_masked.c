// Relation: of the softmax: masked keys take part, with a score or a power of their own in the place of none.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_softmax_masked;

// reading.a: what masked keys have; reading.number: how much. A score may count when the largest one is
// looked for, or not.
enum { SCORE, SCORE_BEHIND_LARGEST, POWER, WAYS };

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
static float power(const Part *part, double score, double largest)
{
    bool is_masked = isinf(score);
    if (is_masked && part->way == POWER)
        return (float)part->number;
    if (part->way == SCORE)
        largest = fmax(largest, part->number);
    return expf((float)(is_masked ? part->number : score) - (float)largest);
}

static double weight(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Tensor *scores = &what->given->in[0];
    ptrdiff_t place[TENSOR_RANK_MAX];
    int last = scores->rank - 1;
    double largest = largest_of(scores, at);
    float sum = 0.0f;
    for (int axis = 0; axis < last; axis++)
        place[axis] = at[axis];
    for (place[last] = 0; place[last] < scores->shape[last]; place[last]++)
        sum += power(context, tensor_number(scores, place), largest);
    return (double)(power(context, tensor_number(scores, at), largest) / sum);
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
                return way == POWER ? masked / other : largest + log(masked / other);
        }
    } while (tensor_next(scores, at));
    return NAN;
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    if (!relation_is_stage(what, "softmax"))
        return;
    for (int way = 0; way < WAYS; way++) {
        double kept = relation_kept_number(what, &relation_softmax_masked, way);
        Part part = {way, isnan(kept) ? relation_tidy(number_of(what, way)) : kept};
        if (isfinite(part.number) && relation_fits(what, weight, &part))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_masked, way, 0, part.number, NULL});
    }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {[SCORE] = ROW(SOFTMAX_MASKED_SCORE),
                                      [SCORE_BEHIND_LARGEST] = ROW(SOFTMAX_MASKED_SCORE),
                                      [POWER] = ROW(SOFTMAX_MASKED_POWER)};
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language],
                 relation_number(reading->number, number));
}

const Relation relation_softmax_masked = {.name = "softmax-masked", .read = read, .say = say};
