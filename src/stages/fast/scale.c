// scale and scale_backward, faster: whole rows are divided by the scale.
#include "fast.h"

void fast_scale(const StageArgs *args)
{
    Tensor scores_scaled = args->out[0];
    if (!fast_divide(args->kernel, &args->in[0], args->options->scale, &scores_scaled))
        fast_by_definition(&stage_scale, args);
}
