// weights      [B, H, Lq, Lk]  the result of softmax: each row sums to 1
// grad_weights [B, H, Lq, Lk]
// grad_scores  [B, H, Lq, Lk]  to fill: each row sums to 0
#include "attnscope.h"

void softmax_backward(const Tensor *weights, const Tensor *grad_weights, Tensor *grad_scores)
{
    (void)weights, (void)grad_weights, (void)grad_scores;
}
