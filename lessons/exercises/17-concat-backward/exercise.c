// grad_concat [B, L, H*d_v]    the gradient of concat's result
// heads       H
// grad_heads  [B, H, L, d_v]   to fill: storage, dtype, rank, offset, shape and stride
#include "attnscope.h"

void concat_backward(const Tensor *grad_concat, ptrdiff_t heads, Tensor *grad_heads)
{
    (void)grad_concat, (void)heads, (void)grad_heads;
}
