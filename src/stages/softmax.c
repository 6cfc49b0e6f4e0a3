// Softmax over the keys, and its gradient in two parts.
#include <math.h>
#include "fast.h"
#include "kernel.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- softmax
//
// Softmax: turns each row of scores into weights that sum to 1.
//
//   weights[b,h,i,j] = e^(scores[b,h,i,j] - m) / sum over j' of e^(scores[b,h,i,j'] - m)
//   m                = the largest score of the row
//
// in    scores  [B, H, Lq, Lk]  -inf marks a masked key
// out   weights [B, H, Lq, Lk]  in [0, 1]; a masked key gets exactly 0
// loops b: each sequence; h: each head; i: each query, whose row is its own distribution. Then
//       three passes over the keys j of the row: find the largest score; take e^(score - largest)
//       of each and add them; divide each by that sum, so that the row's weights sum to 1
// note  a row whose keys are all masked has no distribution: -inf - -inf is NaN, and NaN fills the
//       row, as in PyTorch
// cost  B * H * Lq * Lk exponentials and divisions
// from  Vaswani et al. 2017, section 3.2.1, eq. 1; subtracting the maximum: Goodfellow et al. 2016,
//       section 4.1. It changes no quotient and keeps e^x from overflowing.
//
// The order of the sum is fixed: 16 lanes, lane l adding the elements j = l, l + 16, l + 32 ...;
// then neighbours are added, four times. A vector unit can do the same without changing a bit.

enum { SUM_LANES = 16 };

// Adds neighbours until one number is left: (0+1), (2+3), ...; then pairs of those; four rounds.
static float sum_of_lanes(const float lanes[SUM_LANES])
{
    float sum[SUM_LANES];
    for (int lane = 0; lane < SUM_LANES; lane++)
        sum[lane] = lanes[lane];
    for (int width = SUM_LANES; width > 1; width /= 2)
        for (int lane = 0; lane < width / 2; lane++)
            sum[lane] = sum[2 * lane] + sum[2 * lane + 1];
    return sum[0];
}

static void softmax_row(const Tensor *scores, ptrdiff_t b, ptrdiff_t h, ptrdiff_t i,
                        Tensor *weights)
{
    // Below every finite score, so the first
    // of them replaces it.
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        if (*tensor_at4(scores, b, h, i, j) > max)
            max = *tensor_at4(scores, b, h, i, j);

    // e^89 overflows float32, and inf / inf
    // is NaN. Minus the largest score, no
    // exponent is above 0. The quotients
    // stay: e^-m cancels.
    float lanes[SUM_LANES] = {0};
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        // A masked key, -inf, gives 0: it adds
        // nothing and gets nothing.
        float e = exponential(*tensor_at4(scores, b, h, i, j) - max);
        *tensor_at4(weights, b, h, i, j) = e;
        lanes[j % SUM_LANES] += e;
    }

    // At least 1 if any key is visible: the
    // largest score gives e^0. So no division
    // by 0.
    float sum = sum_of_lanes(lanes);
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        *tensor_at4(weights, b, h, i, j) /= sum;
}

static void softmax(const Tensor *scores, Tensor *weights)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                softmax_row(scores, b, h, i, weights);
}

RUN_ON_ONE(softmax)

// One weight depends on the whole row, through the maximum and the sum. So there are two passes
// over the row, and a last term divides this key's exponential by the sum.
static void softmax_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *scores = &terms->args->in[0];
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float score = *tensor_at4(scores, at[0], at[1], at[2], j);
        max = score > max ? score : max;
        term_one(terms, TERM_MAXIMUM, NULL, SOURCE(0, at[0], at[1], at[2], j), score, max);
    }

    float lanes[SUM_LANES] = {0}, own = 0.0f;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float e = exponential(*tensor_at4(scores, at[0], at[1], at[2], j) - max);
        lanes[j % SUM_LANES] += e;
        own = j == at[3] ? e : own;
        term_one(terms, TERM_EXP, NULL, SOURCE(0, at[0], at[1], at[2], j), e, lanes[j % SUM_LANES]);
    }

    float sum = sum_of_lanes(lanes);
    term_none(terms, TERM_LANES, NULL, sum, sum);
    term_one(terms, TERM_QUOTIENT, NULL, term_here(terms, 0, at), own, own / sum);
}

const Stage stage_softmax = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = e[j] / sum_k e[k]; "
               "e[k] = exp(scores[b,h,i,k] - max_m scores[b,h,i,m])",
    .torch = "weights = F.softmax(scores, dim=-1)",
    .source = "Vaswani et al. 2017, section 3.2.1, eq. 1",
    .influence = INFLUENCE_BY_ROW,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk")},
        .writes = {NAMED_SLOT("weights", "attn_weights", "B H Lq Lk", .sums_to_one = true)},
    }},
    .unless = OPTION(softmax_block),
    .loop = "softmax_row",
    .terms = {[TERM_MAXIMUM] = "> max)",
              [TERM_EXP] = "exponential(",
              [TERM_LANES] = "= sum_of_lanes(",
              [TERM_QUOTIENT] = "/= sum"},
    .run = softmax_run,
    .fast = fast_softmax,
    .origin = softmax_origin,
};

