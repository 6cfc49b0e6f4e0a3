// Weighted sum, backward: what the loss wants of a weight. A value that points along the gradient
// deserves more of it.
//
//   grad.weights[b,h,i,j] = sum over d of grad.context[b,h,i,d] * v[b,h,j,d]
//
// in    grad.context [B, H, Lq, d_v]   v [B, H, Lk, d_v]
// out   grad.weights [B, H, Lq, Lk]
// cost  B * H * Lq * Lk * d_v multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = w v gives dw = dy v^T
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_V };

static void weighted_sum_backward(const Tensor *grad_context, const Tensor *v, Tensor *grad_weights)
{
    for (ptrdiff_t b = 0; b < grad_weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_weights->shape[3]; j++) {
                    // A dot product, as in stage
                    // score: there of a query and a
                    // key, here of the gradient and
                    // a value. It says how much the
                    // loss would change with more of
                    // value j.
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < v->shape[3]; d++)
                        sum = fmaf(*tensor_at4(grad_context, b, h, i, d),
                                   *tensor_at4(v, b, h, j, d), sum);
                    *tensor_at4(grad_weights, b, h, i, j) = sum;
                }
}

static bool weighted_sum_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    weighted_sum_backward(&args->in[IN_GRAD], &args->in[IN_V], &args->out[0]);
    return true;
}

// Along the d_v numbers that one value has; no other key takes part.
static void weighted_sum_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                         TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], i = at[2], j = at[3];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_V].shape[3]; d++) {
        float left = *tensor_at4(&args->in[IN_GRAD], b, h, i, d);
        float right = *tensor_at4(&args->in[IN_V], b, h, j, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_GRAD, {b, h, i, d}}, {IN_V, {b, h, j, d}}},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_weighted_sum_backward = {
    .name = "weighted_sum_backward",
    .formula = "grad_weights[b,h,i,j] = sum_d grad_context[b,h,i,d] * v[b,h,j,d]",
    .torch = "grad_weights = torch.matmul(grad_context, v.transpose(-2, -1))",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "weighted_sum",
        .reads = {{.role = "grad.context", .axes = "B H Lq d_v"},
                  {.role = "v", .axes = "B H Lk d_v", .factor = FACTOR_ROWS}},
        .writes = {{.role = "grad.weights", .tensor = "grad.weights", .axes = "B H Lq Lk"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = weighted_sum_backward_run,
    .fast = fast_matrix_product,
    .origin = weighted_sum_backward_origin,
};
