// Mistake: q and k have changed places: each key asks, each query answers.
//
//   scores[b,h,i,j] = sum over d of k[b,h,i,d] * q[b,h,j,d]
//
// The same products, added in the same order, as those of scores_transposed.
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

enum { IN_Q, IN_K };

static StageArgs swapped(const StageArgs *args)
{
    StageArgs other = *args;
    if (tensor_same_shape(&args->in[IN_Q], &args->in[IN_K])) {
        other.in[IN_Q] = args->in[IN_K];
        other.in[IN_K] = args->in[IN_Q];
    }
    return other;
}

static bool run(StageArgs *args, Error *err)
{
    StageArgs other = swapped(args);
    return stage_find("score")->run(&other, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    static const int places[] = {IN_K, IN_Q}, own_places[] = {IN_Q, IN_K};
    bool is_swapped = tensor_same_shape(&args->in[IN_Q], &args->in[IN_K]);
    StageArgs other = swapped(args);
    mistake_origin_replaced("score", &other, is_swapped ? places : own_places, slot, at, visit,
                            context);
}

static const Stage score = {
    .name = "score",
    .formula = "scores[b,h,i,j] = sum_d k[b,h,i,d] * q[b,h,j,d]",
    .torch = "scores = torch.matmul(k, q.transpose(-2, -1))",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "q", .axes = "B H Lq d_k"}, {.role = "k", .axes = "B H Lk d_k"}},
        .writes = {{.role = "scores", .tensor = "scores", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_LQ] != scenario->size[SYMBOL_LK])
        return &reason_not_square;
    if (mistake_same_projection(scenario, "q", "k"))
        return &reason_q_is_k;
    return scenario->size[SYMBOL_LK] == 1 ? &reason_one_pair : NULL;
}

const Mistake mistake_q_k_swapped = {
    .name = "q-k-swapped",
    .stages = (const Stage *const[]){&score, NULL},
    .cannot_show = cannot_show,
    .same_as = "scores-transposed",
    .words = MISTAKE_WORDS(
        "q and k have changed places.", "q와 k의 자리가 뒤바뀌었습니다.",
        "The scores are the right ones, transposed: row i holds what key i asks of all queries.",
        "올바른 점수의 행과 열이 뒤바뀌어 나옵니다. i번 행에는 키 i를 모든 쿼리와 곱한 값이 "
        "들어갑니다.",
        "The query comes first: scores = q @ k^T.", "쿼리를 앞에 두고 q @ k^T를 계산합니다."),
};
