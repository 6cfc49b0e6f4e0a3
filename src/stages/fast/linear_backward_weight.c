// linear_backward_weight, faster: a product of matrices for each sequence, each one onto that before.
#include "fast.h"

#include "matrix_product.h"

enum { IN_GRAD, IN_X };

void fast_linear_backward_weight(const StageArgs *args)
{
    for (ptrdiff_t b = 0; b < args->in[IN_X].shape[0]; b++) {
        Tensor grad_q = tensor_select(&args->in[IN_GRAD], 0, b);
        Tensor left = tensor_transpose(&grad_q, 0, 1);
        Tensor panels = tensor_select(&args->panels[IN_X], 0, b);
        if (b == 0)
            matrix_product(args->kernel, &left, &panels, NULL, &args->out[0], NULL);
        else
            matrix_product_onto(args->kernel, &left, &panels, &args->out[0]);
    }
}
