// Project, backward: every token of the batch contributes to the gradient of a weight.
#include "attnscope.h"

void project_backward(const Tensor *grad_out, const Tensor *x, Tensor *grad_weight)
{
    for (ptrdiff_t o = 0; o < grad_weight->shape[0]; o++)
        for (ptrdiff_t d = 0; d < grad_weight->shape[1]; d++)
            *tensor_at2(grad_weight, o, d) = 0.0f;
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t o = 0; o < grad_weight->shape[0]; o++)
            for (ptrdiff_t d = 0; d < grad_weight->shape[1]; d++) {
                float sum = 0.0f;
                for (ptrdiff_t l = 0; l < x->shape[1]; l++)
                    sum += *tensor_at3(grad_out, b, l, o) * *tensor_at3(x, b, l, d);
                *tensor_at2(grad_weight, o, d) += sum;
            }
}
