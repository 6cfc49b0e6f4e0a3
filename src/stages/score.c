// Score: how well each query fits each key: their dot product, in every head.
//
//   scores[b,h,i,j] = sum over d of q[b,h,i,d] * k[b,h,j,d]
//
// in    q [B, H, Lq, d_k]   k [B, H, Lk, d_k]
// out   scores [B, H, Lq, Lk]  rows are queries, columns are keys; any size, no unit
// loops b: each sequence; h: each head, which sees its own d_k columns and nothing of the others;
//       i: each query, a row of the result; j: each key, a column of it. The innermost loop goes
//       along the numbers d of both vectors and adds up the products. The sum is large where the
//       two point the same way, near 0 where they have little in common, negative where they
//       point apart
// cost  B * H * Lq * Lk * d_k multiply-adds
// from  Vaswani et al. 2017, section 3.2.1 (Q K^T; the division has a stage of its own)
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_Q, IN_K };

static void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    // A query and a key have d_k numbers
    // each. Only this width must be equal:
    // there may be more keys than queries.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    float sum = 0.0f;
                    // The paper transposes K. No
                    // copy is made for that: its
                    // column j is row j of k, which
                    // is read here.
                    for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                        sum = fmaf(*tensor_at4(q, b, h, i, d), *tensor_at4(k, b, h, j, d), sum);
                    *tensor_at4(scores, b, h, i, j) = sum;
                }
}

static bool score_run(StageArgs *args, Error *err)
{
    (void)err;
    score(&args->in[IN_Q], &args->in[IN_K], &args->out[0]);
    return true;
}

// d_k terms for one score: they take row i of q and row j of k, and nothing of any other
// token.
static void score_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], i = at[2], j = at[3];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_Q].shape[3]; d++) {
        float q = *tensor_at4(&args->in[IN_Q], b, h, i, d);
        float k = *tensor_at4(&args->in[IN_K], b, h, j, d);
        sum = fmaf(q, k, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_Q, {b, h, i, d}}, {IN_K, {b, h, j, d}}},
                               .value = q * k,
                               .running = sum});
    }
}

const Stage stage_score = {
    .name = "score",
    .formula = "scores[b,h,i,j] = sum_d q[b,h,i,d] * k[b,h,j,d]",
    .torch = "scores = torch.matmul(q, k.transpose(-2, -1))",
    .source = "Vaswani et al. 2017, section 3.2.1, eq. 1",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "q", .axes = "B H Lq d_k"},
                  {.role = "k", .axes = "B H Lk d_k", .factor = FACTOR_ROWS}},
        .writes = {{.role = "scores", .tensor = "scores", .axes = "B H Lq Lk"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = score_run,
    .fast = fast_score,
    .origin = score_origin,
};
