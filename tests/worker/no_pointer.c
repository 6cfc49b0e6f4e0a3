// Follows a pointer that is NULL.
#include "attnscope.h"

static float *volatile nowhere;

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    nowhere[2] = 1;
}
