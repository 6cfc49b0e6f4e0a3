// Sends a signal (a harmless one) to every process there is.
#define _GNU_SOURCE
#include <signal.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    kill(-1, SIGURG);
}
