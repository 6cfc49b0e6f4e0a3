// Prints a lot before it goes wrong.
#include <stdio.h>
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    for (int line = 0; line < 5000; line++)
        printf("line %d\n", line);
    scores->storage.f32[scores->offset + 4] = 1;
}
