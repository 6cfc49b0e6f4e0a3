// Calls the learner's weighted_sum_backward.
#include "learner.h"

void weighted_sum_backward(const Tensor *grad_context, const Tensor *v, Tensor *grad_weights);

bool exercise_call(StageArgs *args)
{
    weighted_sum_backward(&args->in[0], &args->in[1], &args->out[0]);
    return true;
}
