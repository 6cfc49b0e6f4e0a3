// Counts beyond the largest int.
#include "attnscope.h"

static volatile int largest = 2147483647;

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    largest = largest + 1;
    *tensor_at4(scores, 0, 0, 0, 0) = (float)largest;
}
