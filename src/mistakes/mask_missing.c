// Mistake: the mask is made and then forgotten: the scores go on as they are.
//
//   scores_masked[b,h,i,j] = scores[b,h,i,j]
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_scenario.h"

static bool run(StageArgs *args, Error *err)
{
    return mistake_mask_unused_run(args, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    mistake_mask_unused_origin(args, slot, at, visit, context);
}

static const Stage mask = {
    .name = "mask",
    .formula = "scores_masked[b,h,i,j] = scores[b,h,i,j]",
    .remark = REMARK_THE_MASK_IS_NOT_USED,
    .torch = "attn_mask = make_mask()",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{.reads = {MASK_READS, MASK_READS_BUFFER}, .writes = {MASK_WRITES}}},
    .run = run,
    .shapes = mistake_mask_shapes,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_no_masked_key(scenario);
}

const Mistake mistake_mask_missing = {
    .name = "mask-missing",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The mask is never applied to the scores.", "점수에 마스크를 적용하지 않았습니다.",
        "No score is -inf, and keys that should be hidden get weight: padding, or words that come "
        "later.",
        "-inf인 점수가 하나도 없고, 패딩이나 뒤에 올 단어처럼 가려야 할 키가 가중치를 받습니다.",
        "Replace the scores of masked keys by -inf before softmax.",
        "소프트맥스 전에 가릴 키의 점수를 -inf로 바꿉니다."),
};
