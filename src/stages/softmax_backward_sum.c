// Softmax, backward, first part: how much the gradients of a row would lift all its weights at once.
// They cannot: weights sum to 1, so what one gains the others lose.
//
//   row_sums[b,h,i] = sum over j of weights[b,h,i,j] * grad.weights[b,h,i,j]
//
// in    weights [B, H, Lq, Lk]   grad.weights [B, H, Lq, Lk]
// out   row_sums [B, H, Lq]  the row's mean gradient, weighted
// cost  B * H * Lq * Lk multiply-adds
// from  Goodfellow et al. 2016, section 6.2.2.3
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_WEIGHTS, IN_GRAD };

static void softmax_backward_sum(const Tensor *weights, const Tensor *grad_weights,
                                 Tensor *row_sums)
{
    for (ptrdiff_t b = 0; b < row_sums->shape[0]; b++)
        for (ptrdiff_t h = 0; h < row_sums->shape[1]; h++)
            for (ptrdiff_t i = 0; i < row_sums->shape[2]; i++) {
                // One number for a row: j is
                // summed away. All scores of the
                // row will need it, so it is made
                // once here and not Lk times
                // there.
                float sum = 0.0f;
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
                    sum = fmaf(*tensor_at4(weights, b, h, i, j),
                               *tensor_at4(grad_weights, b, h, i, j), sum);
                *tensor_at3(row_sums, b, h, i) = sum;
            }
}

static bool softmax_backward_sum_run(StageArgs *args, Error *err)
{
    (void)err;
    softmax_backward_sum(&args->in[IN_WEIGHTS], &args->in[IN_GRAD], &args->out[0]);
    return true;
}

// The whole row, key by key: its weight times its gradient.
static void softmax_backward_sum_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                        TermVisit *visit, void *context)
{
    (void)slot;
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < args->in[IN_WEIGHTS].shape[3]; j++) {
        float left = *tensor_at4(&args->in[IN_WEIGHTS], at[0], at[1], at[2], j);
        float right = *tensor_at4(&args->in[IN_GRAD], at[0], at[1], at[2], j);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_WEIGHTS, {at[0], at[1], at[2], j}},
                                           {IN_GRAD, {at[0], at[1], at[2], j}}},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_softmax_backward_sum = {
    .name = "softmax_backward_sum",
    .formula = "row_sums[b,h,i] = sum_j weights[b,h,i,j] * grad_weights[b,h,i,j]",
    .torch = "row_sums = (weights * grad_weights).sum(-1)",
    .source = "Goodfellow et al. 2016, section 6.2.2.3",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "softmax",
        .reads = {{.role = "weights", .axes = "B H Lq Lk"},
                  {.role = "grad.weights", .axes = "B H Lq Lk"}},
        .writes = {{.role = "row_sums", .tensor = "row_sums", .axes = "B H Lq"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = softmax_backward_sum_run,
    .fast = fast_softmax_backward_sum,
    .origin = softmax_backward_sum_origin,
};
