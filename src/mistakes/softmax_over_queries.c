// Mistake: softmax goes down the columns: over the queries instead of over the keys.
//
//   weights[b,h,i,j] = e^(scores[b,h,i,j] - m) / sum over i' of e^(scores[b,h,i',j] - m)
//   m                = the largest score of the column
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"

enum { QUERIES = 2 };

static bool run(StageArgs *args, Error *err)
{
    return mistake_softmax_along(QUERIES, args, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    mistake_softmax_along_origin(QUERIES, args, at, visit, context);
}

static const Stage softmax = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = exp(scores[b,h,i,j] - max_j) / sum_i exp(...)",
    .torch = "weights = F.softmax(scores, dim=-2)",
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
    bool single = scenario->size[SYMBOL_LQ] == 1 && scenario->size[SYMBOL_LK] == 1;
    return single ? &reason_one_pair : NULL;
}

const Mistake mistake_softmax_over_queries = {
    .name = "softmax-over-queries",
    .stages = (const Stage *const[]){&softmax, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "Softmax runs over the queries (dim=-2) instead of the keys.",
        "소프트맥스를 키가 아니라 쿼리 방향(dim=-2)으로 계산했습니다.",
        "The columns of the weights sum to 1, the rows do not. A key that is masked for every "
        "query makes its column NaN.",
        "가중치의 열을 더하면 1이 되고 행을 더하면 1이 되지 않습니다. 모든 쿼리에서 가려진 키의 "
        "열은 NaN이 됩니다.",
        "Take softmax along the last axis: dim=-1. Each query shares 1 among its keys.",
        "마지막 축(dim=-1)으로 소프트맥스를 계산합니다. 쿼리마다 1을 여러 키에 나누어 줍니다."),
};
