// Mistake: softmax runs over the heads instead of over the keys.
//
//   weights[b,h,i,j] = e^(scores[b,h,i,j] - m) / sum over h' of e^(scores[b,h',i,j] - m)
//   m                = the largest score that any head gives this pair
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_scenario.h"

enum { HEADS = 1, KEYS = 3 };

// With one head there is nothing to share: the right thing is done.
static int axis_of(const StageArgs *args)
{
    return args->in[0].shape[HEADS] > 1 ? HEADS : KEYS;
}

static bool run(StageArgs *args, Error *err)
{
    return mistake_softmax_along(axis_of(args), args, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    mistake_softmax_along_origin(axis_of(args), args, at, visit, context);
}

static const Stage softmax = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = exp(scores[b,h,i,j] - max_h) / sum_h exp(...)",
    .torch = "weights = F.softmax(scores, dim=1)",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes =
            {{.role = "weights", .tensor = "attn_weights", .axes = "B H Lq Lk", .is_share = true}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_no_heads(scenario);
}

const Mistake mistake_softmax_over_heads = {
    .name = "softmax-over-heads",
    .stages = (const Stage *const[]){&softmax, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("Softmax runs over the heads (dim=1) instead of the keys.",
                           "소프트맥스를 키가 아니라 헤드 방향(dim=1)으로 계산했습니다.",
                           "The weights of one pair of tokens sum to 1 over the heads; the rows do "
                           "not. A key masked in all heads becomes NaN.",
                           "같은 토큰 쌍의 가중치를 모든 헤드에서 더하면 1이 되고, 행을 더하면 1이 "
                           "되지 않습니다. 모든 헤드에서 가려진 키는 NaN이 됩니다.",
                           "Take softmax along the last axis, dim=-1, in each head by itself.",
                           "헤드마다 따로, 마지막 축(dim=-1)으로 소프트맥스를 계산합니다."),
};
