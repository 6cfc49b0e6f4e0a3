// Mistake: the gradient of a key is taken from its row of the scores' gradient, not from its column.
//
//   grad.k[b,h,j,d] = sum over i of grad.scores[b,h,j,i] * q[b,h,i,d]
//
// Where there are as many queries as keys, no shape tells.
#include "mistake.h"

#include "mistake_reason.h"

enum { QUERIES = 2, KEYS = 3, IN_GRAD = 0 };

static StageArgs turned(const StageArgs *args)
{
    StageArgs other = *args;
    if (args->in[IN_GRAD].shape[QUERIES] == args->in[IN_GRAD].shape[KEYS])
        other.in[IN_GRAD] = tensor_transpose(&args->in[IN_GRAD], QUERIES, KEYS);
    return other;
}

static bool run(StageArgs *args, Error *err)
{
    StageArgs other = turned(args);
    return stage_find("score_backward_k")->run(&other, err);
}

typedef struct Turning {
    bool is_square;
    TermVisit *visit;
    void *context;
} Turning;

static void tell_turned(void *context, const Term *term)
{
    const Turning *turning = context;
    Term other = *term;
    for (int i = 0; turning->is_square && i < other.source_count; i++)
        if (other.sources[i].slot == IN_GRAD) {
            other.sources[i].at[QUERIES] = term->sources[i].at[KEYS];
            other.sources[i].at[KEYS] = term->sources[i].at[QUERIES];
        }
    turning->visit(turning->context, &other);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    StageArgs other = turned(args);
    const Tensor *grad = &args->in[IN_GRAD];
    Turning turning = {grad->shape[QUERIES] == grad->shape[KEYS], visit, context};
    stage_find("score_backward_k")->origin(&other, slot, at, tell_turned, &turning);
}

static const Stage stage = {
    .name = "score_backward_k",
    .formula = "grad_k[b,h,j,d] = sum_i grad_scores[b,h,j,i] * q[b,h,i,d]",
    .torch = "grad_k = torch.matmul(grad_scores, q)",
    .source = "a common mistake",
    .calls = {{
        .of = "score",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk"},
                  {.role = "q", .axes = "B H Lq d_k"}},
        .writes = {{.role = "grad.k", .tensor = "grad.k", .axes = "B H Lk d_k"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_LQ] != scenario->size[SYMBOL_LK])
        return &reason_not_square;
    return scenario->size[SYMBOL_LK] == 1 ? &reason_one_pair : NULL;
}

const Mistake mistake_gradient_transposed = {
    .name = "gradient-transposed",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The gradient of the keys reads the scores' gradient the wrong way round.",
        "k의 기울기를 구할 때 점수의 기울기를 행과 열을 뒤바꿔 읽었습니다.",
        "A key gets what belongs to the query of the same number. The gradient of q is right.",
        "키가 번호가 같은 쿼리의 몫을 받습니다. q의 기울기는 맞습니다.",
        "Key j was looked at by every query i: sum grad_scores[i,j] * q[i] over i.",
        "키 j는 모든 쿼리 i가 보았으므로 grad_scores[i,j] * q[i]를 i를 따라 더합니다."),
};
