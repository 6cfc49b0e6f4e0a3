// mask_backward, faster: a kernel puts 0 in the place of gradients of forbidden scores.
#include "fast.h"

enum { IN_GRAD, IN_MASK };

void fast_mask_backward(const StageArgs *args)
{
    Tensor grad_scores = args->out[0];
    fast_replace_masked(args, &args->in[IN_GRAD], &args->in[IN_MASK], 0.0f, &grad_scores);
}
