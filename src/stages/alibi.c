// ALiBi: takes from every score how far its key lies, times a slope of the head, so that near keys are
// preferred and no positions have to be added (attention with linear biases).
//
//   scores_biased[b,h,i,j] = scores[b,h,i,j] - slope[h] * |i - j|
//   slope[h] = 2^(-8 (h+1) / H)     for H = 2, 4, 8, ... heads
//
// in    scores [B, H, Lq, Lk]
// out   scores_biased [B, H, Lq, Lk]
// cost  B * H * Lq * Lk multiplications and subtractions
// from  Press et al. 2022 (ALiBi), section 3; slopes of other numbers of heads as its code has them
//
// With P the largest power of two that is no more than H, the first P heads have the slopes of P heads,
// and the others every second slope of 2P heads. A causal mask leaves no key after the query, so that
// the distance is the paper's i - j. The power is libm's in double precision, narrowed to float once.
#include "stage.h"

#include <math.h>
#include "stages_words.h"

static float slope(ptrdiff_t h, ptrdiff_t heads)
{
    ptrdiff_t power = 1;
    while (2 * power <= heads)
        power *= 2;
    // 8 heads: 1/2, 1/4, ... 1/256. A steep
    // one sees its neighbours, a flat one
    // far away.
    double exponent = h < power ? 8.0 * (double)(h + 1) / (double)power
                                : 8.0 * (double)(2 * (h - power) + 1) / (double)(2 * power);
    return (float)exp2(-exponent);
}

static float bias(ptrdiff_t h, ptrdiff_t heads, ptrdiff_t i, ptrdiff_t j)
{
    return slope(h, heads) * (float)(i > j ? i - j : j - i);
}

static void alibi(const Tensor *scores, ptrdiff_t shift, Tensor *scores_biased)
{
    ptrdiff_t heads = scores->shape[1];
    // b is not asked: what is taken depends
    // on places alone, not on words. A token
    // that looks at itself loses nothing: the
    // key of query i is i, or i + shift where
    // earlier keys were kept.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < heads; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_biased, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) - bias(h, heads, i + shift, j);
}

static bool alibi_run(StageArgs *args, Error *err)
{
    (void)err;
    alibi(&args->in[0], args->options->causal_shift, &args->out[0]);
    return true;
}

static void alibi_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    (void)slot;
    float score = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]);
    float taken = bias(at[1], args->in[0].shape[1], at[2] + args->options->causal_shift, at[3]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(ALIBI_SCORE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = score,
                           .running = score});
    visit(context, &(Term){.what = TELL(ALIBI_TAKEN), .value = taken, .running = score - taken});
}

const Stage stage_alibi = {
    .name = "alibi",
    .formula = "scores_biased[b,h,i,j] = scores[b,h,i,j] - slope[h] * |i + causal_shift - j|",
    .where = "slope[h] = float32(2^(-8 * (h < power ? (h + 1)/power : (h - power + 1/2)/power))); "
             "power = 2^floor(log2(H))",
    .torch = "scores = scores - slopes[:, None, None] * (i - j).abs()",
    .source = "Press et al. 2022 (ALiBi), section 3",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "scores", .tensor = "scores_biased", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(alibi) | OPTION(causal_shift),
    .needs = OPTION(alibi),
    .run = alibi_run,
    .origin = alibi_origin,
};
