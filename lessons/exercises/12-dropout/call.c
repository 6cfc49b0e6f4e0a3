// Calls the learner's dropout.
#include "learner.h"

void dropout(const Tensor *weights, const Tensor *keep, float p, Tensor *dropped);

bool exercise_call(StageArgs *args)
{
    dropout(&args->in[0], &args->in[1], (float)args->options->dropout_p, &args->out[0]);
    return true;
}
