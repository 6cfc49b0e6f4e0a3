// Relation: of the gradient of the softmax, w * (g - sum of w g): its row's sum is another one, or is added, or a
// factor is. Computed as a plain loop does: what nearly cancels leaves rounding behind.
#include "relation_tools.h"

#include "relation_words.h"

extern const Relation relation_softmax_backward;

enum { // reading.a
    SUM_ADDED,
    SUM_OF_GRADIENTS,
    SUM_OF_WEIGHTS,
    MEAN_OF_PRODUCTS,
    WITHOUT_WEIGHT,
    AS_SIGMOID,
    WEIGHT_SQUARED,
    TIMES_1_LESS_WEIGHT,
    WAYS,
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

static void read(const RelationCase *what, RelationReadings *readings)
{
    for (int way = 0; relation_is_stage(what, "softmax_backward") && way < WAYS; way++)
        if (relation_fits(what, gradient, &way))
            relation_add(what, readings,
                         (RelationReading){&relation_softmax_backward, way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
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

const Relation relation_softmax_backward = {.name = "softmax-backward", .read = read, .say = say};
