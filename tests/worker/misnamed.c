// The function has another name.
#include "attnscope.h"

void scores(const Tensor *q, const Tensor *k, Tensor *out);

void scores(const Tensor *q, const Tensor *k, Tensor *out)
{
    (void)q, (void)k, (void)out;
}
