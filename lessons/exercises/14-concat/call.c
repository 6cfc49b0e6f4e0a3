// Calls the learner's concat.
#include "learner.h"

void concat(const Tensor *context_heads, Tensor *context_concat);

bool exercise_call(StageArgs *args)
{
    // The stage's other output is a view that the learner does not have to make.
    Tensor *transposed = &args->out[0];
    *transposed = args->in[0];
    for (int axis = 1; axis <= 2; axis++) {
        transposed->shape[axis] = args->in[0].shape[3 - axis];
        transposed->stride[axis] = args->in[0].stride[3 - axis];
    }
    concat(&args->in[0], &args->out[1]);
    return true;
}