// --- prediction
//
// Prediction: turns the logits of each question into probabilities of words, by softmax.
//
//   probabilities[b,q,l,w] = e^(logits[b,q,l,w] - m) / sum over w' of e^(logits[b,q,l,w'] - m)
//   m                      = the largest logit of the row
//
// in    logits        [B, Q, Lq, V]
// out   probabilities [B, Q, Lq, V]  in [0, 1]; each row sums to 1
// cost  B * Q * Lq * V exponentials and divisions
// from  Vaswani et al. 2017, section 3.4; the same sums in the same order as stage softmax

static void prediction_row(const Tensor *logits, ptrdiff_t b, ptrdiff_t q, ptrdiff_t l,
                           Tensor *probabilities)
{
    // A row has V words here, not Lk keys.
    // Any word may be the answer, so nothing
    // is masked.
    float max = -INFINITY;
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++)
        if (*tensor_at4(logits, b, q, l, w) > max)
            max = *tensor_at4(logits, b, q, l, w);

    float lanes[SUM_LANES] = {0};
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++) {
        float e = exponential(*tensor_at4(logits, b, q, l, w) - max);
        *tensor_at4(probabilities, b, q, l, w) = e;
        lanes[w % SUM_LANES] += e;
    }

    // After the division the words share a
    // total of 1: what one gains, the others
    // lose.
    float sum = sum_of_lanes(lanes);
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++)
        *tensor_at4(probabilities, b, q, l, w) /= sum;
}

static void prediction(const Tensor *logits, Tensor *probabilities)
{
    for (ptrdiff_t b = 0; b < logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < logits->shape[1]; q++)
            for (ptrdiff_t l = 0; l < logits->shape[2]; l++)
                prediction_row(logits, b, q, l, probabilities);
}

RUN_ON_ONE(prediction)

const Stage stage_prediction = {
    .name = "prediction",
    .formula = "probabilities[b,q,l,w] = e[w] / sum_v e[v]; "
               "e[v] = exp(logits[b,q,l,v] - max_m logits[b,q,l,m])",
    .torch = "probabilities = F.softmax(logits, dim=-1)",
    .source = "Vaswani et al. 2017, section 3.4",
    .influence = INFLUENCE_BY_ROW,
    .calls = {{
                  .reads = {SLOT("logits", "B Q Lq V")},
                  .writes = {NAMED_SLOT("probabilities", "probabilities", "B Q Lq V")},
              },
              {
                  // For the next token alone.
                  .turn = 1,
                  .formula = "next_probabilities[b,q,0,w] = e[w] / sum_v e[v]; "
                             "e[v] = exp(last_logits[b,q,0,v] - max_m last_logits[b,q,0,m])",
                  .torch = "p = F.softmax(logits, dim=-1)",
                  .reads = {SLOT("last_logits", "B Q 1 V")},
                  .writes = {NAMED_SLOT("next_probabilities", "next_probabilities", "B Q 1 V")},
              }},
    .loop = "prediction_row",
    .terms = {[TERM_MAXIMUM] = "> max)",
              [TERM_EXP] = "exponential(",
              [TERM_LANES] = "= sum_of_lanes(",
              [TERM_QUOTIENT] = "/= sum"},
    .run = prediction_run,
    .fast = fast_softmax,
    .origin = softmax_origin,
};

// --- softmax_backward_sum
//
// Softmax, backward, first part: how much the gradients of a row would lift all its weights at once.
// They cannot: weights sum to 1, so what one gains the others lose.
//
//   row_sums[b,h,i] = sum over j of weights[b,h,i,j] * grad.weights[b,h,i,j]
//
// in    weights [B, H, Lq, Lk]   grad.weights [B, H, Lq, Lk]
// out   row_sums [B, H, Lq]  the row's mean gradient, weighted
// cost  B * H * Lq * Lk multiply-adds
// from  Goodfellow et al. 2016, section 6.2.2.3

static void softmax_backward_sum(const Tensor *weights, const Tensor *grad_weights,
                                 Tensor *row_sums)
{
    for (ptrdiff_t b = 0; b < row_sums->shape[0]; b++)
        for (ptrdiff_t h = 0; h < row_sums->shape[1]; h++)
            for (ptrdiff_t i = 0; i < row_sums->shape[2]; i++) {
                // One number per row: j is summed
                // away. All scores of the row need
                // it, so it is computed once, not
                // Lk times.
                float sum = 0.0f;
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
                    sum = fmaf(*tensor_at4(weights, b, h, i, j),
                               *tensor_at4(grad_weights, b, h, i, j), sum);
                *tensor_at3(row_sums, b, h, i) = sum;
            }
}

