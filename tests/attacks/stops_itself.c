// Stops, and never goes on.
#define _GNU_SOURCE
#include <signal.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    raise(SIGSTOP);
}
