// weight, gradient [Dout, Din]
// moment1, moment2 [Dout, Din]  from the previous step; 0 before the first
// rate             the learning rate
// t                the number of this step, counted from 1
// next             [Dout, Din]  to fill: the weight after this step
#include "attnscope.h"

void adam_step(const Tensor *weight, const Tensor *gradient, const Tensor *moment1,
               const Tensor *moment2, float rate, ptrdiff_t t, Tensor *next)
{
    (void)weight, (void)gradient, (void)moment1, (void)moment2, (void)rate, (void)t, (void)next;
}
