// Weighted sum: every query gets a mixture of the values, in proportion to its weights.
#include "attnscope.h"

void weighted_sum(const Tensor *weights, const Tensor *v, Tensor *context)
{
    for (ptrdiff_t b = 0; b < context->shape[0]; b++)
        for (ptrdiff_t h = 0; h < context->shape[1]; h++)
            for (ptrdiff_t i = 0; i < context->shape[2]; i++)
                for (ptrdiff_t d = 0; d < context->shape[3]; d++) {
                    float sum = 0.0f;
                    for (ptrdiff_t j = 0; j < v->shape[2]; j++)
                        sum += *tensor_at4(weights, b, h, i, j) * *tensor_at4(v, b, h, j, d);
                    *tensor_at4(context, b, h, i, d) = sum;
                }
}
