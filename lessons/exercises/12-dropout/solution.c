// Dropout: some weights become 0, and the others grow to compensate.
#include "attnscope.h"

void dropout(const Tensor *weights, const Tensor *keep, float p, Tensor *dropped)
{
    float enlarge = 1.0f / (1.0f - p);
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
                    *tensor_at4(dropped, b, h, i, j) =
                        *tensor_at4(weights, b, h, i, j) *
                        (*tensor_flag4(keep, b, h, i, j) ? enlarge : 0.0f);
}
