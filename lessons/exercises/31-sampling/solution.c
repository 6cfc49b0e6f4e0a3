// Sampling: temperature, top k, and a race in which each word's probability is its speed.
#include "attnscope.h"

// Counts the words of sequence b that have a larger logit than w.
static ptrdiff_t above(const Tensor *logits, ptrdiff_t b, ptrdiff_t w)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t u = 0; u < logits->shape[1]; u++)
        count += *tensor_at2(logits, b, u) > *tensor_at2(logits, b, w);
    return count;
}

void sample(const Tensor *logits, const Tensor *temperature, const Tensor *k, const Tensor *noise,
            Tensor *next)
{
    for (ptrdiff_t b = 0; b < logits->shape[0]; b++) {
        float max = -INFINITY, fastest = 0.0f;
        for (ptrdiff_t w = 0; w < logits->shape[1]; w++)
            max = fmaxf(max, *tensor_at2(logits, b, w));
        *tensor_id1(next, b) = 0;
        for (ptrdiff_t w = 0; w < logits->shape[1]; w++) {
            // Softmax would divide all words by the same sum: this does not change the winner.
            float p = expf((*tensor_at2(logits, b, w) - max) / *tensor_at1(temperature, 0));
            float speed = p / *tensor_at2(noise, b, w);
            if (above(logits, b, w) < *tensor_id1(k, 0) && speed > fastest) {
                fastest = speed;
                *tensor_id1(next, b) = w;
            }
        }
    }
}
