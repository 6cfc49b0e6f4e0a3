// Mistake: the causal mask covers the diagonal, so that a query does not see its own token.
//
//   attn_mask[i,j] = (j >= i)   instead of (j > i)
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

static Term masks(const StageArgs *args, const ptrdiff_t at[4])
{
    StageOptions others = *args->options;
    others.causal = false;
    bool later = args->options->causal && at[3] >= at[2];
    return mistake_mask_or(mistake_mask_right(args, &others, at), later, TELL(TERM_ONE_EARLY), 0,
                           NULL);
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
    .formula = "scores_masked[b,h,i,j] = j >= i ? mask_value : scores[b,h,i,j]",
    .torch = "attn_mask = torch.triu(ones, diagonal=0)",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{
        .reads =
            {{.role = "scores", .axes = "B H Lq Lk"},
             {.role = "key_padding_mask", .axes = "B Lk", .dtype = DTYPE_BOOL, .optional = true},
             {.role = "mask", .dtype = DTYPE_BOOL, .optional = true}},
        .writes =
            {{.role = "attn_mask", .tensor = "attn_mask", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL},
             {.role = "scores", .tensor = "scores_masked", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .shapes = mistake_mask_own_shapes,
    .origin = origin,
};

static bool masks_pair(const MaskedPair *pair)
{
    return pair->j >= pair->i || pair->padding || pair->given;
}

static const Words *cannot_show(const Scenario *scenario)
{
    if (!scenario->options.causal)
        return &reason_no_causal_mask;
    return mistake_same_masks(scenario, masks_pair, &reason_no_later_key);
}

const Mistake mistake_mask_diagonal = {
    .name = "mask-diagonal",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The causal mask covers the diagonal: no query sees its own token.",
        "인과 마스크가 대각선까지 가려, 쿼리가 자기 토큰을 보지 못합니다.",
        "The weights on the diagonal are 0, and the first row has no key left: it is NaN.",
        "대각선의 가중치가 0이고, 첫 행은 남는 키가 없어 NaN이 됩니다.",
        "Mask the keys after the query, not the query's own: j > i, triu with diagonal=1.",
        "자기 자신이 아니라 뒤에 오는 키만 가립니다. 조건은 j > i, triu의 diagonal은 1입니다."),
};
