// 0.3 s of computing a call: each is under the limit of a call, and all of them take longer than all may.
#include "attnscope.h"
#include <time.h>
void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    clock_t begin = clock();
    while (clock() - begin < 3 * CLOCKS_PER_SEC / 10)
        continue;
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) / sqrtf((float)d_k);
}
