// Key-value cache: the new token's query meets the keys of all earlier tokens, and its own.
#include "attnscope.h"

#include <stdlib.h>

// Row j of the cache; the last row is the new token's.
static float at(const Tensor *cache, const Tensor *new, ptrdiff_t b, ptrdiff_t h, ptrdiff_t j,
                ptrdiff_t d)
{
    return j < cache->shape[2] ? *tensor_at4(cache, b, h, j, d) : *tensor_at4(new, b, h, 0, d);
}

static void softmax(float row[], ptrdiff_t length)
{
    float max = -INFINITY, sum = 0.0f;
    for (ptrdiff_t j = 0; j < length; j++)
        max = fmaxf(max, row[j]);
    for (ptrdiff_t j = 0; j < length; j++)
        sum += row[j] = expf(row[j] - max);
    for (ptrdiff_t j = 0; j < length; j++)
        row[j] /= sum;
}

void attend_with_cache(const Tensor *q, const Tensor *k_cache, const Tensor *v_cache,
                       const Tensor *k_new, const Tensor *v_new, Tensor *context)
{
    ptrdiff_t keys = k_cache->shape[2] + 1, d_k = q->shape[3];
    float *weights = malloc((size_t)keys * sizeof(float));
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < q->shape[1]; h++) {
            for (ptrdiff_t j = 0; j < keys; j++) {
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < d_k; d++)
                    sum += *tensor_at4(q, b, h, 0, d) * at(k_cache, k_new, b, h, j, d);
                weights[j] = sum / sqrtf((float)d_k);
            }
            softmax(weights, keys);
            for (ptrdiff_t d = 0; d < context->shape[3]; d++) {
                float sum = 0.0f;
                for (ptrdiff_t j = 0; j < keys; j++)
                    sum += weights[j] * at(v_cache, v_new, b, h, j, d);
                *tensor_at4(context, b, h, 0, d) = sum;
            }
        }
    free(weights);
}
