// q      [B, H, Lq, d_k]  one vector for each query
// k      [B, H, Lk, d_k]  one vector for each key
// scores [B, H, Lq, Lk]   to fill: rows are queries, columns are keys
#include "attnscope.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    (void)q, (void)k, (void)scores;
}
