// Moves into its parent's process group, and loops.
#define _GNU_SOURCE
#include <unistd.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    setpgid(0, getpgid(getppid()));
    for (volatile int turn = 0;; turn++)
        ;
}
