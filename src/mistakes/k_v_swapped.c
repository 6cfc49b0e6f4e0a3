// Mistake: keys and values have changed places: scores are made with v, mixtures of k.
//
//   scores[b,h,i,j]  = sum over d of q[b,h,i,d] * v[b,h,j,d]
//   context[b,h,i,d] = sum over j of weights[b,h,i,j] * k[b,h,j,d]
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

enum { IN_FIRST, IN_RIGHT, IN_WRONG };

// Keys and values of different widths cannot change places: then the right one is taken.
static Rewired swapped(const StageArgs *args)
{
    bool fits = tensor_same_shape(&args->in[IN_RIGHT], &args->in[IN_WRONG]);
    Rewired rewired = {.args = *args, .from = {IN_FIRST, fits ? IN_WRONG : IN_RIGHT}};
    rewired.args.in[IN_RIGHT] = args->in[rewired.from[IN_RIGHT]];
    return rewired;
}

static bool run_as(const char *stage, const StageArgs *args, Error *err)
{
    Rewired rewired = swapped(args);
    return stage_find(stage)->run(&rewired.args, err);
}

static void origin_as(const char *stage, const StageArgs *args, int slot, const ptrdiff_t at[],
                      TermVisit *visit, void *context)
{
    Rewired rewired = swapped(args);
    mistake_rewired_origin(stage, &rewired, slot, at, visit, context);
}

static bool run_score(StageArgs *args, Error *err)
{
    return run_as("score", args, err);
}

static bool run_weighted_sum(StageArgs *args, Error *err)
{
    return run_as("weighted_sum", args, err);
}

static void origin_score(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    origin_as("score", args, slot, at, visit, context);
}

static void origin_weighted_sum(const StageArgs *args, int slot, const ptrdiff_t at[],
                                TermVisit *visit, void *context)
{
    origin_as("weighted_sum", args, slot, at, visit, context);
}

static const Stage score = {
    .name = "score",
    .formula = "scores[b,h,i,j] = sum_d q[b,h,i,d] * v[b,h,j,d]",
    .torch = "scores = torch.matmul(q, v.transpose(-2, -1))",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "q", .axes = "B H Lq d_k"},
                  {.role = "k", .axes = "B H Lk d_k"},
                  {.role = "v", .axes = "B H Lk d_v"}},
        .writes = {{.role = "scores", .tensor = "scores", .axes = "B H Lq Lk"}},
    }},
    .run = run_score,
    .origin = origin_score,
};

static const Stage weighted_sum = {
    .name = "weighted_sum",
    .formula = "context[b,h,i,d] = sum_j weights[b,h,i,j] * k[b,h,j,d]",
    .torch = "context = torch.matmul(weights, k)",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "weights", .axes = "B H Lq Lk"},
                  {.role = "v", .axes = "B H Lk d_v"},
                  {.role = "k", .axes = "B H Lk d_k"}},
        .writes = {{.role = "context", .tensor = "context_heads", .axes = "B H Lq d_v"}},
    }},
    .run = run_weighted_sum,
    .origin = origin_weighted_sum,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_D_K] != scenario->size[SYMBOL_D_V])
        return &reason_widths_differ;
    return mistake_same_projection(scenario, "k", "v") ? &reason_k_is_v : NULL;
}

const Mistake mistake_k_v_swapped = {
    .name = "k-v-swapped",
    .stages = (const Stage *const[]){&score, &weighted_sum, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "k and v have changed places.", "k와 v의 자리가 뒤바뀌었습니다.",
        "The scores compare queries with values, and the output is a mixture of keys. Every shape "
        "is right.",
        "점수는 쿼리와 밸류를 비교한 것이 되고, 출력은 키를 섞은 것이 됩니다. 모양은 모두 맞습니다.",
        "Scores come from q and k; the weights then mix v.",
        "점수는 q와 k로 구하고, 그 가중치로 v를 섞습니다."),
};
