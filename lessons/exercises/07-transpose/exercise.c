// q_view  [B, L, H, d_k]
// q_heads [B, H, L, d_k]  to fill: storage, dtype, rank, offset, shape and stride
#include "attnscope.h"

void transpose(const Tensor *q_view, Tensor *q_heads)
{
    (void)q_view, (void)q_heads;
}
