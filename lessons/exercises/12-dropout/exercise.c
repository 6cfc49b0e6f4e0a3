// weights [B, H, Lq, Lk]
// keep    [B, H, Lq, Lk]  flags: 1 is kept, 0 is dropped
// p       how likely a weight is dropped
// dropped [B, H, Lq, Lk]  to fill
#include "attnscope.h"

void dropout(const Tensor *weights, const Tensor *keep, float p, Tensor *dropped)
{
    (void)weights, (void)keep, (void)p, (void)dropped;
}
