// Loops, and lets no signal in.
#define _GNU_SOURCE
#include <signal.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (volatile int turn = 0;; turn++)
        ;
}
