// Mistake: the exponentials are not divided by their sum.
//
//   weights[b,h,i,j] = e^(scores[b,h,i,j] - m)
//   m                = the largest score of the row; NaN where one is
#include "mistake.h"

#include <math.h>
#include "exponential.h"
#include "mistake_reason.h"
#include "mistakes_words.h"

static bool is_larger(float score, float max)
{
    return score > max || isnan(score);
}

static float row_maximum(const Tensor *scores, ptrdiff_t b, ptrdiff_t h, ptrdiff_t i)
{
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        if (is_larger(*tensor_at4(scores, b, h, i, j), max))
            max = *tensor_at4(scores, b, h, i, j);
    return max;
}

static void softmax(const Tensor *scores, Tensor *weights)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++) {
                float max = row_maximum(scores, b, h, i);
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(weights, b, h, i, j) =
                        exponential(*tensor_at4(scores, b, h, i, j) - max);
            }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    softmax(&args->in[0], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    const Tensor *scores = &args->in[0];
    ptrdiff_t b = at[0], h = at[1], i = at[2];
    float max = -INFINITY;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float score = *tensor_at4(scores, b, h, i, j);
        max = is_larger(score, max) ? score : max;
        visit(context, &(Term){.kind = TERM_MAXIMUM,
                               .source_count = 1,
                               .sources = {{0, {b, h, i, j}}},
                               .value = score,
                               .running = max});
    }
    float e = exponential(*tensor_at4(scores, b, h, i, at[3]) - max);
    visit(context, &(Term){.kind = TERM_EXP,
                           .what = TELL(TERM_EXP_NO_SUM),
                           .source_count = 1,
                           .sources = {{0, {b, h, i, at[3]}}},
                           .value = e,
                           .running = e});
}

static const Stage stage = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = exp(scores[b,h,i,j] - max_i)",
    .torch = "weights = torch.exp(scores - scores.amax(-1, keepdim=True))",
    .source = "a common mistake",
    .reach = REACH_BY_ROW,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes =
            {{.role = "weights", .tensor = "attn_weights", .axes = "B H Lq Lk", .is_share = true}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return scenario->size[SYMBOL_LK] == 1 ? &reason_one_key : NULL;
}

const Mistake mistake_softmax_not_normalised = {
    .name = "softmax-not-normalised",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The exponentials are not divided by their sum.",
        "지수 함수를 취한 것을 그 합으로 나누지 않았습니다.",
        "The largest weight of every row is exactly 1, and as soon as two keys are visible the row "
        "sums to more than 1.",
        "행마다 가장 큰 가중치가 정확히 1이고, 보이는 키가 둘만 되어도 행의 합이 1보다 커집니다.",
        "Divide each exponential by the sum of its row.", "각각을 그 행의 합으로 나눕니다."),
};
