// Closes all descriptors while its own address is looked up, before anything of the program runs.
#include "attnscope.h"

#include <unistd.h>

static void plain(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    (void)scores, (void)d_k, (void)scores_scaled;
}

static void *pick(void)
{
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    return (void *)plain;
}

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
    __attribute__((ifunc("pick")));
