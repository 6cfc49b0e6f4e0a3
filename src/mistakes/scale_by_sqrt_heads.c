// Mistake: the scores are divided by the square root of the number of heads.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] / sqrt(H)
#include "mistake.h"

#include <math.h>
#include "mistake_scale.h"

static float divisor_of(const StageArgs *args)
{
    return sqrtf((float)args->in[0].shape[1]);
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
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j] / sqrt(H)",
    .torch = "scores = scores / math.sqrt(num_heads)",
    .source = "a common mistake",
    .use = STAGE_WITH_SCALE,
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "scores", .tensor = "scores_scaled", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_scale_cannot_show(scenario, sqrtf((float)scenario->options.heads));
}

const Mistake mistake_scale_by_sqrt_heads = {
    .name = "scale-by-sqrt-heads",
    .stages = (const Stage *const[]){&scale, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The scores are divided by sqrt(H), the root of the number of heads, instead of sqrt(d_k).",
        "점수를 sqrt(d_k)가 아니라 헤드 수의 제곱근 sqrt(H)로 나눴습니다.",
        "Every score is off by the factor sqrt(d_k / H). The largest weight stays where it is, so "
        "that the heat map looks right.",
        "모든 점수가 sqrt(d_k / H)배로 어긋납니다. 가장 큰 가중치의 자리는 그대로여서 그림만 보면 "
        "맞아 보입니다.",
        "Divide by the square root of the width of one head, sqrt(d_k).",
        "헤드 하나의 차원 d_k의 제곱근으로 나눕니다."),
};
