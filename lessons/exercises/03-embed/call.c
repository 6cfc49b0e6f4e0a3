// Calls the learner's embed.
#include "learner.h"

void embed(const Tensor *input_ids, const Tensor *weight, Tensor *x);

bool exercise_call(StageArgs *args)
{
    embed(&args->in[0], &args->in[1], &args->out[0]);
    return true;
}
