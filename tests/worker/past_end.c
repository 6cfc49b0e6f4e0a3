// Writes one column too many.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
        for (ptrdiff_t j = 0; j <= scores->shape[3]; j++)
            *tensor_at4(scores, 0, 0, i, j) = 1;
}
