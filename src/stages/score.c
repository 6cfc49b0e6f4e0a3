// How well a query fits a key, and the gradients of both.
#include <math.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"

// --- score
//
// Score: how well each query fits each key: their dot product in each head.
//
//   scores[b,h,i,j] = sum over d of q[b,h,i,d] * k[b,h,j,d]
//
// in    q [B, H, Lq, d_k]   k [B, H, Lk, d_k]
// out   scores [B, H, Lq, Lk]  rows are queries, columns are keys; any size, no unit
// loops b: each sequence; h: each head, which sees only its own d_k columns; i: each query, a row
//       of the result; j: each key, a column. The innermost loop runs along the numbers d of both
//       vectors and adds the products. The sum is large if the two point the same way, near 0 if
//       they have little in common, negative if they point apart
// cost  B * H * Lq * Lk * d_k multiply-adds
// from  Vaswani et al. 2017, section 3.2.1 (Q K^T; scale is a separate stage)

static void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    // A query and a key have d_k numbers
    // each. Only this width must match: there
    // may be more keys than queries.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    float sum = 0.0f;
                    // The paper transposes K. That
                    // needs no copy: its column j is
                    // row j of k.
                    for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                        sum = fmaf(*tensor_at4(q, b, h, i, d), *tensor_at4(k, b, h, j, d), sum);
                    *tensor_at4(scores, b, h, i, j) = sum;
                }
}

RUN_ON_TWO(score)

const Stage stage_score = {
    .name = "score",
    .formula = "scores[b,h,i,j] = sum_d q[b,h,i,d] * k[b,h,j,d]",
    .torch = "scores = torch.matmul(q, k.transpose(-2, -1))",
    .source = "Vaswani et al. 2017, section 3.2.1, eq. 1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("q", "B H Lq d_k"), SLOT("k", "B H Lk d_k", .factor = FACTOR_ROWS)},
        .writes = {NAMED_SLOT("scores", "scores", "B H Lq Lk")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = score_run,
    .fast = fast_score,
};

// --- score_backward_q
//
// Score, backward: the gradient of a query. Keys whose score should grow pull it towards them.
//
//   grad.q[b,h,i,d] = sum over j of grad.scores[b,h,i,j] * k[b,h,j,d]
//
// in    grad.scores [B, H, Lq, Lk]   k [B, H, Lk, d_k]
// out   grad.q [B, H, Lq, d_k]
// cost  B * H * Lq * Lk * d_k multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: s = q k^T gives dq = ds k

static void score_backward_q(const Tensor *grad_scores, const Tensor *k, Tensor *grad_q)
{
    for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_q->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_q->shape[2]; i++)
                for (ptrdiff_t d = 0; d < grad_q->shape[3]; d++) {
                    // Query i was scored against
                    // every key, in row i. The
                    // result mixes keys as attention
                    // mixes values; but these
                    // factors may be negative and
                    // push away.
                    float sum = 0.0f;
                    for (ptrdiff_t j = 0; j < k->shape[2]; j++)
                        sum = fmaf(*tensor_at4(grad_scores, b, h, i, j), *tensor_at4(k, b, h, j, d),
                                   sum);
                    *tensor_at4(grad_q, b, h, i, d) = sum;
                }
}

RUN_ON_TWO(score_backward_q)

const Stage stage_score_backward_q = {
    .name = "score_backward_q",
    .formula = "grad_q[b,h,i,d] = sum_j grad_scores[b,h,i,j] * k[b,h,j,d]",
    .torch = "grad_q = torch.matmul(grad_scores, k)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "score",
        .reads = {SLOT("grad.scores", "B H Lq Lk"),
                  SLOT("k", "B H Lk d_k", .factor = FACTOR_COLUMNS)},
        .writes = {NAMED_SLOT("grad.q", "grad.q", "B H Lq d_k")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = score_backward_q_run,
    .fast = fast_matrix_product,
};

// --- score_backward_k
//
// Score, backward: the gradient of a key. Every query that looked at it pulls.
//
//   grad.k[b,h,j,d] = sum over i of grad.scores[b,h,i,j] * q[b,h,i,d]
//
// in    grad.scores [B, H, Lq, Lk]   q [B, H, Lq, d_k]
// out   grad.k [B, H, Lk, d_k]
// cost  B * H * Lq * Lk * d_k multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: s = q k^T gives dk = ds^T q

static void score_backward_k(const Tensor *grad_scores, const Tensor *q, Tensor *grad_k)
{
    for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_k->shape[1]; h++)
            for (ptrdiff_t j = 0; j < grad_k->shape[2]; j++)
                for (ptrdiff_t d = 0; d < grad_k->shape[3]; d++) {
                    // Every query scored key j, in
                    // column j. So the sum runs over
                    // i, for each j.
                    float sum = 0.0f;
                    // A query that may not see the
                    // key has gradient 0: it adds 0
                    // times q.
                    for (ptrdiff_t i = 0; i < q->shape[2]; i++)
                        sum = fmaf(*tensor_at4(grad_scores, b, h, i, j), *tensor_at4(q, b, h, i, d),
                                   sum);
                    *tensor_at4(grad_k, b, h, j, d) = sum;
                }
}

RUN_ON_TWO(score_backward_k)

const Stage stage_score_backward_k = {
    .name = "score_backward_k",
    .formula = "grad_k[b,h,j,d] = sum_i grad_scores[b,h,i,j] * q[b,h,i,d]",
    .torch = "grad_k = torch.matmul(grad_scores.transpose(-2, -1), q)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "score",
        .reads = {SLOT("grad.scores", "B H Lq Lk"),
                  SLOT("q", "B H Lq d_k", .factor = FACTOR_COLUMNS)},
        .writes = {NAMED_SLOT("grad.k", "grad.k", "B H Lk d_k")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = score_backward_k_run,
    .fast = fast_product_of_transposed,
};
