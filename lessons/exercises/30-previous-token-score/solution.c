// Previous-token score: how much a head looks at the previous token, on average.
#include "attnscope.h"

void previous_token_score(const Tensor *weights, Tensor *score)
{
    ptrdiff_t length = weights->shape[2];
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++) {
            float sum = 0.0f;
            for (ptrdiff_t i = 1; i < length; i++)
                sum += *tensor_at4(weights, b, h, i, i - 1);
            *tensor_at2(score, b, h) = sum / (float)(length - 1);
        }
}
