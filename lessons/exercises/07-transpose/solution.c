// Transpose: two axes swap places, together with their strides.
#include "attnscope.h"

void transpose(const Tensor *q_view, Tensor *q_heads)
{
    *q_heads = *q_view;
    q_heads->shape[1] = q_view->shape[2];
    q_heads->shape[2] = q_view->shape[1];
    q_heads->stride[1] = q_view->stride[2];
    q_heads->stride[2] = q_view->stride[1];
}
