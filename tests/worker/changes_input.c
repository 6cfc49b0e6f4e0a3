// Uses the storage of q for its own sums.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)scores;
    *tensor_at4(q, 0, 0, 0, 0) += *tensor_at4(k, 0, 0, 0, 0);
}
