// scores        [B, H, Lq, Lk]
// d_k           the width of one head: how many numbers its query has
// scores_scaled [B, H, Lq, Lk]  to fill
#include "attnscope.h"

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    (void)scores, (void)d_k, (void)scores_scaled;
}
