// Mistake: the scores are divided by the square root of the whole width, not of one head's.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] / sqrt(H * d_k)
#include "mistake.h"

#include <math.h>
#include "mistake_scale.h"

static float divisor(ptrdiff_t heads, ptrdiff_t d_k)
{
    return sqrtf((float)(heads * d_k));
}

// q is read for its shape only.
static float divisor_of(const StageArgs *args)
{
    return divisor(args->in[0].shape[1], args->in[1].shape[3]);
}

static bool run(StageArgs *args, Error *err)
{
    return mistake_scale_run(args, divisor_of(args), err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    mistake_scale_origin(args, divisor_of(args), slot, at, visit, context);
}

static const Stage scale = {
    .name = "scale",
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j] / sqrt(H * d_k)",
    .torch = "scores = scores / math.sqrt(d_model)",
    .source = "a common mistake",
    .use = STAGE_WITH_SCALE,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}, {.role = "q", .axes = "B H Lq d_k"}},
        .writes = {{.role = "scores", .tensor = "scores_scaled", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_scale_cannot_show(
        scenario,
        divisor(scenario->has_heads ? scenario->size[SYMBOL_H] : 1, scenario->size[SYMBOL_D_K]));
}

const Mistake mistake_scale_by_d_model = {
    .name = "scale-by-d-model",
    .stages = (const Stage *const[]){&scale, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("The scores are divided by sqrt(d_model) instead of sqrt(d_k).",
                           "점수를 sqrt(d_k)가 아니라 sqrt(d_model)로 나눴습니다.",
                           "Every score is sqrt(H) times too small, and the weights are too even. "
                           "With one head nothing shows.",
                           "모든 점수가 sqrt(H)분의 1로 작아지고 가중치가 지나치게 고릅니다. "
                           "헤드가 하나이면 드러나지 않습니다.",
                           "A score is a sum of d_k products, those of one head: divide by "
                           "sqrt(d_k), where d_k = d_model / H.",
                           "점수는 헤드 하나 안에서 곱 d_k개를 더한 것이므로 sqrt(d_k)로 나눕니다. "
                           "여기서 d_k는 d_model / H입니다."),
};
