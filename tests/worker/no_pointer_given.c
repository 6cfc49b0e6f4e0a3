// Lets a function of attnscope.h follow a pointer that is NULL.
#include "attnscope.h"

static const Tensor *volatile nowhere;

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    *tensor_at1(nowhere, 0) = 1;
}
