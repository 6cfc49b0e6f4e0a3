// Waits for input that never comes.
#define _GNU_SOURCE
#include <unistd.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    char byte;
    while (read(0, &byte, 1) <= 0)
        (void)read(3, &byte, 1);
}
