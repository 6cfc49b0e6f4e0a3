// Concat, backward: every head gets back the gradient of its own columns, and no number moves.
#include "attnscope.h"

void concat_backward(const Tensor *grad_concat, ptrdiff_t heads, Tensor *grad_heads)
{
    ptrdiff_t d_v = grad_concat->shape[2] / heads;
    *grad_heads = *grad_concat;
    grad_heads->rank = 4;
    grad_heads->shape[1] = heads;
    grad_heads->shape[2] = grad_concat->shape[1];
    grad_heads->shape[3] = d_v;
    grad_heads->stride[1] = d_v * grad_concat->stride[2];
    grad_heads->stride[2] = grad_concat->stride[1];
    grad_heads->stride[3] = grad_concat->stride[2];
}
