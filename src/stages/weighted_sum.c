// The mixture of values, and the gradients of weights and values.
#include <math.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"

// --- weighted_sum
//
// Weighted sum: every query gets a mixture of the values, in proportion to its weights.
//
//   context[b,h,i,d] = sum over j of weights[b,h,i,j] * v[b,h,j,d]
//
// in    weights [B, H, Lq, Lk]   v [B, H, Lk, d_v]
// out   context_heads [B, H, Lq, d_v]
// loops b: each sequence; h: each head; i: each query; d: each number of its result. The innermost
//       loop runs over all keys j and adds weight j times number d of value j. A key of weight 0.9
//       gives nine tenths of its value, one of weight 0 nothing
// cost  B * H * Lq * Lk * d_v multiply-adds
// from  Vaswani et al. 2017, section 3.2.1, eq. 1
//
// Keys with weight 0 are not skipped: 0 * NaN is NaN, in PyTorch too.

static void weighted_sum(const Tensor *weights, const Tensor *v, Tensor *context)
{
    // [Lq, Lk] times [Lk, d_v] is [Lq, d_v]:
    // the keys are summed away. Each query
    // has one row left, however many keys
    // there were.
    for (ptrdiff_t b = 0; b < context->shape[0]; b++)
        for (ptrdiff_t h = 0; h < context->shape[1]; h++)
            for (ptrdiff_t i = 0; i < context->shape[2]; i++)
                for (ptrdiff_t d = 0; d < context->shape[3]; d++) {
                    // A new sum for each d: mixes
                    // number 0 of all values, then
                    // number 1.
                    float sum = 0.0f;
                    for (ptrdiff_t j = 0; j < v->shape[2]; j++)
                        sum =
                            fmaf(*tensor_at4(weights, b, h, i, j), *tensor_at4(v, b, h, j, d), sum);
                    *tensor_at4(context, b, h, i, d) = sum;
                }
}

RUN_ON_TWO(weighted_sum)

const Stage stage_weighted_sum = {
    .name = "weighted_sum",
    .formula = "context[b,h,i,d] = sum_j weights[b,h,i,j] * v[b,h,j,d]",
    .torch = "context = torch.matmul(weights, v)",
    .source = "Vaswani et al. 2017, section 3.2.1, eq. 1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("weights", "B H Lq Lk"), SLOT("v", "B H Lk d_v", .factor = FACTOR_COLUMNS)},
        .writes = {NAMED_SLOT("context", "context_heads", "B H Lq d_v")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = weighted_sum_run,
    .fast = fast_matrix_product,
};

// --- weighted_sum_backward
//
// Weighted sum, backward: the gradient of a weight: the dot product of its value and the result's
// gradient.
//
//   grad.weights[b,h,i,j] = sum over d of grad.context[b,h,i,d] * v[b,h,j,d]
//
// in    grad.context [B, H, Lq, d_v]   v [B, H, Lk, d_v]
// out   grad.weights [B, H, Lq, Lk]
// cost  B * H * Lq * Lk * d_v multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = w v gives dw = dy v^T

static void weighted_sum_backward(const Tensor *grad_context, const Tensor *v, Tensor *grad_weights)
{
    for (ptrdiff_t b = 0; b < grad_weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_weights->shape[3]; j++) {
                    // A dot product as in stage
                    // score, here of the gradient
                    // and a value: how much the loss
                    // would grow with more of value
                    // j.
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < v->shape[3]; d++)
                        sum = fmaf(*tensor_at4(grad_context, b, h, i, d),
                                   *tensor_at4(v, b, h, j, d), sum);
                    *tensor_at4(grad_weights, b, h, i, j) = sum;
                }
}

RUN_ON_TWO(weighted_sum_backward)

const Stage stage_weighted_sum_backward = {
    .name = "weighted_sum_backward",
    .formula = "grad_weights[b,h,i,j] = sum_d grad_context[b,h,i,d] * v[b,h,j,d]",
    .torch = "grad_weights = torch.matmul(grad_context, v.transpose(-2, -1))",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
                  .of = "weighted_sum",
                  .reads = {SLOT("grad.context", "B H Lq d_v"),
                            SLOT("v", "B H Lk d_v", .factor = FACTOR_ROWS)},
                  .writes = {NAMED_SLOT("grad.weights", "grad.weights", "B H Lq Lk")},
              },
              {
                  // For recomputed weights.
                  .of = "normalise",
                  .reads = {SLOT("grad.context", "B H Lq d_v"),
                            SLOT("v", "B H Lk d_v", .factor = FACTOR_ROWS, .from_before = true)},
                  .writes = {NAMED_SLOT("grad_weights", "grad.weights_again", "B H Lq Lk")},
              }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = weighted_sum_backward_run,
    .fast = fast_matrix_product,
};

// --- weighted_sum_backward_v
//
// Weighted sum, backward: the gradient of a value: the gradients of all queries, in proportion to
// their weights.
//
//   grad.v[b,h,j,d] = sum over i of weights[b,h,i,j] * grad.context[b,h,i,d]
//
// in    weights [B, H, Lq, Lk]   grad.context [B, H, Lq, d_v]
// out   grad.v [B, H, Lk, d_v]
// cost  B * H * Lq * Lk * d_v multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = w v gives dv = w^T dy

static void weighted_sum_backward_v(const Tensor *weights, const Tensor *grad_context,
                                    Tensor *grad_v)
{
    for (ptrdiff_t b = 0; b < grad_v->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_v->shape[1]; h++)
            for (ptrdiff_t j = 0; j < grad_v->shape[2]; j++)
                for (ptrdiff_t d = 0; d < grad_v->shape[3]; d++) {
                    // Forward, query i took
                    // weights[i,j] of value j. The
                    // same share of its gradient
                    // goes back to the value: column
                    // j of the weights, forward row
                    // i.
                    float sum = 0.0f;
                    for (ptrdiff_t i = 0; i < grad_context->shape[2]; i++)
                        sum = fmaf(*tensor_at4(weights, b, h, i, j),
                                   *tensor_at4(grad_context, b, h, i, d), sum);
                    *tensor_at4(grad_v, b, h, j, d) = sum;
                }
}

RUN_ON_TWO(weighted_sum_backward_v)

const Stage stage_weighted_sum_backward_v = {
    .name = "weighted_sum_backward_v",
    .formula = "grad_v[b,h,j,d] = sum_i weights[b,h,i,j] * grad_context[b,h,i,d]",
    .torch = "grad_v = torch.matmul(weights.transpose(-2, -1), grad_context)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
                  .of = "weighted_sum",
                  .reads = {SLOT("weights", "B H Lq Lk"),
                            SLOT("grad.context", "B H Lq d_v", .factor = FACTOR_COLUMNS)},
                  .writes = {NAMED_SLOT("grad.v", "grad.v", "B H Lk d_v")},
              },
              {
                  .of = "normalise",
                  .reads = {SLOT("weights", "B H Lq Lk"),
                            SLOT("grad.context", "B H Lq d_v", .factor = FACTOR_COLUMNS)},
                  .writes = {NAMED_SLOT("grad.v", "grad.v", "B H Lk d_v")},
              }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = weighted_sum_backward_v_run,
    .fast = fast_product_of_transposed,
};
