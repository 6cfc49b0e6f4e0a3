// k          [B, G, Lk, d_k]  G key heads
// k_repeated [B, H, Lk, d_k]  to fill: H is a multiple of G
#include "attnscope.h"

void grouped_queries(const Tensor *k, Tensor *k_repeated)
{
    (void)k, (void)k_repeated;
}
