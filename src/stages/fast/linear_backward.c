// linear_backward, faster: a product with the weight, or with that of each head, each one onto that
// before.
#include "fast.h"

#include "matrix_product.h"

enum { IN_GRAD, IN_WEIGHT };

static void sum_over_heads(const StageArgs *args, const Tensor *grad_q, Tensor *grad_x)
{
    const Tensor *panels = &args->panels[IN_WEIGHT];
    ptrdiff_t d_k = args->in[IN_WEIGHT].shape[2];
    for (ptrdiff_t h = 0; h < panels->shape[0]; h++) {
        Tensor left = tensor_narrow(grad_q, 1, h * d_k, d_k);
        Tensor head_panels = tensor_select(panels, 0, h);
        if (h == 0)
            matrix_product(args->kernel, &left, &head_panels, NULL, grad_x, NULL);
        else
            matrix_product_onto(args->kernel, &left, &head_panels, grad_x);
    }
}

void fast_linear_backward(const StageArgs *args)
{
    const Tensor *grad_q = &args->in[IN_GRAD];
    if (args->in[IN_WEIGHT].rank != 3) {
        matrix_products(args->kernel, grad_q, &args->panels[IN_WEIGHT], NULL, &args->out[0]);
        return;
    }
    for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++) {
        Tensor rows = tensor_select(grad_q, 0, b), grad_x = tensor_select(&args->out[0], 0, b);
        sum_over_heads(args, &rows, &grad_x);
    }
}
