// Grouped queries: H / G neighbouring query heads share one key head.
#include "attnscope.h"

void grouped_queries(const Tensor *k, Tensor *k_repeated)
{
    ptrdiff_t group = k_repeated->shape[1] / k->shape[1];
    for (ptrdiff_t b = 0; b < k_repeated->shape[0]; b++)
        for (ptrdiff_t h = 0; h < k_repeated->shape[1]; h++)
            for (ptrdiff_t j = 0; j < k_repeated->shape[2]; j++)
                for (ptrdiff_t d = 0; d < k_repeated->shape[3]; d++)
                    *tensor_at4(k_repeated, b, h, j, d) = *tensor_at4(k, b, h / group, j, d);
}
