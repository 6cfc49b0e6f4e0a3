// Mistake: weights are dropped, but those that are kept are not enlarged.
//
//   dropped[b,h,i,j] = weights[b,h,i,j] * keep[b,h,i,j]
#include "mistake.h"

#include "mistake_reason.h"
#include "mistakes_words.h"

enum { OUT_MASK, OUT_DROPPED };

static bool run(StageArgs *args, Error *err)
{
    if (!stage_find("dropout")->run(args, err))
        return false;
    const Tensor *weights = &args->in[0], *keep = &args->out[OUT_MASK];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(weights) > 0; more; more = tensor_next(weights, at))
        *tensor_at4(&args->out[OUT_DROPPED], at[0], at[1], at[2], at[3]) =
            *tensor_at4(weights, at[0], at[1], at[2], at[3]) *
            (*tensor_flag4(keep, at[0], at[1], at[2], at[3]) ? 1.0f : 0.0f);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    if (slot == OUT_MASK) {
        stage_find("dropout")->origin(args, slot, at, visit, context);
        return;
    }
    bool keep = *tensor_flag4(&args->out[OUT_MASK], at[0], at[1], at[2], at[3]);
    float weight = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]);
    float factor = keep ? 1.0f : 0.0f;
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = keep ? TELL(TERM_KEPT) : TELL(TERM_DROPPED),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = factor,
                           .running = weight * factor});
}

static const Stage dropout = {
    .name = "dropout",
    .formula = "dropped[b,h,i,j] = weights[b,h,i,j] * keep[b,h,i,j]",
    .torch = "weights = weights * keep",
    .source = "a common mistake",
    .use = STAGE_WITH_DROPOUT,
    .main_output = OUT_DROPPED,
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "weights", .axes = "B H Lq Lk"}},
        .writes = {{.role = "dropout_mask",
                    .tensor = "dropout_mask",
                    .axes = "B H Lq Lk",
                    .dtype = DTYPE_BOOL},
                   {.role = "weights",
                    .tensor = "attn_weights_dropped",
                    .axes = "B H Lq Lk",
                    .is_share = true}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    double p = scenario->options.dropout_p;
    bool drops = scenario->with_dropout && p > 0.0 && p < 1.0;
    return drops ? NULL : &reason_no_dropout;
}

const Mistake mistake_dropout_not_rescaled = {
    .name = "dropout-not-rescaled",
    .stages = (const Stage *const[]){&dropout, NULL},
    .cannot_show = cannot_show,
    .words =
        MISTAKE_WORDS("Dropout throws weights away without enlarging the ones it keeps.",
                      "드롭아웃으로 가중치를 버리기만 하고 남은 가중치를 키우지 않았습니다.",
                      "Kept weights are (1-p) times what they should be: on average the output is "
                      "too small in training, and right in evaluation.",
                      "남은 가중치가 올바른 가중치의 (1-p)배입니다. 학습할 때의 출력이 평균적으로 "
                      "작아져 평가할 때와 어긋납니다.",
                      "Multiply what is kept by 1 / (1-p).", "남긴 가중치에 1 / (1-p)를 곱합니다."),
};
