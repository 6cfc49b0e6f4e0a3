// x           [B, L, Din]
// w_q, w_k    [H*d_k, Din]  one row for each output; no biases
// w_v         [H*d_v, Din]
// w_o         [Dout, H*d_v]
// grad_output [B, L, Dout]  the gradient of attention's output
// heads       H
// causal      whether keys after the query were masked
// grad_x      [B, L, Din]   to fill
#include "attnscope.h"

void layer_backward(const Tensor *x, const Tensor *w_q, const Tensor *w_k, const Tensor *w_v,
                    const Tensor *w_o, const Tensor *grad_output, ptrdiff_t heads, bool causal,
                    Tensor *grad_x)
{
    (void)x, (void)w_q, (void)w_k, (void)w_v, (void)w_o, (void)grad_output, (void)heads,
        (void)causal, (void)grad_x;
}
