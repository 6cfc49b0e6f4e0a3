// Stores a float where none can begin.
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k;
    volatile ptrdiff_t bytes = 1;
    char *between = (char *)scores->storage.f32 + bytes;
    *(float *)between = 1.0f;
}
