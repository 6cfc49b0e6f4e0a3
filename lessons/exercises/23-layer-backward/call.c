// Calls the learner's layer_backward.
#include "learner.h"

void layer_backward(const Tensor *x, const Tensor *w_q, const Tensor *w_k, const Tensor *w_v,
                    const Tensor *w_o, const Tensor *grad_output, ptrdiff_t heads, bool causal,
                    Tensor *grad_x);

bool exercise_call(StageArgs *args)
{
    layer_backward(&args->in[0], &args->in[1], &args->in[2], &args->in[3], &args->in[4],
                   &args->in[5], args->options->heads, args->options->causal, &args->out[0]);
    return true;
}
