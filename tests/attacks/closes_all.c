// Closes every descriptor.
#define _GNU_SOURCE
#include <unistd.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    for (int fd = 0; fd < 64; fd++)
        close(fd);
}
