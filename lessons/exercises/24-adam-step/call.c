// Calls the learner's adam_step.
#include "learner.h"

void adam_step(const Tensor *weight, const Tensor *gradient, const Tensor *moment1,
               const Tensor *moment2, float rate, ptrdiff_t t, Tensor *next);

bool exercise_call(StageArgs *args)
{
    adam_step(&args->in[0], &args->in[1], &args->in[2], &args->in[3], args->options->rate,
              (ptrdiff_t)args->options->update, &args->out[0]);
    return true;
}
