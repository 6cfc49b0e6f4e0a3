// Mistake: the scores are multiplied by the scale instead of being divided by it.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] * scale
#include "mistake.h"

#include "mistake_reason.h"
#include "mistakes_words.h"

static void scale(const Tensor *scores, float factor, Tensor *scores_scaled)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) * factor;
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    scale(&args->in[0], args->options->scale, &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    float score = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(TERM_TIMES_SCALE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = args->options->scale,
                           .running = score * args->options->scale});
}

static const Stage stage = {
    .name = "scale",
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j] * scale",
    .torch = "scores = scores * scale",
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
    if (!scenario->scaled)
        return &reason_no_scale;
    return scenario->options.scale == 1.0f ? &reason_scale_one : NULL;
}

const Mistake mistake_scale_multiplied = {
    .name = "scale-multiplied",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The scores are multiplied by sqrt(d_k) instead of being divided by it.",
        "점수를 sqrt(d_k)로 나누지 않고 sqrt(d_k)를 곱했습니다.",
        "Every score is d_k times too large, and softmax gives nearly all its weight to one key.",
        "모든 점수가 d_k배로 커지고, 소프트맥스가 키 하나에 가중치를 거의 전부 줍니다.",
        "Divide by sqrt(d_k), or multiply by 1 / sqrt(d_k).",
        "sqrt(d_k)로 나누거나 1 / sqrt(d_k)를 곱합니다."),
};
