// Fills the first row only.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        *tensor_at4(scores, 0, 0, 0, j) = 1;
}
