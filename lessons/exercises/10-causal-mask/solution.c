// Causal mask: no query may look at a key that comes after it.
#include "attnscope.h"

void causal_mask(const Tensor *scores, Tensor *scores_masked)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_masked, b, h, i, j) =
                        j > i ? -INFINITY : *tensor_at4(scores, b, h, i, j);
}
