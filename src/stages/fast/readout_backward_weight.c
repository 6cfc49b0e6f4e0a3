// readout_backward_weight, faster: for each question one product of matrices over the rows of all
// sequences.
#include "fast.h"

#include "matrix_product.h"

enum { IN_GRAD, IN_OUTPUT };

void fast_readout_backward_weight(const StageArgs *args)
{
    for (ptrdiff_t q = 0; q < args->out[0].shape[0]; q++) {
        Tensor grad_logits = tensor_select(&args->in[IN_GRAD], 1, q);
        Tensor grad_weight = tensor_select(&args->out[0], 0, q);
        matrix_product_of_stack(args->kernel, &grad_logits, &args->panels[IN_OUTPUT], &grad_weight);
    }
}
