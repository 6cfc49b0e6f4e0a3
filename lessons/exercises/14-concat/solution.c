// Concat: for each token, the results of the heads are put side by side.
#include "attnscope.h"

void concat(const Tensor *context_heads, Tensor *context_concat)
{
    ptrdiff_t d_v = context_heads->shape[3];
    for (ptrdiff_t b = 0; b < context_heads->shape[0]; b++)
        for (ptrdiff_t h = 0; h < context_heads->shape[1]; h++)
            for (ptrdiff_t l = 0; l < context_heads->shape[2]; l++)
                for (ptrdiff_t i = 0; i < d_v; i++)
                    *tensor_at3(context_concat, b, l, h * d_v + i) =
                        *tensor_at4(context_heads, b, h, l, i);
}
