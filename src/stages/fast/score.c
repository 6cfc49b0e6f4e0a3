// score, faster: a product of matrices for each head; what scale or softmax writes next is called into
// the cache on the way.
#include "fast.h"

#include "matrix_product.h"

enum { IN_Q, IN_K };

void fast_score(const StageArgs *args)
{
    bool has_soon = args->soon.storage.bytes != NULL;
    for (ptrdiff_t b = 0; b < args->out[0].shape[0]; b++)
        for (ptrdiff_t h = 0; h < args->out[0].shape[1]; h++) {
            Tensor q = tensor_matrix(&args->in[IN_Q], b, h);
            Tensor k_panels = tensor_matrix(&args->panels[IN_K], b, h);
            Tensor scores = tensor_matrix(&args->out[0], b, h);
            Tensor soon = has_soon ? tensor_matrix(&args->soon, b, h) : scores;
            matrix_product(args->kernel, &q, &k_panels, NULL, &scores, has_soon ? &soon : NULL);
        }
}
