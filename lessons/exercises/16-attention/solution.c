// Attention: the whole layer, from the token vectors to the output.
#include "attnscope.h"

#include <stdlib.h>

// Output o of a linear layer for token l.
static float project(const Tensor *x, const Tensor *weight, ptrdiff_t b, ptrdiff_t l, ptrdiff_t o)
{
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < x->shape[2]; d++)
        sum += *tensor_at3(x, b, l, d) * *tensor_at2(weight, o, d);
    return sum;
}

// Head h has outputs h*d_k ... h*d_k + d_k-1 of both layers.
static float score(const Tensor *x, const Tensor *w_q, const Tensor *w_k, ptrdiff_t b, ptrdiff_t h,
                   ptrdiff_t i, ptrdiff_t j, ptrdiff_t d_k)
{
    float sum = 0.0f;
    for (ptrdiff_t d = h * d_k; d < h * d_k + d_k; d++)
        sum += project(x, w_q, b, i, d) * project(x, w_k, b, j, d);
    return sum;
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

void attention(const Tensor *x, const Tensor *w_q, const Tensor *w_k, const Tensor *w_v,
               const Tensor *w_o, const Tensor *key_padding_mask, ptrdiff_t heads, bool causal,
               Tensor *output)
{
    ptrdiff_t keys = x->shape[1], d_k = w_q->shape[0] / heads, d_v = w_v->shape[0] / heads;
    float *weights = malloc((size_t)keys * sizeof(float));
    float *context = malloc((size_t)(heads * d_v) * sizeof(float));
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t i = 0; i < output->shape[1]; i++) {
            for (ptrdiff_t h = 0; h < heads; h++) {
                for (ptrdiff_t j = 0; j < keys; j++) {
                    bool masked = *tensor_flag2(key_padding_mask, b, j) || (causal && j > i);
                    float s = score(x, w_q, w_k, b, h, i, j, d_k) / sqrtf((float)d_k);
                    weights[j] = masked ? -INFINITY : s;
                }
                softmax(weights, keys);
                for (ptrdiff_t d = 0; d < d_v; d++) {
                    float sum = 0.0f;
                    for (ptrdiff_t j = 0; j < keys; j++)
                        sum += weights[j] * project(x, w_v, b, j, h * d_v + d);
                    context[h * d_v + d] = sum;
                }
            }
            for (ptrdiff_t o = 0; o < output->shape[2]; o++) {
                float sum = 0.0f;
                for (ptrdiff_t c = 0; c < heads * d_v; c++)
                    sum += context[c] * *tensor_at2(w_o, o, c);
                *tensor_at3(output, b, i, o) = sum;
            }
        }
    free(weights);
    free(context);
}
