// Project: a linear layer; it turns x into q, k or v.
#include "attnscope.h"

void project(const Tensor *x, const Tensor *weight, const Tensor *bias, Tensor *out)
{
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++) {
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum += *tensor_at3(x, b, l, d) * *tensor_at2(weight, o, d);
                *tensor_at3(out, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}
