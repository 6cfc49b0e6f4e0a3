// score_backward_k and weighted_sum_backward_v, faster: for each head the first tensor's matrix,
// transposed, times the panels of the second.
#include "fast.h"

#include "matrix_product.h"

enum { IN_LEFT, IN_RIGHT };

void fast_product_of_transposed(const StageArgs *args)
{
    for (ptrdiff_t b = 0; b < args->out[0].shape[0]; b++)
        for (ptrdiff_t h = 0; h < args->out[0].shape[1]; h++) {
            Tensor matrix = tensor_matrix(&args->in[IN_LEFT], b, h);
            Tensor left = tensor_transpose(&matrix, 0, 1);
            Tensor panels = tensor_matrix(&args->panels[IN_RIGHT], b, h);
            Tensor product = tensor_matrix(&args->out[0], b, h);
            matrix_product(args->kernel, &left, &panels, NULL, &product, NULL);
        }
}
