// q         [B, H, L, d_k]  d_k is even
// q_rotated [B, H, L, d_k]  to fill: pairs of numbers, rotated by the position l of their token
#include "attnscope.h"

void rope(const Tensor *q, Tensor *q_rotated)
{
    (void)q, (void)q_rotated;
}
