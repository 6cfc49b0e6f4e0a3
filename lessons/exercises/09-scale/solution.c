// Scale: every score is divided by the square root of the head width.
#include "attnscope.h"

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    float divisor = sqrtf((float)d_k);
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) / divisor;
}
