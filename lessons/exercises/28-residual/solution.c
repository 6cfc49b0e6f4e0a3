// Residual: a layer adds its output to its input.
#include "attnscope.h"

void residual(const Tensor *output, const Tensor *x, Tensor *output_residual)
{
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                *tensor_at3(output_residual, b, l, d) =
                    *tensor_at3(output, b, l, d) + *tensor_at3(x, b, l, d);
}
