// Softmax: each row of scores becomes weights that sum to 1.
#include "attnscope.h"

static void softmax_row(const Tensor *scores, ptrdiff_t b, ptrdiff_t h, ptrdiff_t i,
                        Tensor *weights)
{
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        max = fmaxf(max, *tensor_at4(scores, b, h, i, j));

    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float e = expf(*tensor_at4(scores, b, h, i, j) - max);
        *tensor_at4(weights, b, h, i, j) = e;
        sum += e;
    }
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        *tensor_at4(weights, b, h, i, j) /= sum;
}

void softmax(const Tensor *scores, Tensor *weights)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                softmax_row(scores, b, h, i, weights);
}
