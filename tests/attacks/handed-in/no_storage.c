// Gives back a tensor without numbers, of a kind that there is not.
#include "attnscope.h"

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled)
{
    (void)scores, (void)d_k;
    scores_scaled->storage.bytes = NULL;
    scores_scaled->dtype = (Dtype)77;
}
