// Mistake: the padding takes part: the padding mask is not among the masks.
//
//   attn_mask[b,h,i,j] = (causal and j > i) or mask[b,h,i,j]
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

static StageOptions without_padding(const StageArgs *args)
{
    StageOptions options = *args->options;
    options.mask_padding = false;
    return options;
}

static bool run(StageArgs *args, Error *err)
{
    StageArgs other = *args;
    StageOptions options = without_padding(args);
    other.options = &options;
    return stage_find("mask")->run(&other, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    StageArgs other = *args;
    StageOptions options = without_padding(args);
    other.options = &options;
    stage_find("mask")->origin(&other, slot, at, visit, context);
}

static const Stage mask = {
    .name = "mask",
    .formula = "attn_mask[b,h,i,j] = (causal && j > i) || mask[b,h,i,j]",
    .remark = REMARK_NO_PADDING,
    .torch = "attn_mask = causal_mask",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{.reads = {MASK_READS, MASK_READS_BUFFER}, .writes = {MASK_WRITES}}},
    .run = run,
    .shapes = mistake_mask_own_shapes,
    .origin = origin,
};

static bool masks(const MaskedPair *pair)
{
    return pair->causal || pair->given;
}

static const Words *cannot_show(const Scenario *scenario)
{
    if (!scenario->options.mask_padding)
        return &reason_no_masked_padding;
    return mistake_same_masks(scenario, masks, &reason_no_masked_padding);
}

const Mistake mistake_pads_not_masked = {
    .name = "pads-not-masked",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("Padding is not masked: it takes part like words.",
                           "패딩을 가리지 않아 패딩이 단어처럼 계산에 들어갑니다.",
                           "Keys that are padding have weights above 0, and short sequences depend "
                           "on how far they were filled up.",
                           "패딩인 키의 가중치가 0보다 크고, 짧은 문장의 결과가 패딩을 얼마나 "
                           "채웠는지에 따라 달라집니다.",
                           "Mask the keys at which key_padding_mask is true.",
                           "key_padding_mask가 true인 키를 가립니다."),
};
