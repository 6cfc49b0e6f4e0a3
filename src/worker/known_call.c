// A function that is known to be right, in the place of a learner's: scores[i, j] is the dot product of
// q[i] and k[j]. When it does not come back either, the machine is to blame (worker_known.c).
#include "learner.h"

bool exercise_call(StageArgs *args)
{
    const Tensor *q = &args->in[0], *k = &args->in[1], *scores = &args->out[0];
    for (ptrdiff_t i = 0; i < q->shape[2]; i++)
        for (ptrdiff_t j = 0; j < k->shape[2]; j++) {
            float sum = 0.0f;
            for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                sum += *tensor_at4(q, 0, 0, i, d) * *tensor_at4(k, 0, 0, j, d);
            *tensor_at4(scores, 0, 0, i, j) = sum;
        }
    return true;
}
