// Mistake: the scores lie the wrong way round: rows are keys, columns are queries.
//
//   scores[b,h,i,j] = sum over d of q[b,h,j,d] * k[b,h,i,d]
//
// Where there are as many queries as keys, no shape tells.
#include "mistake.h"

#include "mistake_reason.h"
#include "mistake_scenario.h"

enum { QUERIES = 2, KEYS = 3 };

static bool is_square(const StageArgs *args)
{
    return args->out[0].shape[QUERIES] == args->out[0].shape[KEYS];
}

static bool run(StageArgs *args, Error *err)
{
    StageArgs other = *args;
    if (is_square(args))
        other.out[0] = tensor_transpose(&args->out[0], QUERIES, KEYS);
    return stage_find("score")->run(&other, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    ptrdiff_t there[4] = {at[0], at[1], at[KEYS], at[QUERIES]};
    stage_find("score")->origin(args, slot, is_square(args) ? there : at, visit, context);
}

static const Stage score = {
    .name = "score",
    .formula = "scores[b,h,i,j] = sum_d q[b,h,j,d] * k[b,h,i,d]",
    .torch = "scores = torch.matmul(q, k.transpose(-2, -1)).transpose(-2, -1)",
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

const Mistake mistake_scores_transposed = {
    .name = "scores-transposed",
    .stages = (const Stage *const[]){&score, NULL},
    .cannot_show = cannot_show,
    .words =
        MISTAKE_WORDS("The scores are transposed: rows are keys and columns are queries.",
                      "점수의 행과 열이 뒤바뀌어 행이 키, 열이 쿼리가 되었습니다.",
                      "Each score stands at [j,i] instead of [i,j]. The diagonal is right, and "
                      "softmax shares out the weights of the wrong rows.",
                      "점수가 [i,j]가 아니라 [j,i]에 있습니다. 대각선만 맞고, 소프트맥스는 엉뚱한 "
                      "행을 기준으로 가중치를 나눕니다.",
                      "Let the row count queries and the column keys: scores[i,j] = q[i] . k[j].",
                      "행은 쿼리, 열은 키가 되도록 scores[i,j]에 q[i]와 k[j]의 내적을 넣습니다."),
};
