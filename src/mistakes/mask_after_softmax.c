// Mistake: the mask comes after softmax: the scores are not masked, but the weights are set to 0.
//
//   weights[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : softmax(scores)[b,h,i,j]
#include "mistake.h"

#include "mistake_mask.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_SCORES, IN_MASK };

static bool has_mask(const StageArgs *args)
{
    return args->in[IN_MASK].storage.bytes != NULL;
}

static bool run_mask(StageArgs *args, Error *err)
{
    return mistake_mask_unused_run(args, err);
}

static bool run_softmax(StageArgs *args, Error *err)
{
    Tensor *weights = &args->out[0];
    if (!stage_find("softmax")->run(args, err))
        return false;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, mask_at[TENSOR_RANK_MAX];
    for (bool more = has_mask(args) && tensor_count(weights) > 0; more;
         more = tensor_next(weights, at))
        if (mistake_mask_flag(&args->in[IN_MASK], at, mask_at))
            weights->storage.f32[tensor_place(weights, at)] = 0.0f;
    return true;
}

static void origin_mask(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    mistake_mask_unused_origin(args, slot, at, visit, context);
}

static void origin_softmax(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    bool masked = false;
    if (has_mask(args)) {
        Term rule = {.source_count = 1, .sources = {{.slot = IN_MASK}}};
        masked = mistake_mask_flag(&args->in[IN_MASK], at, rule.sources[0].at);
        rule.what = masked ? TELL(TERM_AFTER_SOFTMAX) : TELL(TERM_NO_MASK);
        visit(context, &rule);
    }
    if (!masked)
        stage_find("softmax")->origin(args, slot, at, visit, context);
}

static const Stage mask = {
    .name = "mask",
    .formula = "scores_masked[b,h,i,j] = scores[b,h,i,j]",
    .remark = REMARK_THE_MASK_COMES_LATER,
    .torch = "attn_mask = make_mask()",
    .source = "a common mistake",
    .use = STAGE_WITH_MASK,
    .main_output = MASK_OUT_SCORES,
    .calls = {{.reads = {MASK_READS, MASK_READS_BUFFER}, .writes = {MASK_WRITES}}},
    .run = run_mask,
    .shapes = mistake_mask_shapes,
    .origin = origin_mask,
};

static const Stage softmax = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : exp(s[i,j]) / sum_j exp(s)",
    .torch = "weights = F.softmax(scores, dim=-1).masked_fill(attn_mask, 0)",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"},
                  {.role = "attn_mask", .dtype = DTYPE_BOOL, .optional = true}},
        .writes =
            {{.role = "weights", .tensor = "attn_weights", .axes = "B H Lq Lk", .is_share = true}},
    }},
    .run = run_softmax,
    .origin = origin_softmax,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_no_masked_key(scenario);
}

const Mistake mistake_mask_after_softmax = {
    .name = "mask-after-softmax",
    .stages = (const Stage *const[]){&mask, &softmax, NULL},
    .together = true,
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The mask is applied to the weights after softmax instead of to the scores before.",
        "소프트맥스 전의 점수가 아니라 소프트맥스 후의 가중치에 마스크를 적용했습니다.",
        "Masked keys have weight 0, but the others do not sum to 1: masked keys took their share "
        "before they were removed.",
        "가려진 키의 가중치는 0이지만 나머지를 더해도 1이 되지 않습니다. 가려질 키가 이미 제 몫을 "
        "가져갔기 때문입니다.",
        "Mask the scores with -inf first; softmax then shares 1 among the keys that are left.",
        "먼저 점수를 -inf로 가립니다. 그러면 소프트맥스가 남은 키에만 1을 나누어 줍니다."),
};
