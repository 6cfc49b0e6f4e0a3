// grad_out    [B, L, Dout]  the gradient of the layer's output
// x           [B, L, Din]   the layer's input
// grad_weight [Dout, Din]   to fill
#include "attnscope.h"

void project_backward(const Tensor *grad_out, const Tensor *x, Tensor *grad_weight)
{
    (void)grad_out, (void)x, (void)grad_weight;
}
