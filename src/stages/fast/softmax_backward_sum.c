// softmax_backward_sum, faster: a kernel sums several rows side by side.
#include "fast.h"

enum { IN_WEIGHTS, IN_GRAD };

void fast_softmax_backward_sum(const StageArgs *args)
{
    const Tensor *weights = &args->in[IN_WEIGHTS], *grad_weights = &args->in[IN_GRAD];
    Tensor row_sums = args->out[0];
    if (!fast_has_rows(weights) || !fast_has_rows(grad_weights) || !fast_has_rows(&row_sums)) {
        fast_by_definition(&stage_softmax_backward_sum, args);
        return;
    }
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            args->kernel->dots(&(KernelRows){tensor_at4(weights, b, h, 0, 0), weights->shape[2],
                                             weights->shape[3], weights->stride[2]},
                               &(KernelRows){tensor_at4(grad_weights, b, h, 0, 0),
                                             weights->shape[2], weights->shape[3],
                                             grad_weights->stride[2]},
                               tensor_at3(&row_sums, b, h, 0));
}
