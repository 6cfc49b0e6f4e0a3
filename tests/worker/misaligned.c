// Stores a float where none can begin.
#include "attnscope.h"

static float numbers[2];

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    volatile float *between = (volatile float *)((char *)numbers + 1);
    *between = 1.0f;
}
