// Mistake: a masked score becomes 0 instead of -inf.
//
//   scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : scores[b,h,i,j]
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

static const float wrong_value = 0.0f;

static bool run(StageArgs *args, Error *err)
{
    return mistake_mask_value_run(args, wrong_value, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    mistake_mask_value_origin(args, wrong_value, slot, at, visit, context);
}

static const Stage mask = {
    .name = "mask",
    .formula = "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : scores[b,h,i,j]",
    .torch = "scores = scores.masked_fill(attn_mask, 0)",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{
        .reads =
            {{.role = "scores", .axes = "B H Lq Lk"},
             {.role = "key_padding_mask", .axes = "B Lk", .dtype = DTYPE_BOOL, .optional = true},
             {.role = "mask", .dtype = DTYPE_BOOL, .optional = true},
             {.role = "causal_mask_buffer", .dtype = DTYPE_BOOL, .optional = true}},
        .writes =
            {{.role = "attn_mask", .tensor = "attn_mask", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL},
             {.role = "scores", .tensor = "scores_masked", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .shapes = mistake_mask_shapes,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->options.mask_value == wrong_value)
        return &reason_masked_zero;
    return mistake_no_masked_key(scenario);
}

const Mistake mistake_mask_zero = {
    .name = "mask-zero",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "A masked score is set to 0 instead of -inf.",
        "가려야 할 점수를 -inf가 아니라 0으로 바꿨습니다.",
        "e^0 is 1: a masked key still gets weight, often more than keys with negative scores.",
        "e^0은 1이어서 가려진 키도 가중치를 받고, 점수가 음수인 키보다 더 많이 받기도 합니다.",
        "Set masked scores to -inf, because e^-inf is 0.",
        "가릴 점수는 -inf로 바꿉니다. e^-inf는 0입니다."),
};
