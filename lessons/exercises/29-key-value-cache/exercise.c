// q        [B, H, 1, d_k]  the query of the new token
// k_cache  [B, H, L, d_k]  the keys of the earlier tokens
// v_cache  [B, H, L, d_v]  their values
// k_new    [B, H, 1, d_k]  the key of the new token
// v_new    [B, H, 1, d_v]  its value
// context  [B, H, 1, d_v]  to fill: what the new token finds
#include "attnscope.h"

void attend_with_cache(const Tensor *q, const Tensor *k_cache, const Tensor *v_cache,
                       const Tensor *k_new, const Tensor *v_new, Tensor *context)
{
    (void)q, (void)k_cache, (void)v_cache, (void)k_new, (void)v_new, (void)context;
}
