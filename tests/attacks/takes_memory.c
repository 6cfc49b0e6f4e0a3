// Takes all the memory there is.
#include <stdlib.h>
#include <string.h>
#include "attnscope.h"

static char *volatile piece; // volatile: a compiler may leave out what nobody sees

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    for (;;) {
        piece = malloc(64 << 20);
        if (!piece)
            abort();
        memset(piece, 1, 64 << 20);
    }
}
