// Weighted sum: every query gets a mixture of the values, in the proportions of its weights.
//
//   context[b,h,i,d] = sum over j of weights[b,h,i,j] * v[b,h,j,d]
//
// in    weights [B, H, Lq, Lk]   v [B, H, Lk, d_v]
// out   context_heads [B, H, Lq, d_v]
// loops b: each sequence; h: each head; i: each query; d: each number of its result. The innermost
//       loop goes over all keys j and adds weight j times number d of the value of key j. A key of
//       weight 0.9 gives nine tenths of its value to the mixture, one of weight 0 gives nothing
// cost  B * H * Lq * Lk * d_v multiply-adds
// from  Vaswani et al. 2017, section 3.2.1, eq. 1
//
// Keys with weight 0 are not skipped: 0 * NaN is NaN, and PyTorch shows it too.
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_WEIGHTS, IN_V };

static void weighted_sum(const Tensor *weights, const Tensor *v, Tensor *context)
{
    // [Lq, Lk] times [Lk, d_v] is [Lq, d_v]:
    // the keys are summed away. One row is
    // left for each query, however many keys
    // there were.
    for (ptrdiff_t b = 0; b < context->shape[0]; b++)
        for (ptrdiff_t h = 0; h < context->shape[1]; h++)
            for (ptrdiff_t i = 0; i < context->shape[2]; i++)
                for (ptrdiff_t d = 0; d < context->shape[3]; d++) {
                    // Begins again for each d:
                    // number 0 of all values is
                    // mixed, then number 1.
                    float sum = 0.0f;
                    for (ptrdiff_t j = 0; j < v->shape[2]; j++)
                        sum =
                            fmaf(*tensor_at4(weights, b, h, i, j), *tensor_at4(v, b, h, j, d), sum);
                    *tensor_at4(context, b, h, i, d) = sum;
                }
}

static bool weighted_sum_run(StageArgs *args, Error *err)
{
    (void)err;
    weighted_sum(&args->in[IN_WEIGHTS], &args->in[IN_V], &args->out[0]);
    return true;
}

// A term for every key, also for those of weight 0: they are multiplied, too.
static void weighted_sum_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], i = at[2], d = at[3];
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < args->in[IN_V].shape[2]; j++) {
        float weight = *tensor_at4(&args->in[IN_WEIGHTS], b, h, i, j);
        float v = *tensor_at4(&args->in[IN_V], b, h, j, d);
        sum = fmaf(weight, v, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_WEIGHTS, {b, h, i, j}}, {IN_V, {b, h, j, d}}},
                               .value = weight * v,
                               .running = sum});
    }
}

const Stage stage_weighted_sum = {
    .name = "weighted_sum",
    .formula = "context[b,h,i,d] = sum_j weights[b,h,i,j] * v[b,h,j,d]",
    .torch = "context = torch.matmul(weights, v)",
    .source = "Vaswani et al. 2017, section 3.2.1, eq. 1",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "weights", .axes = "B H Lq Lk"},
                  {.role = "v", .axes = "B H Lk d_v", .factor = FACTOR_COLUMNS}},
        .writes = {{.role = "context", .tensor = "context_heads", .axes = "B H Lq d_v"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = weighted_sum_run,
    .fast = fast_matrix_product,
    .origin = weighted_sum_origin,
};
