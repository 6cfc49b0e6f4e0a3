// Linear layers, backward: what the loss wants of a weight.
//
//   grad.weight[o,d] = sum over b, then l, of grad.q[b,l,o] * x[b,l,d]
//
// in    grad.q [B, Lq, H*d_k]   x [B, Lq, Din]; likewise for k, v and the output projection
// out   grad.weight [H*d_k, Din]
// cost  H*d_k * Din * B * Lq multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = x W^T gives dW = dy^T x
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_X };

static void linear_backward_weight(const Tensor *grad_q, const Tensor *x, Tensor *grad_weight)
{
    // The result has the shape of the
    // weight: B and L are summed away.
    for (ptrdiff_t o = 0; o < grad_weight->shape[0]; o++)
        for (ptrdiff_t d = 0; d < grad_weight->shape[1]; d++) {
            // weight[o,d] met a number of every
            // token, so every token adds a term:
            // what the loss wants of output o
            // times what came in at d. Where a 0
            // came in, the weight did nothing.
            float sum = 0.0f;
            for (ptrdiff_t b = 0; b < x->shape[0]; b++)
                for (ptrdiff_t l = 0; l < x->shape[1]; l++)
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at3(x, b, l, d), sum);
            *tensor_at2(grad_weight, o, d) = sum;
        }
}

static bool linear_backward_weight_run(StageArgs *args, Error *err)
{
    (void)err;
    linear_backward_weight(&args->in[IN_GRAD], &args->in[IN_X], &args->out[0]);
    return true;
}

static void linear_backward_weight_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                          TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *grad_q = &args->in[IN_GRAD], *x = &args->in[IN_X];
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            float left = *tensor_at3(grad_q, b, l, at[0]), right = *tensor_at3(x, b, l, at[1]);
            sum = fmaf(left, right, sum);
            visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                                   .source_count = 2,
                                   .sources = {{IN_GRAD, {b, l, at[0]}}, {IN_X, {b, l, at[1]}}},
                                   .value = left * right,
                                   .running = sum});
        }
}

const Stage stage_linear_backward_weight = {
    .name = "linear_backward_weight",
    .formula = "grad_weight[o,d] = sum_l,b grad_q[b,l,o] * x[b,l,d]",
    .torch = "grad_weight = torch.einsum('blo,bld->od', grad_q, x)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.label = "q",
             .of = "project",
             .formula = "grad_weight[o,d] = sum_l,b grad_q[b,l,o] * x[b,l,d]",
             .torch = "grad_weight = torch.einsum('blo,bld->od', grad_q, x)",
             .reads = {{.role = "grad.q", .axes = "B Lq Dk"},
                       {.role = "x_query", .axes = "B Lq Dq", .factor = FACTOR_STACKED}},
             .writes =
                 {{.role = "grad.q_proj.weight", .tensor = "grad.q_proj.weight", .axes = "Dk Dq"}}},
            {.label = "k",
             .of = "project",
             .formula = "grad_weight[o,d] = sum_l,b grad_k[b,l,o] * x[b,l,d]",
             .torch = "grad_weight = torch.einsum('blo,bld->od', grad_k, x)",
             .reads = {{.role = "grad.k", .axes = "B Lt Dk"},
                       {.role = "x", .axes = "B Lt Din", .factor = FACTOR_STACKED}},
             .writes = {{.role = "grad.k_proj.weight",
                         .tensor = "grad.k_proj.weight",
                         .axes = "Dk Din"}}},
            {.label = "v",
             .of = "project",
             .formula = "grad_weight[o,d] = sum_l,b grad_v[b,l,o] * x[b,l,d]",
             .torch = "grad_weight = torch.einsum('blo,bld->od', grad_v, x)",
             .reads = {{.role = "grad.v", .axes = "B Lt Dv"},
                       {.role = "x", .axes = "B Lt Din", .factor = FACTOR_STACKED}},
             .writes = {{.role = "grad.v_proj.weight",
                         .tensor = "grad.v_proj.weight",
                         .axes = "Dv Din"}}},
            {.label = "out",
             .of = "output_projection",
             .formula = "grad_weight[o,d] = sum_l,b grad_output[b,l,o] * context[b,l,d]",
             .torch = "grad_weight = torch.einsum('blo,bld->od', grad_output, context)",
             .reads = {{.role = "grad.output", .axes = "B Lq Dout"},
                       {.role = "context", .axes = "B Lq Dv", .factor = FACTOR_STACKED}},
             .writes = {{.role = "grad.out_proj.weight",
                         .tensor = "grad.out_proj.weight",
                         .axes = "Dout Dv"}}},
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = linear_backward_weight_run,
    .fast = fast_linear_backward_weight,
    .origin = linear_backward_weight_origin,
};
