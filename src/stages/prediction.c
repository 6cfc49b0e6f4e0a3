// Prediction: turns the logits of each question into probabilities of words, by softmax.
//
//   probabilities[b,q,l,w] = e^(logits[b,q,l,w] - m) / sum over w' of e^(logits[b,q,l,w'] - m)
//   m                      = the largest logit of the row
//
// in    logits        [B, Q, Lq, V]
// out   probabilities [B, Q, Lq, V]  in [0, 1]; each row sums to 1
// cost  B * Q * Lq * V exponentials and divisions
// from  Vaswani et al. 2017, section 3.4; the same sums in the same order as stage softmax
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

static void prediction_row(const Tensor *logits, ptrdiff_t b, ptrdiff_t q, ptrdiff_t l,
                           Tensor *probabilities)
{
    // A row has V words here, not Lk keys.
    // Every word may be the answer, so
    // nothing is masked.
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

    // Divided by it, the words share one
    // whole: what one gains, the others lose
    // together.
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

static bool prediction_run(StageArgs *args, Error *err)
{
    (void)err;
    prediction(&args->in[0], &args->out[0]);
    return true;
}

// The row of logits whose terms are told, and who hears them.
typedef struct Row {
    ptrdiff_t b, q, l;
    TermVisit *visit;
    void *context;
} Row;

static void tell(const Row *row, TermKind kind, ptrdiff_t w, float value, float running)
{
    row->visit(row->context, &(Term){.kind = kind,
                                     .source_count = 1,
                                     .sources = {{0, {row->b, row->q, row->l, w}}},
                                     .value = value,
                                     .running = running});
}

// The whole row twice, for the maximum and for the sum; then the word that is asked about.
static void prediction_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                              TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *logits = &args->in[0];
    const Row row = {at[0], at[1], at[2], visit, context};
    float max = -INFINITY;
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++) {
        float logit = *tensor_at4(logits, row.b, row.q, row.l, w);
        max = logit > max ? logit : max;
        tell(&row, TERM_MAXIMUM, w, logit, max);
    }

    float lanes[SUM_LANES] = {0}, mine = 0.0f;
    for (ptrdiff_t w = 0; w < logits->shape[3]; w++) {
        float e = exponential(*tensor_at4(logits, row.b, row.q, row.l, w) - max);
        lanes[w % SUM_LANES] += e;
        mine = w == at[3] ? e : mine;
        tell(&row, TERM_EXP, w, e, lanes[w % SUM_LANES]);
    }

    float sum = sum_of_lanes(lanes);
    visit(context, &(Term){.kind = TERM_LANES, .value = sum, .running = sum});
    tell(&row, TERM_QUOTIENT, at[3], mine, mine / sum);
}

const Stage stage_prediction = {
    .name = "prediction",
    .formula = "probabilities[b,q,l,w] = e[w] / sum_v e[v]; "
               "e[v] = exp(logits[b,q,l,v] - max_m logits[b,q,l,m])",
    .torch = "probabilities = F.softmax(logits, dim=-1)",
    .source = "Vaswani et al. 2017, section 3.4",
    .reach = REACH_BY_ROW,
    .calls = {{
        .reads = {{.role = "logits", .axes = "B Q Lq V"}},
        .writes = {{.role = "probabilities", .tensor = "probabilities", .axes = "B Q Lq V"}},
    }},
    .loop = "prediction_row",
    .terms = {[TERM_MAXIMUM] = "> max)",
              [TERM_EXP] = "exponential(",
              [TERM_LANES] = "= sum_of_lanes(",
              [TERM_QUOTIENT] = "/= sum"},
    .run = prediction_run,
    .fast = fast_softmax,
    .origin = prediction_origin,
};
