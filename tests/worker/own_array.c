// Has an array of its own that is too short.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    float row[2];
    (void)k;
    for (ptrdiff_t d = 0; d < q->shape[3]; d++)
        row[d] = *tensor_at4(q, 0, 0, 0, d);
    *tensor_at4(scores, 0, 0, 0, 0) = row[q->shape[3] - 2];
}
