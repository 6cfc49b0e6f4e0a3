// Leaves many processes behind, each in a session of its own.
#define _GNU_SOURCE
#include <unistd.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            setsid();
            for (;;)
                pause();
        }
}
