// Changes the tensor that it should fill.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)k;
    *scores = *q;
}
