// project, faster: with one matrix for all heads there is one band of columns, else one for each head.
#include "fast.h"

#include "matrix_product.h"

enum { IN_X, IN_WEIGHT, IN_BIAS };

void fast_project(const StageArgs *args)
{
    const Tensor *x = &args->in[IN_X], *out = &args->out[0], *bias = stage_given(args, IN_BIAS);
    const Tensor *panels = &args->panels[IN_WEIGHT];
    bool is_per_head = args->in[IN_WEIGHT].rank == 3;
    ptrdiff_t bands = is_per_head ? panels->shape[0] : 1;
    ptrdiff_t width = out->shape[2] / bands;
    for (ptrdiff_t band = 0; band < bands; band++) {
        Tensor band_panels = is_per_head ? tensor_select(panels, 0, band) : *panels;
        Tensor band_out = tensor_narrow(out, 2, band * width, width);
        Tensor band_bias = bias ? tensor_narrow(bias, 0, band * width, width) : band_out;
        matrix_products(args->kernel, x, &band_panels, bias ? &band_bias : NULL, &band_out);
    }
}
