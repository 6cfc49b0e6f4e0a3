// Writes a file.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    FILE *file = fopen("attnscope-was-here", "w");
    if (!file)
        abort();
    fputs("100\n", file);
    fclose(file);
}
