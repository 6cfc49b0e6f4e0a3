// Divides integers by zero.
#include "attnscope.h"

static volatile int none;

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)k, (void)scores;
    *tensor_at4(scores, 0, 0, 0, 0) = (float)((int)q->shape[3] / none);
}
