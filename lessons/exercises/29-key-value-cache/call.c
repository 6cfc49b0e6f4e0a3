// Calls the learner's attend_with_cache.
#include "learner.h"

void attend_with_cache(const Tensor *q, const Tensor *k_cache, const Tensor *v_cache,
                       const Tensor *k_new, const Tensor *v_new, Tensor *context);

bool exercise_call(StageArgs *args)
{
    attend_with_cache(&args->in[0], &args->in[1], &args->in[2], &args->in[3], &args->in[4],
                      &args->out[0]);
    return true;
}
