// Right, and tells about it.
#include <stdio.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
        for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
            float sum = 0;
            for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                sum += *tensor_at4(q, 0, 0, i, d) * *tensor_at4(k, 0, 0, j, d);
            *tensor_at4(scores, 0, 0, i, j) = sum;
            printf("%g ", sum);
        }
}
