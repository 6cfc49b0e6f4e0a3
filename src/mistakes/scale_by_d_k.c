// Mistake: the scores are divided by d_k, without the square root.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k
#include "mistake.h"

#include "mistake_scale.h"

static float divisor(ptrdiff_t heads, ptrdiff_t d_k)
{
    (void)heads;
    return (float)d_k;
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
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j] / d_k",
    .torch = "scores = scores / d_k",
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
    return mistake_scale_cannot_show(scenario,
                                     divisor(scenario->size[SYMBOL_H], scenario->size[SYMBOL_D_K]));
}

const Mistake mistake_scale_by_d_k = {
    .name = "scale-by-d-k",
    .stages = (const Stage *const[]){&scale, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("The scores are divided by d_k instead of its square root.",
                           "점수를 sqrt(d_k)가 아니라 d_k로 나눴습니다.",
                           "Every score is sqrt(d_k) times too small, and softmax gives all keys "
                           "nearly the same weight.",
                           "모든 점수가 sqrt(d_k)분의 1로 작아지고, 소프트맥스를 거친 가중치가 "
                           "키마다 거의 같아집니다.",
                           "Take the square root: divide by sqrt(d_k).",
                           "제곱근을 취해 sqrt(d_k)로 나눕니다."),
};
