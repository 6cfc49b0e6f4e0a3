// q      [B, L, H*d_k]
// heads  H
// q_view [B, L, H, d_k]  to fill: storage, dtype, rank, offset, shape and stride
#include "attnscope.h"

void view(const Tensor *q, ptrdiff_t heads, Tensor *q_view)
{
    (void)q, (void)heads, (void)q_view;
}
