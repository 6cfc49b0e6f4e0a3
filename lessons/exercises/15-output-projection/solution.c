// Output projection: a linear layer mixes what the heads found.
#include "attnscope.h"

void output_projection(const Tensor *context, const Tensor *weight, const Tensor *bias,
                       Tensor *output)
{
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t o = 0; o < output->shape[2]; o++) {
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < context->shape[2]; d++)
                    sum += *tensor_at3(context, b, l, d) * *tensor_at2(weight, o, d);
                *tensor_at3(output, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}
