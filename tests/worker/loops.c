// Never comes to its end.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    for (volatile int again = 1; again;)
        *tensor_at4(scores, 0, 0, 0, 0) = 0;
}
