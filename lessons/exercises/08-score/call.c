// Calls the learner's score.
#include "learner.h"

void score(const Tensor *q, const Tensor *k, Tensor *scores);

bool exercise_call(StageArgs *args)
{
    score(&args->in[0], &args->in[1], &args->out[0]);
    return true;
}
