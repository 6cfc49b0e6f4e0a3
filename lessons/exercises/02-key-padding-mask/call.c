// Calls the learner's key_padding_mask.
#include "learner.h"

void key_padding_mask(const Tensor *lengths, Tensor *mask);

bool exercise_call(StageArgs *args)
{
    key_padding_mask(&args->in[1], &args->out[1]);
    return true;
}
