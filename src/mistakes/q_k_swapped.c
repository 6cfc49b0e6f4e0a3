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

// Queries and keys of different shapes cannot change places: then each stays where it is.
static Rewired swapped(const StageArgs *args)
{
    Rewired score = {.args = *args, .from = {IN_Q, IN_K}};
    if (tensor_same_shape(&args->in[IN_Q], &args->in[IN_K]))
        score = (Rewired){.args = *args, .from = {IN_K, IN_Q}};
    score.args.in[IN_Q] = args->in[score.from[IN_Q]];
    score.args.in[IN_K] = args->in[score.from[IN_K]];
    return score;
}

static bool run(StageArgs *args, Error *err)
{
    Rewired score = swapped(args);
    return stage_find("score")->run(&score.args, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    Rewired score = swapped(args);
    mistake_rewired_origin("score", &score, slot, at, visit, context);
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
        "올바른 점수의 행과 열이 뒤바뀌어 나옵니다. i번 행에는 키 i를 모든 쿼리와 곱한 것이 "
        "들어갑니다.",
        "The query comes first: scores = q @ k^T.", "쿼리를 앞에 두고 q @ k^T를 계산합니다."),
};
