// Mistake: the padding mask lies along the queries instead of along the keys.
//
//   attn_mask[b,h,i,j] = key_padding_mask[b,i]   instead of [b,j]
//
// It broadcasts where there are as many queries as keys.
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

static bool is_square(const StageArgs *args)
{
    return args->in[MASK_IN_SCORES].shape[2] == args->in[MASK_IN_PADDING].shape[1];
}

static Term masks(const StageArgs *args, const ptrdiff_t at[4])
{
    StageOptions others = *args->options;
    const Tensor *padding = &args->in[MASK_IN_PADDING];
    if (!others.mask_padding || !padding->storage.bytes || !is_square(args))
        return mistake_mask_right(args, &others, at);
    others.mask_padding = false;
    return mistake_mask_or(mistake_mask_right(args, &others, at),
                           *tensor_flag2(padding, at[0], at[2]), TELL(TERM_ALONG_QUERIES), 1,
                           (Source[]){{MASK_IN_PADDING, {at[0], at[2]}}});
}

static bool has_padding(const Tensor *padding)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = padding->storage.bytes != NULL; more; more = tensor_next(padding, at))
        if (*tensor_flag2(padding, at[0], at[1]))
            return true;
    return false;
}

// A flag for each query, where the right mask has one for each key.
static bool shapes(StageArgs *args, Error *err)
{
    if (!mistake_mask_own_shapes(args, err))
        return false;
    const Tensor *scores = &args->in[MASK_IN_SCORES], *mask = &args->out[MASK_OUT_MASK];
    ptrdiff_t shape[] = {scores->shape[0], mask->rank == 4 ? mask->shape[1] : 1, scores->shape[2],
                         scores->shape[3]};
    if (args->options->mask_padding && is_square(args) && has_padding(&args->in[MASK_IN_PADDING]))
        args->out[MASK_OUT_MASK] = tensor_over(NULL, DTYPE_BOOL, 4, shape);
    return true;
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
    .formula = "attn_mask[b,h,i,j] = key_padding_mask[b,i]",
    .remark = REMARK_NOT_OF_KEYS,
    .torch = "scores = scores.masked_fill(padding_mask[:, None, :, None], mask_value)",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{.reads = {MASK_READS, MASK_READS_BUFFER}, .writes = {MASK_WRITES}}},
    .run = run,
    .shapes = shapes,
    .origin = origin,
};

static bool masks_pair(const MaskedPair *pair)
{
    return pair->causal || pair->given || pair->query_is_padding;
}

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_LQ] != scenario_text_keys(scenario))
        return &reason_not_square;
    if (!scenario->options.mask_padding)
        return &reason_no_masked_padding;
    return mistake_same_masks(scenario, masks_pair, &reason_no_masked_padding);
}

const Mistake mistake_mask_query_axis = {
    .name = "mask-query-axis",
    .stages = (const Stage *const[]){&mask, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The padding mask is laid along the queries instead of the keys.",
        "패딩 마스크를 키가 아니라 쿼리 축에 적용했습니다.",
        "Rows of padding are masked as a whole and become NaN, while words still give weight to "
        "padding.",
        "패딩의 행은 통째로 가려져 NaN이 되고, 단어의 행은 여전히 패딩에 가중치를 줍니다.",
        "Give the mask the shape (B, 1, 1, Lk): one flag for each key, the same for all queries.",
        "마스크의 모양을 (B, 1, 1, Lk)로 만듭니다. 키마다 하나씩이고 모든 쿼리에 똑같이 "
        "적용됩니다."),
};
