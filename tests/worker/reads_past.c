// Reads one element of q too many.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)k;
    float sum = 0;
    for (ptrdiff_t d = 0; d <= q->shape[3]; d++)
        sum += *tensor_at4(q, 0, 0, 1, d);
    *tensor_at4(scores, 0, 0, 0, 0) = sum;
}
