// Calls the learner's scale.
#include "learner.h"

#include <math.h>

void scale(const Tensor *scores, ptrdiff_t d_k, Tensor *scores_scaled);

bool exercise_call(StageArgs *args)
{
    // A scenario may divide by another number: then d_k is the square of that number.
    ptrdiff_t d_k = lroundf(args->options->scale * args->options->scale);
    scale(&args->in[0], d_k, &args->out[0]);
    return true;
}
