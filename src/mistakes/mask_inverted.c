// Mistake: the mask has the opposite meaning: what it marks is kept, what it does not mark is masked.
//
//   scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? scores[b,h,i,j] : mask_value
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

static Term masks(const StageArgs *args, const ptrdiff_t at[4])
{
    Term decision = mistake_mask_right(args, args->options, at);
    bool masked = decision.value == 0.0f;
    decision.what = masked ? TELL(TERM_INVERTED_MASKED) : TELL(TERM_INVERTED_KEPT);
    decision.value = decision.running = masked;
    return decision;
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    mistake_mask_run(args, masks);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    mistake_mask_origin(args, masks, slot, at, visit, context);
}

static const Stage mask = {
    .name = "mask",
    .formula = "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? scores[b,h,i,j] : mask_value",
    .torch = "scores = scores.masked_fill(~attn_mask, mask_value)",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{.reads = {MASK_READS, MASK_READS_BUFFER}, .writes = {MASK_WRITES}}},
    .run = run,
    .shapes = mistake_mask_own_shapes,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return scenario->masked ? NULL : &reason_no_mask;
}

const Mistake mistake_mask_inverted = {
    .name = "mask-inverted",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("The mask is inverted: it hides what it should keep.",
                           "마스크의 뜻이 뒤집혀, 남겨야 할 것을 가렸습니다.",
                           "Weight lies only on padding or on later words. A row with nothing to "
                           "hide has no key left and is NaN.",
                           "패딩이나 뒤에 오는 단어만 가중치를 받습니다. 가릴 것이 없던 행은 남는 "
                           "키가 없어 NaN이 됩니다.",
                           "Agree on what True means: here True is masked. Invert the mask, or "
                           "exchange the two branches.",
                           "True의 뜻을 먼저 정합니다. 여기서 True는 가린다는 뜻이므로 마스크를 "
                           "뒤집거나 두 경우를 맞바꿉니다."),
};
