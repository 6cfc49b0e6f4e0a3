// output          [B, L, D]  the layer's output
// x               [B, L, D]  the layer's input
// output_residual [B, L, D]  to fill
#include "attnscope.h"

void residual(const Tensor *output, const Tensor *x, Tensor *output_residual)
{
    (void)output, (void)x, (void)output_residual;
}
