// weights [B, H, Lq, Lk]
// keep    [B, H, Lq, Lk]  flags: 1 to keep the weight, 0 to drop it
// p       the probability of dropping a weight
// dropped [B, H, Lq, Lk]  to fill
#include "attnscope.h"

void dropout(const Tensor *weights, const Tensor *keep, float p, Tensor *dropped)
{
    (void)weights, (void)keep, (void)p, (void)dropped;
}
