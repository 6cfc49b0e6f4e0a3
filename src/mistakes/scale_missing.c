// Mistake: the scores are not divided by anything.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j]
#include "mistake.h"

#include "mistake_scale.h"

static bool run(StageArgs *args, Error *err)
{
    return mistake_scale_run(args, 1.0f, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    mistake_scale_origin(args, 1.0f, slot, at, visit, context);
}

static const Stage scale = {
    .name = "scale",
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j]",
    .torch = "pass",
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
    return mistake_scale_cannot_show(scenario, 1.0f);
}

const Mistake mistake_scale_missing = {
    .name = "scale-missing",
    .stages = (const Stage *const[]){&scale, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The scores are not divided by sqrt(d_k).", "점수를 sqrt(d_k)로 나누지 않았습니다.",
        "Every score is sqrt(d_k) times as large as it should be, and softmax gives nearly "
        "everything to one key.",
        "모든 점수가 sqrt(d_k)배로 커지고, 소프트맥스가 거의 모든 가중치를 키 하나에 몰아줍니다.",
        "Divide every score by sqrt(d_k) before softmax.",
        "소프트맥스 전에 모든 점수를 sqrt(d_k)로 나눕니다."),
};
