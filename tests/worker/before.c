// Counts keys from 1 to 2 and takes 2 away.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    for (ptrdiff_t j = 1; j <= scores->shape[3]; j++)
        *tensor_at4(scores, 0, 0, 0, j - 2) = 1;
}
