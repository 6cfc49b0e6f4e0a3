// Mistake: a masked score becomes -10000 instead of -inf.
//
//   scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? -10000 : scores[b,h,i,j]
//
// Softmax hides it as long as a row has one key that is not masked. A row without one shares its
// weight evenly among keys that nobody may see, where -inf gives NaN.
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

static const float wrong_value = -10000.0f;

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
    .formula = "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? -10000 : scores[b,h,i,j]",
    .torch = "scores = scores.masked_fill(attn_mask, -1e4)",
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
        return &reason_masked_ten_thousand;
    return mistake_no_masked_key(scenario);
}

const Mistake mistake_mask_ten_thousand = {
    .name = "mask-ten-thousand",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "A masked score is set to -10000 instead of -inf.",
        "가려야 할 점수를 -inf가 아니라 -10000으로 바꿨습니다.",
        "The weights are mostly right. But a row whose keys are all masked gets weights that look "
        "sound, where -inf gives NaN, and very negative scores lose against masked ones.",
        "가중치는 대부분 맞습니다. 그러나 키가 모두 가려진 행에서는 NaN 대신 그럴듯한 가중치가 "
        "나오고, 아주 작은 점수는 가려진 점수보다 작아질 수 있습니다.",
        "Set masked scores to -inf; it is below every score.",
        "가릴 점수는 어떤 점수보다도 작은 -inf로 바꿉니다."),
};
