// grad_out  [B, L, Dout]  the gradient of the layer's output
// grad_bias [Dout]        to fill
#include "attnscope.h"

void bias_backward(const Tensor *grad_out, Tensor *grad_bias)
{
    (void)grad_out, (void)grad_bias;
}
