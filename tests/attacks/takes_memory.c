// Takes all the memory there is.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    for (;;) {
        char *piece = malloc(64 << 20);
        if (!piece)
            abort();
        memset(piece, 1, 64 << 20);
    }
}
