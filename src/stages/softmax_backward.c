// Softmax, backward: a score should grow where its weight's gradient is above the mean of its row.
//
//   grad.scores[b,h,i,j] = weights[b,h,i,j] * (grad.weights[b,h,i,j] - row_sums[b,h,i])
//
// in    weights [B, H, Lq, Lk]   grad.weights [B, H, Lq, Lk]
//       row_sums [B, H, Lq]  of softmax_backward_sum
// out   grad.scores [B, H, Lq, Lk]  each row sums to 0, but for rounding; 0 where the weight is 0
// cost  B * H * Lq * Lk subtractions and multiplications
// from  Goodfellow et al. 2016, section 6.2.2.3: d w_j / d s_k = w_j * ([j = k] - w_k)
//
// Where one weight is nearly 1 and the others nearly 0, all of these are nearly 0: a saturated row
// learns no more. This is what dividing the scores by sqrt(d_k) is for.
#include "stage.h"

#include "fast.h"
#include "stages_words.h"

enum { IN_WEIGHTS, IN_GRAD, IN_SUMS };

static void softmax_backward(const Tensor *weights, const Tensor *grad_weights,
                             const Tensor *row_sums, Tensor *grad_scores)
{
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++) {
                    // If every weight of a row is
                    // wanted equally, nothing can be
                    // gained: what one gets another
                    // loses. Only what is above or
                    // below the mean counts.
                    float above =
                        *tensor_at4(grad_weights, b, h, i, j) - *tensor_at3(row_sums, b, h, i);
                    // A weight near 0 hardly moves
                    // with its score, so the
                    // gradient is small too.
                    *tensor_at4(grad_scores, b, h, i, j) = *tensor_at4(weights, b, h, i, j) * above;
                }
}

static bool softmax_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    softmax_backward(&args->in[IN_WEIGHTS], &args->in[IN_GRAD], &args->in[IN_SUMS], &args->out[0]);
    return true;
}

// Three terms, one operation each: the gradient, less the mean of the row, times the weight.
static void softmax_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                    TermVisit *visit, void *context)
{
    (void)slot;
    float weight = *tensor_at4(&args->in[IN_WEIGHTS], at[0], at[1], at[2], at[3]);
    float grad = *tensor_at4(&args->in[IN_GRAD], at[0], at[1], at[2], at[3]);
    float sum = *tensor_at3(&args->in[IN_SUMS], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(SOFTMAX_GRADIENT),
                           .source_count = 1,
                           .sources = {{IN_GRAD, {at[0], at[1], at[2], at[3]}}},
                           .value = grad,
                           .running = grad});
    visit(context, &(Term){.kind = TERM_SUBTRACT,
                           .what = TELL(SOFTMAX_MINUS_SUM),
                           .source_count = 1,
                           .sources = {{IN_SUMS, {at[0], at[1], at[2]}}},
                           .value = sum,
                           .running = grad - sum});
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(SOFTMAX_TIMES),
                           .source_count = 1,
                           .sources = {{IN_WEIGHTS, {at[0], at[1], at[2], at[3]}}},
                           .value = weight,
                           .running = weight * (grad - sum)});
}

const Stage stage_softmax_backward = {
    .name = "softmax_backward",
    .formula = "grad_scores[b,h,i,j] = weights[b,h,i,j] * "
               "(grad_weights[b,h,i,j] - row_sums[b,h,i])",
    .torch = "grad_scores = weights * (grad_weights - row_sums.unsqueeze(-1))",
    .source = "Goodfellow et al. 2016, section 6.2.2.3",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "softmax",
        .reads = {{.role = "weights", .axes = "B H Lq Lk"},
                  {.role = "grad.weights", .axes = "B H Lq Lk"},
                  {.role = "row_sums", .axes = "B H Lq"}},
        .writes = {{.role = "grad.scores", .tensor = "grad.scores", .axes = "B H Lq Lk"}},
    }},
    .terms = {[TERM_SUBTRACT] = "- *tensor_at3(row_sums", [TERM_FACTOR] = "* above"},
    .run = softmax_backward_run,
    .fast = fast_softmax_backward,
    .origin = softmax_backward_origin,
};
