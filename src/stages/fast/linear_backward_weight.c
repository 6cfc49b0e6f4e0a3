// linear_backward_weight, faster: one product of matrices over the rows of all sequences.
#include "fast.h"

#include "matrix_product.h"

enum { IN_GRAD, IN_X };

void fast_linear_backward_weight(const StageArgs *args)
{
    matrix_product_of_stack(args->kernel, &args->in[IN_GRAD], &args->panels[IN_X], &args->out[0]);
}
