// The function cannot be called from outside.
#include "attnscope.h"

static void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
}
