// Online softmax: one pass over the keys, one key at a time; no row of weights is kept.
#include "attnscope.h"

static void online_row(const Tensor *scores, const Tensor *v, ptrdiff_t b, ptrdiff_t h, ptrdiff_t i,
                       Tensor *context)
{
    float max = -INFINITY, sum = 0.0f;
    for (ptrdiff_t d = 0; d < v->shape[3]; d++)
        *tensor_at4(context, b, h, i, d) = 0.0f;
    for (ptrdiff_t j = 0; j < v->shape[2]; j++) {
        float score = *tensor_at4(scores, b, h, i, j), before = max;
        if (score == -INFINITY)
            continue;
        max = fmaxf(max, score);
        float rescale = expf(before - max), weight = expf(score - max);
        sum = sum * rescale + weight;
        for (ptrdiff_t d = 0; d < v->shape[3]; d++)
            *tensor_at4(context, b, h, i, d) =
                *tensor_at4(context, b, h, i, d) * rescale + weight * *tensor_at4(v, b, h, j, d);
    }
    for (ptrdiff_t d = 0; d < v->shape[3]; d++)
        *tensor_at4(context, b, h, i, d) /= sum;
}

void online_softmax(const Tensor *scores, const Tensor *v, Tensor *context)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                online_row(scores, v, b, h, i, context);
}