RUN_ON_TWO(softmax_backward_sum)

const Stage stage_softmax_backward_sum = {
    .name = "softmax_backward_sum",
    .formula = "row_sums[b,h,i] = sum_j weights[b,h,i,j] * grad_weights[b,h,i,j]",
    .torch = "row_sums = (weights * grad_weights).sum(-1)",
    .source = "Goodfellow et al. 2016, section 6.2.2.3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "softmax",
        .reads = {SLOT("weights", "B H Lq Lk"), SLOT("grad.weights", "B H Lq Lk")},
        .writes = {NAMED_SLOT("row_sums", "row_sums", "B H Lq")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = softmax_backward_sum_run,
    .fast = fast_softmax_backward_sum,
};

// --- softmax_backward
//
// Softmax, backward: a score should grow where its weight's gradient is above the mean of its row.
//
//   grad.scores[b,h,i,j] = weights[b,h,i,j] * (grad.weights[b,h,i,j] - row_sums[b,h,i])
//
// in    weights [B, H, Lq, Lk]   grad.weights [B, H, Lq, Lk]
//       row_sums [B, H, Lq]  of softmax_backward_sum
// out   grad.scores [B, H, Lq, Lk]  each row sums to 0, except for rounding; 0 where the weight is
//       0
// cost  B * H * Lq * Lk subtractions and multiplications
// from  Goodfellow et al. 2016, section 6.2.2.3: d w_j / d s_k = w_j * ([j = k] - w_k)
//
// Where one weight is nearly 1 and the others nearly 0, all of these are nearly 0: a saturated row
// learns no more. This is what dividing the scores by sqrt(d_k) is for.

enum { SOFTMAX_BACKWARD_IN_WEIGHTS, SOFTMAX_BACKWARD_IN_GRAD, SOFTMAX_BACKWARD_IN_SUMS };

static void softmax_backward(const Tensor *weights, const Tensor *grad_weights,
                             const Tensor *row_sums, Tensor *grad_scores)
{
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++) {
                    // If all weights of a row should
                    // grow equally, none can: what
                    // one gains another loses. Only
                    // the difference from the mean
                    // counts.
                    float above =
                        *tensor_at4(grad_weights, b, h, i, j) - *tensor_at3(row_sums, b, h, i);
                    // A weight near 0 hardly moves
                    // with its score, so its
                    // gradient is small.
                    *tensor_at4(grad_scores, b, h, i, j) = *tensor_at4(weights, b, h, i, j) * above;
                }
}

RUN_ON_THREE(softmax_backward)

// Three terms, one operation each: the gradient, minus the row's mean, times the weight.
static void softmax_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    Source sum = SOURCE(SOFTMAX_BACKWARD_IN_SUMS, at[0], at[1], at[2]);
    float taken = term_number(terms, sum);
    term_copy(terms, TERM_COPY, TELL(SOFTMAX_GRADIENT),
              term_here(terms, SOFTMAX_BACKWARD_IN_GRAD, at));
    term_one(terms, TERM_SUBTRACT, TELL(SOFTMAX_MINUS_SUM), sum, taken, terms->running - taken);
    Source weight = term_here(terms, SOFTMAX_BACKWARD_IN_WEIGHTS, at);
    float factor = term_number(terms, weight);
    term_one(terms, TERM_FACTOR, TELL(SOFTMAX_TIMES), weight, factor, factor * terms->running);
}

const Stage stage_softmax_backward = {
    .name = "softmax_backward",
    .formula = "grad_scores[b,h,i,j] = weights[b,h,i,j] * "
               "(grad_weights[b,h,i,j] - row_sums[b,h,i])",
    .torch = "grad_scores = weights * (grad_weights - row_sums.unsqueeze(-1))",
    .source = "Goodfellow et al. 2016, section 6.2.2.3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
                  .of = "softmax",
                  .reads = {SLOT("weights", "B H Lq Lk"), SLOT("grad.weights", "B H Lq Lk"),
                            SLOT("row_sums", "B H Lq")},
                  .writes = {NAMED_SLOT("grad.scores", "grad.scores", "B H Lq Lk")},
              },
              {
                  .of = "normalise",
                  .reads = {SLOT("weights", "B H Lq Lk"), SLOT("grad_weights", "B H Lq Lk"),
                            SLOT("row_sums", "B H Lq")},
                  .writes = {NAMED_SLOT("grad.scores", "grad.scores", "B H Lq Lk")},
              }},
    .terms = {[TERM_SUBTRACT] = "- *tensor_at3(row_sums", [TERM_FACTOR] = "* above"},
    .run = softmax_backward_run,
    .fast = fast_softmax_backward,
    .origin = softmax_backward_origin,
};
