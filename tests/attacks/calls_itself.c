// Calls itself without end.
#include "attnscope.h"

static int deep(volatile int *number)
{
    volatile int own[256] = {*number + 1};
    return deep(own) + own[0];
}

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    volatile int first = 0;
    *tensor_at4(scores, 0, 0, 0, 0) = (float)deep(&first);
}
