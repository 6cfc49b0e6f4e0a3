// Does not come as far as to be called: a constructor that sleeps.
#include <unistd.h>
#include "attnscope.h"

__attribute__((constructor)) static void begin(void)
{
    for (;;)
        pause();
}

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
}
