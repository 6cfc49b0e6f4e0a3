// Mistake: the causal mask begins one place too late, so that a query sees the next token.
//
//   attn_mask[i,j] = (j > i + 1)   instead of (j > i)
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

static Term masks(const StageArgs *args, const ptrdiff_t at[4])
{
    StageOptions others = *args->options;
    others.causal = false;
    bool later = args->options->causal && at[3] > at[2] + 1;
    return mistake_mask_or(mistake_mask_right(args, &others, at), later, TELL(TERM_ONE_LATE), 0,
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
    .formula = "scores_masked[b,h,i,j] = j > i + 1 ? mask_value : scores[b,h,i,j]",
    .torch = "attn_mask = torch.triu(ones, diagonal=2)",
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
    return pair->j > pair->i + 1 || pair->padding || pair->given;
}

static const Words *cannot_show(const Scenario *scenario)
{
    if (!scenario->options.causal)
        return &reason_no_causal_mask;
    return mistake_same_masks(scenario, masks_pair, &reason_no_later_key);
}

const Mistake mistake_mask_off_by_one = {
    .name = "mask-off-by-one",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("The causal mask is off by one: each query sees the token after it.",
                           "인과 마스크가 한 칸 어긋나, 쿼리가 바로 다음 토큰을 봅니다.",
                           "Just above the diagonal the weights are not 0: a token knows its "
                           "successor, the very word it should predict.",
                           "대각선 바로 위의 가중치가 0이 아닙니다. 토큰이 예측해야 할 다음 단어를 "
                           "미리 아는 셈입니다.",
                           "Mask every key with j > i: triu with diagonal=1.",
                           "j > i인 키를 모두 가립니다. triu의 diagonal은 1입니다."),
};
