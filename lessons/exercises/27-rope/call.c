// Calls the learner's rope.
#include "learner.h"

void rope(const Tensor *q, Tensor *q_rotated);

bool exercise_call(StageArgs *args)
{
    rope(&args->in[0], &args->out[0]);
    return true;
}
