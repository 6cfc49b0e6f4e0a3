// Jumps to where nobody waits.
#define _GNU_SOURCE
#include <setjmp.h>
#include "attnscope.h"

static jmp_buf nowhere;

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
    longjmp(nowhere, 1);
}
