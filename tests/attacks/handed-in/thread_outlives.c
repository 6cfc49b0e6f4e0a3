// Leaves a thread behind that goes on writing numbers.
#include "attnscope.h"

#include <pthread.h>

static Tensor kept;

static void *write_on(void *nothing)
{
    for (;;)
        kept.storage.f32[kept.offset] = 1.0f;
    return nothing;
}

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    pthread_t thread;
    (void)d_k;
    kept = *scores_scaled;
    pthread_create(&thread, NULL, write_on, NULL);
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) = *tensor_at4(scores, b, h, i, j);
}
