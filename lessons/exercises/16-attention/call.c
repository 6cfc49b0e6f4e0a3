// Calls the learner's attention.
#include "learner.h"

void attention(const Tensor *x, const Tensor *w_q, const Tensor *w_k, const Tensor *w_v,
               const Tensor *w_o, const Tensor *key_padding_mask, ptrdiff_t heads, bool causal,
               Tensor *output);

bool exercise_call(StageArgs *args)
{
    attention(&args->in[0], &args->in[1], &args->in[2], &args->in[3], &args->in[4], &args->in[5],
              args->options->heads, args->options->causal, &args->out[0]);
    return true;
}
