// readout_backward_weight, faster: a product of matrices for each sequence, each one onto that before.
#include "fast.h"

#include "matrix_product.h"

enum { IN_GRAD, IN_OUTPUT };

void fast_readout_backward_weight(const StageArgs *args)
{
    for (ptrdiff_t q = 0; q < args->out[0].shape[0]; q++)
        for (ptrdiff_t b = 0; b < args->in[IN_OUTPUT].shape[0]; b++) {
            Tensor grad_logits = tensor_matrix(&args->in[IN_GRAD], b, q);
            Tensor left = tensor_transpose(&grad_logits, 0, 1);
            Tensor panels = tensor_select(&args->panels[IN_OUTPUT], 0, b);
            Tensor grad_weight = tensor_select(&args->out[0], 0, q);
            if (b == 0)
                matrix_product(args->kernel, &left, &panels, NULL, &grad_weight, NULL);
            else
                matrix_product_onto(args->kernel, &left, &panels, &grad_weight);
        }
}
