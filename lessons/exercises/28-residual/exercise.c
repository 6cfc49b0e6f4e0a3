// output          [B, L, D]  what a layer has made
// x               [B, L, D]  what the layer has read
// output_residual [B, L, D]  to fill
#include "attnscope.h"

void residual(const Tensor *output, const Tensor *x, Tensor *output_residual)
{
    (void)output, (void)x, (void)output_residual;
}
