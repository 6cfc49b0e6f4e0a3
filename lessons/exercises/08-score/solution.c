// Score: the dot product of every query with every key, in every head.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                        sum += *tensor_at4(q, b, h, i, d) * *tensor_at4(k, b, h, j, d);
                    *tensor_at4(scores, b, h, i, j) = sum;
                }
}
