// grad_scores [B, H, Lq, Lk]   one row for each query, one column for each key
// q           [B, H, Lq, d_k]
// grad_k      [B, H, Lk, d_k]  to fill
#include "attnscope.h"

void score_backward(const Tensor *grad_scores, const Tensor *q, Tensor *grad_k)
{
    (void)grad_scores, (void)q, (void)grad_k;
}
