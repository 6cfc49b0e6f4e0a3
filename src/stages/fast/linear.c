// A linear layer, faster: output_projection, expand and contract are x times the panels of the weight,
// plus the bias.
#include "fast.h"

#include "matrix_product.h"

enum { IN_X, IN_WEIGHT, IN_BIAS };

void fast_linear(const StageArgs *args)
{
    matrix_products(args->kernel, &args->in[IN_X], &args->panels[IN_WEIGHT],
                    stage_given(args, IN_BIAS), &args->out[0]);
}
