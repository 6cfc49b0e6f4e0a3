// View: the columns of a token are split into heads, and no number moves.
#include "attnscope.h"

void view(const Tensor *q, ptrdiff_t heads, Tensor *q_view)
{
    ptrdiff_t d_k = q->shape[2] / heads;
    *q_view = *q;
    q_view->rank = 4;
    q_view->shape[2] = heads;
    q_view->shape[3] = d_k;
    q_view->stride[2] = d_k * q->stride[2];
    q_view->stride[3] = q->stride[2];
}
