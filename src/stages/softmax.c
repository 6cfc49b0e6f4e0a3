// Softmax: turns each row of scores into weights that sum to 1.
//
//   weights[b,h,i,j] = e^(scores[b,h,i,j] - m) / sum over j' of e^(scores[b,h,i,j'] - m)
//   m                = the largest score of the row
//
// in    scores  [B, H, Lq, Lk]  -inf marks a masked key
// out   weights [B, H, Lq, Lk]  in [0, 1]; a masked key gets exactly 0
// loops b: each sequence; h: each head; i: each query, whose row is a distribution of its own.
//       Then three times along the keys j of the row: find the largest score; take
//       e^(score - largest) of each, and add them up; divide each by that sum, so that the weights
//       of the row add up to 1
// note  a row whose keys are all masked has no distribution: -inf - -inf is NaN, and NaN fills the
//       row, as in PyTorch
// cost  B * H * Lq * Lk exponentials and divisions
// from  Vaswani et al. 2017, section 3.2.1, eq. 1; subtracting the maximum: Goodfellow et al. 2016,
//       section 4.1. It changes no quotient and keeps e^x from overflowing.
//
// The order of the sum is fixed: 16 lanes, lane l adding the elements j = l, l + 16, l + 32 ...;
// then neighbours are added, four times. A vector unit can do the same without changing a bit.
#include "stage.h"

#include <math.h>
#include "exponential.h"
#include "fast.h"

enum { SUM_LANES = 16 };

// Adds neighbours until one number is left: (0+1), (2+3), ...; then pairs of those; four times.
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
    // Below every number, so that the first
    // score that is one takes its place.
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        if (*tensor_at4(scores, b, h, i, j) > max)
            max = *tensor_at4(scores, b, h, i, j);

    // e^89 is beyond float32, and inf / inf
    // is NaN. With the largest score taken
    // away no exponent is above 0. The
    // quotients stay: e^-m stands above and
    // below the line.
    float lanes[SUM_LANES] = {0};
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        // A masked key, -inf, gives 0 here: it
        // adds nothing and gets nothing.
        float e = exponential(*tensor_at4(scores, b, h, i, j) - max);
        *tensor_at4(weights, b, h, i, j) = e;
        lanes[j % SUM_LANES] += e;
    }

    // At least 1 where a key is left: the
    // largest score gives e^0. So nothing is
    // divided by 0.
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

static bool softmax_run(StageArgs *args, Error *err)
{
    (void)err;
    softmax(&args->in[0], &args->out[0]);
    return true;
}

// The row of scores whose terms are told, and who hears them.
typedef struct Row {
    ptrdiff_t b, h, i;
    TermVisit *visit;
    void *context;
} Row;

static void tell(const Row *row, TermKind kind, ptrdiff_t j, float value, float running)
{
    row->visit(row->context, &(Term){.kind = kind,
                                     .source_count = 1,
                                     .sources = {{0, {row->b, row->h, row->i, j}}},
                                     .value = value,
                                     .running = running});
}

// One weight takes in the whole row, through the maximum and through the sum. So the row is
// walked through twice, and a last term divides the exponential of this key by the sum.
static void softmax_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    (void)slot;
    const Tensor *scores = &args->in[0];
    const Row row = {at[0], at[1], at[2], visit, context};
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float score = *tensor_at4(scores, row.b, row.h, row.i, j);
        max = score > max ? score : max;
        tell(&row, TERM_MAXIMUM, j, score, max);
    }

    float lanes[SUM_LANES] = {0}, mine = 0.0f;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float e = exponential(*tensor_at4(scores, row.b, row.h, row.i, j) - max);
        lanes[j % SUM_LANES] += e;
        mine = j == at[3] ? e : mine;
        tell(&row, TERM_EXP, j, e, lanes[j % SUM_LANES]);
    }

    float sum = sum_of_lanes(lanes);
    visit(context, &(Term){.kind = TERM_LANES, .value = sum, .running = sum});
    tell(&row, TERM_QUOTIENT, at[3], mine, mine / sum);
}

const Stage stage_softmax = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = e[j] / sum_k e[k]; "
               "e[k] = exp(scores[b,h,i,k] - max_m scores[b,h,i,m])",
    .torch = "weights = F.softmax(scores, dim=-1)",
    .source = "Vaswani et al. 2017, section 3.2.1, eq. 1",
    .reach = REACH_BY_ROW,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes =
            {{.role = "weights", .tensor = "attn_weights", .axes = "B H Lq Lk", .is_share = true}},
    }},
    .loop = "softmax_row",
    .terms = {[TERM_MAXIMUM] = "> max)",
              [TERM_EXP] = "exponential(",
              [TERM_LANES] = "= sum_of_lanes(",
              [TERM_QUOTIENT] = "/= sum"},
    .run = softmax_run,
    .fast = fast_softmax,
    .origin = softmax_origin,
};
