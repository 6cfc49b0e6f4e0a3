// Bias, backward: the bias was added to every row, so the gradients of all rows are summed.
#include "attnscope.h"

void bias_backward(const Tensor *grad_out, Tensor *grad_bias)
{
    for (ptrdiff_t o = 0; o < grad_bias->shape[0]; o++)
        *tensor_at1(grad_bias, o) = 0.0f;
    for (ptrdiff_t b = 0; b < grad_out->shape[0]; b++)
        for (ptrdiff_t o = 0; o < grad_bias->shape[0]; o++) {
            float sum = 0.0f;
            for (ptrdiff_t l = 0; l < grad_out->shape[1]; l++)
                sum += *tensor_at3(grad_out, b, l, o);
            *tensor_at1(grad_bias, o) += sum;
        }
}
