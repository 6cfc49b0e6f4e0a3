// Weighted sum, backward: what the loss wants of a value. Every query that took some of it has a say,
// as large as its weight.
//
//   grad.v[b,h,j,d] = sum over i of weights[b,h,i,j] * grad.context[b,h,i,d]
//
// in    weights [B, H, Lq, Lk]   grad.context [B, H, Lq, d_v]
// out   grad.v [B, H, Lk, d_v]
// cost  B * H * Lq * Lk * d_v multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = w v gives dv = w^T dy
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_WEIGHTS, IN_GRAD };

static void weighted_sum_backward_v(const Tensor *weights, const Tensor *grad_context,
                                    Tensor *grad_v)
{
    for (ptrdiff_t b = 0; b < grad_v->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_v->shape[1]; h++)
            for (ptrdiff_t j = 0; j < grad_v->shape[2]; j++)
                for (ptrdiff_t d = 0; d < grad_v->shape[3]; d++) {
                    // Forward query i took
                    // weights[i,j] of value j. The
                    // same share of its gradient
                    // goes back to the value. That
                    // is column j of the weights;
                    // forward it was row i.
                    float sum = 0.0f;
                    for (ptrdiff_t i = 0; i < grad_context->shape[2]; i++)
                        sum = fmaf(*tensor_at4(weights, b, h, i, j),
                                   *tensor_at4(grad_context, b, h, i, d), sum);
                    *tensor_at4(grad_v, b, h, j, d) = sum;
                }
}

static bool weighted_sum_backward_v_run(StageArgs *args, Error *err)
{
    (void)err;
    weighted_sum_backward_v(&args->in[IN_WEIGHTS], &args->in[IN_GRAD], &args->out[0]);
    return true;
}

// A term for each query, in their order, also for one that gave this key no weight.
static void weighted_sum_backward_v_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                           TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], j = at[2], d = at[3];
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < args->in[IN_GRAD].shape[2]; i++) {
        float left = *tensor_at4(&args->in[IN_WEIGHTS], b, h, i, j);
        float right = *tensor_at4(&args->in[IN_GRAD], b, h, i, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_WEIGHTS, {b, h, i, j}}, {IN_GRAD, {b, h, i, d}}},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_weighted_sum_backward_v = {
    .name = "weighted_sum_backward_v",
    .formula = "grad_v[b,h,j,d] = sum_i weights[b,h,i,j] * grad_context[b,h,i,d]",
    .torch = "grad_v = torch.matmul(weights.transpose(-2, -1), grad_context)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "weighted_sum",
        .reads = {{.role = "weights", .axes = "B H Lq Lk"},
                  {.role = "grad.context", .axes = "B H Lq d_v", .factor = FACTOR_COLUMNS}},
        .writes = {{.role = "grad.v", .tensor = "grad.v", .axes = "B H Lk d_v"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = weighted_sum_backward_v_run,
    .fast = fast_product_of_transposed,
    .origin = weighted_sum_backward_v_origin,
};
