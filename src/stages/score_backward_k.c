// Score, backward: what the loss wants of a key. Every query that looked at it pulls.
//
//   grad.k[b,h,j,d] = sum over i of grad.scores[b,h,i,j] * q[b,h,i,d]
//
// in    grad.scores [B, H, Lq, Lk]   q [B, H, Lq, d_k]
// out   grad.k [B, H, Lk, d_k]
// cost  B * H * Lq * Lk * d_k multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: s = q k^T gives dk = ds^T q
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_Q };

static void score_backward_k(const Tensor *grad_scores, const Tensor *q, Tensor *grad_k)
{
    for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_k->shape[1]; h++)
            for (ptrdiff_t j = 0; j < grad_k->shape[2]; j++)
                for (ptrdiff_t d = 0; d < grad_k->shape[3]; d++) {
                    // Key j was scored by every
                    // query: its scores are column
                    // j. So i is summed over, and j
                    // is chosen outside.
                    float sum = 0.0f;
                    // A query that may not see the
                    // key has gradient 0 there: it
                    // adds 0 times q.
                    for (ptrdiff_t i = 0; i < q->shape[2]; i++)
                        sum = fmaf(*tensor_at4(grad_scores, b, h, i, j), *tensor_at4(q, b, h, i, d),
                                   sum);
                    *tensor_at4(grad_k, b, h, j, d) = sum;
                }
}

static bool score_backward_k_run(StageArgs *args, Error *err)
{
    (void)err;
    score_backward_k(&args->in[IN_GRAD], &args->in[IN_Q], &args->out[0]);
    return true;
}

// A term for each query of the same head: how much it wants their score to move, times
// number d of the query.
static void score_backward_k_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                    TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], j = at[2], d = at[3];
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < args->in[IN_Q].shape[2]; i++) {
        float left = *tensor_at4(&args->in[IN_GRAD], b, h, i, j);
        float right = *tensor_at4(&args->in[IN_Q], b, h, i, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_GRAD, {b, h, i, j}}, {IN_Q, {b, h, i, d}}},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_score_backward_k = {
    .name = "score_backward_k",
    .formula = "grad_k[b,h,j,d] = sum_i grad_scores[b,h,i,j] * q[b,h,i,d]",
    .torch = "grad_k = torch.matmul(grad_scores.transpose(-2, -1), q)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "score",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk"},
                  {.role = "q", .axes = "B H Lq d_k", .factor = FACTOR_COLUMNS}},
        .writes = {{.role = "grad.k", .tensor = "grad.k", .axes = "B H Lk d_k"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = score_backward_k_run,
    .fast = fast_product_of_transposed,
    .origin = score_backward_k_origin,
};
