// grad_context [B, H, Lq, d_v]  the gradient of the weighted sum's result
// v            [B, H, Lk, d_v]
// grad_weights [B, H, Lq, Lk]   to fill
#include "attnscope.h"

void weighted_sum_backward(const Tensor *grad_context, const Tensor *v, Tensor *grad_weights)
{
    (void)grad_context, (void)v, (void)grad_weights;
}
