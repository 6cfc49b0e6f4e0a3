// Weighted sum, backward: a weight's gradient is the context's gradient, dotted with the value.
#include "attnscope.h"

void weighted_sum_backward(const Tensor *grad_context, const Tensor *v, Tensor *grad_weights)
{
    for (ptrdiff_t b = 0; b < grad_weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_weights->shape[3]; j++) {
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < v->shape[3]; d++)
                        sum += *tensor_at4(grad_context, b, h, i, d) * *tensor_at4(v, b, h, j, d);
                    *tensor_at4(grad_weights, b, h, i, j) = sum;
                }
}
