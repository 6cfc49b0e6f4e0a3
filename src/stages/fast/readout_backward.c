// readout_backward, faster: a product of matrices for each question, each one onto that before.
#include "fast.h"

#include "matrix_product.h"

enum { IN_GRAD, IN_WEIGHT };

void fast_readout_backward(const StageArgs *args)
{
    for (ptrdiff_t b = 0; b < args->out[0].shape[0]; b++)
        for (ptrdiff_t q = 0; q < args->in[IN_WEIGHT].shape[0]; q++) {
            Tensor grad_logits = tensor_matrix(&args->in[IN_GRAD], b, q);
            Tensor panels = tensor_select(&args->panels[IN_WEIGHT], 0, q);
            Tensor grad_output = tensor_select(&args->out[0], 0, b);
            if (q == 0)
                matrix_product(args->kernel, &grad_logits, &panels, NULL, &grad_output, NULL);
            else
                matrix_product_onto(args->kernel, &grad_logits, &panels, &grad_output);
        }
}
