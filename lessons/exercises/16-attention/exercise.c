// x                [B, L, Din]
// w_q, w_k         [H*d_k, Din]  one row for each output, as in nn.Linear; no biases
// w_v              [H*d_v, Din]
// w_o              [Dout, H*d_v]
// key_padding_mask [B, L]        flags: 1 for padding; no query may look there
// heads            H
// causal           whether to mask the keys after the query too
// output           [B, L, Dout]  to fill
#include "attnscope.h"

void attention(const Tensor *x, const Tensor *w_q, const Tensor *w_k, const Tensor *w_v,
               const Tensor *w_o, const Tensor *key_padding_mask, ptrdiff_t heads, bool causal,
               Tensor *output)
{
    (void)x, (void)w_q, (void)w_k, (void)w_v, (void)w_o, (void)key_padding_mask, (void)heads,
        (void)causal, (void)output;
}
