// softmax_backward, faster: a row at a time.
#include "fast.h"

enum { IN_WEIGHTS, IN_GRAD, IN_SUMS };

static void backward_row(ptrdiff_t count, const float weights[], const float grad_weights[],
                         float sum, float grad_scores[])
{
    for (ptrdiff_t j = 0; j < count; j++)
        grad_scores[j] = weights[j] * (grad_weights[j] - sum);
}

void fast_softmax_backward(const StageArgs *args)
{
    const Tensor *weights = &args->in[IN_WEIGHTS], *grad_weights = &args->in[IN_GRAD];
    Tensor grad_scores = args->out[0];
    if (!fast_has_rows(weights) || !fast_has_rows(grad_weights) || !fast_has_rows(&grad_scores)) {
        fast_by_definition(&stage_softmax_backward, args);
        return;
    }
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                backward_row(weights->shape[3], tensor_at4(weights, b, h, i, 0),
                             tensor_at4(grad_weights, b, h, i, 0),
                             *tensor_at3(&args->in[IN_SUMS], b, h, i),
                             tensor_at4(&grad_scores, b, h, i, 0));
}
