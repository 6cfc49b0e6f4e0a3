// Calls the learner's sample.
#include "learner.h"

void sample(const Tensor *logits, const Tensor *temperature, const Tensor *k, const Tensor *noise,
            Tensor *next);

bool exercise_call(StageArgs *args)
{
    sample(&args->in[0], &args->in[1], &args->in[2], &args->in[3], &args->out[0]);
    return true;
}
