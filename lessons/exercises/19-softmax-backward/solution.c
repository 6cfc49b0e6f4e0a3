// Softmax, backward: a weight, times how far its gradient is above the weighted mean of its row.
#include "attnscope.h"

static void row_backward(const Tensor *weights, const Tensor *grad_weights, ptrdiff_t b,
                         ptrdiff_t h, ptrdiff_t i, Tensor *grad_scores)
{
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
        sum += *tensor_at4(weights, b, h, i, j) * *tensor_at4(grad_weights, b, h, i, j);
    for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
        *tensor_at4(grad_scores, b, h, i, j) =
            *tensor_at4(weights, b, h, i, j) * (*tensor_at4(grad_weights, b, h, i, j) - sum);
}

void softmax_backward(const Tensor *weights, const Tensor *grad_weights, Tensor *grad_scores)
{
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                row_backward(weights, grad_weights, b, h, i, grad_scores);
}
