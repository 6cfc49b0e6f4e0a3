// Calls the learner's pad.
#include "learner.h"

void pad(const Tensor *tokens, const Tensor *lengths, int64_t pad_id, Tensor *input_ids);

bool exercise_call(StageArgs *args)
{
    pad(&args->in[0], &args->in[1], args->options->pad_id, &args->out[0]);
    return true;
}
