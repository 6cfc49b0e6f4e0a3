// Score, backward: what the loss wants of a query. Keys whose score should grow pull it towards them.
//
//   grad.q[b,h,i,d] = sum over j of grad.scores[b,h,i,j] * k[b,h,j,d]
//
// in    grad.scores [B, H, Lq, Lk]   k [B, H, Lk, d_k]
// out   grad.q [B, H, Lq, d_k]
// cost  B * H * Lq * Lk * d_k multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: s = q k^T gives dq = ds k
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_K };

static void score_backward_q(const Tensor *grad_scores, const Tensor *k, Tensor *grad_q)
{
    for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_q->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_q->shape[2]; i++)
                for (ptrdiff_t d = 0; d < grad_q->shape[3]; d++) {
                    // Query i was scored against
                    // every key: its scores are row
                    // i. The result mixes keys, as
                    // attention mixes values; but
                    // these factors may be negative,
                    // and then push the query away.
                    float sum = 0.0f;
                    for (ptrdiff_t j = 0; j < k->shape[2]; j++)
                        sum = fmaf(*tensor_at4(grad_scores, b, h, i, j), *tensor_at4(k, b, h, j, d),
                                   sum);
                    *tensor_at4(grad_q, b, h, i, d) = sum;
                }
}

static bool score_backward_q_run(StageArgs *args, Error *err)
{
    (void)err;
    score_backward_q(&args->in[IN_GRAD], &args->in[IN_K], &args->out[0]);
    return true;
}

// A term for each key of the same head: column d of k, in the proportions of row i.
static void score_backward_q_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                    TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], i = at[2], d = at[3];
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < args->in[IN_K].shape[2]; j++) {
        float left = *tensor_at4(&args->in[IN_GRAD], b, h, i, j);
        float right = *tensor_at4(&args->in[IN_K], b, h, j, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_GRAD, {b, h, i, j}}, {IN_K, {b, h, j, d}}},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_score_backward_q = {
    .name = "score_backward_q",
    .formula = "grad_q[b,h,i,d] = sum_j grad_scores[b,h,i,j] * k[b,h,j,d]",
    .torch = "grad_q = torch.matmul(grad_scores, k)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "score",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk"},
                  {.role = "k", .axes = "B H Lk d_k", .factor = FACTOR_COLUMNS}},
        .writes = {{.role = "grad.q", .tensor = "grad.q", .axes = "B H Lq d_k"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = score_backward_q_run,
    .fast = fast_matrix_product,
    .origin = score_backward_q_origin,
};
