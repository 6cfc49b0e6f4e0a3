// Does not come as far as to be called: a constructor without end.
#include "attnscope.h"

__attribute__((constructor)) static void begin(void)
{
    for (volatile int again = 1; again;)
        again = 1;
}

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
}
