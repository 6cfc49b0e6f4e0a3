// Mistake: one layer, that of the queries, makes q, k and v.
//
//   k[b,l,o] = sum over d of x[b,l,d] * w_q[o,d]  + b_q[o]
#include "mistake.h"

#include <string.h>
#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

enum { IN_X, IN_WEIGHT, IN_BIAS, IN_Q_WEIGHT, IN_Q_BIAS };

// The layer of q makes k and v too where it is as wide as theirs; elsewhere each has its own.
static bool takes_q(const StageArgs *args)
{
    const Tensor *of_q = &args->in[IN_Q_WEIGHT];
    return of_q->storage.bytes && tensor_same_shape(of_q, &args->in[IN_WEIGHT]);
}

static Rewired with_layer_of_q(const StageArgs *args)
{
    Rewired project = {.args = *args, .from = {IN_X, IN_WEIGHT, IN_BIAS}};
    if (takes_q(args))
        project = (Rewired){.args = *args, .from = {IN_X, IN_Q_WEIGHT, IN_Q_BIAS}};
    project.args.in[IN_WEIGHT] = args->in[project.from[IN_WEIGHT]];
    project.args.in[IN_BIAS] = args->in[project.from[IN_BIAS]];
    project.args.panels[IN_WEIGHT] = args->panels[project.from[IN_WEIGHT]];
    return project;
}

static bool run(StageArgs *args, Error *err)
{
    Rewired project = with_layer_of_q(args);
    return stage_find("project")->run(&project.args, err);
}

static void fast(const StageArgs *args)
{
    Rewired project = with_layer_of_q(args);
    stage_find("project")->fast(&project.args);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    Rewired project = with_layer_of_q(args);
    mistake_rewired_origin("project", &project, slot, at, visit, context);
}

static const Stage project = {
    .name = "project",
    .formula = "q, k, v [b,l,o] = sum_d x[b,l,d] * w_q[o,d]  (+ b_q[o])",
    .torch = "q = k = v = q_proj(x)",
    .source = "a common mistake",
    .calls =
        {
            {.label = "q",
             .formula = "q[b,l,o] = sum_d x[b,l,d] * w_q[o,d]  (+ b_q[o])",
             .torch = "q = q_proj(x)",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "q_proj.weight", .axes = "Dk Dq", .factor = FACTOR_ROWS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "q",
             .formula = "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head_q[h,d,i]  (+ b_q)",
             .torch = "q = torch.cat([x @ per_head_q[h] for h in range(num_heads)], -1)",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "q_proj.per_head", .axes = "H Dq d_k", .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .formula = "k[b,l,o] = sum_d x[b,l,d] * w_q[o,d]  (+ b_q[o])",
             .torch = "k = q_proj(x)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "k_proj.weight", .axes = "Gk Din", .factor = FACTOR_ROWS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true},
                       {.role = "q_proj.weight",
                        .axes = "Dk Dq",
                        .optional = true,
                        .factor = FACTOR_ROWS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lt Gk"}}},
            {.label = "k",
             .formula = "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head_q[h,d,i]  (+ b_q)",
             .torch = "k = torch.cat([x @ per_head_q[h] for h in range(num_heads)], -1)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true},
                       {.role = "q_proj.per_head",
                        .axes = "H Dq d_k",
                        .optional = true,
                        .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lt Gk"}}},
            {.label = "v",
             .formula = "v[b,l,o] = sum_d x[b,l,d] * w_q[o,d]  (+ b_q[o])",
             .torch = "v = q_proj(x)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "v_proj.weight", .axes = "Gv Din", .factor = FACTOR_ROWS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true},
                       {.role = "q_proj.weight",
                        .axes = "Dk Dq",
                        .optional = true,
                        .factor = FACTOR_ROWS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lt Gv"}}},
            {.label = "v",
             .formula = "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head_q[h,d,i]  (+ b_q)",
             .torch = "v = torch.cat([x @ per_head_q[h] for h in range(num_heads)], -1)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "v_proj.per_head", .axes = "H Din d_v", .factor = FACTOR_COLUMNS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true},
                       {.role = "q_proj.per_head",
                        .axes = "H Dq d_k",
                        .optional = true,
                        .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lt Gv"}}},
        },
    .run = run,
    .fast = fast,
    .origin = origin,
};

// Whether the layer of k or v has the shape of that of q, but is another one.
static bool is_replaced(const Scenario *scenario, const char *of_q, const char *other)
{
    const ScenarioTensor *q = scenario_tensor(scenario, of_q);
    const ScenarioTensor *theirs = scenario_tensor(scenario, other);
    return q && theirs && tensor_same_shape(&q->tensor, &theirs->tensor) &&
           strcmp(q->name, theirs->name) != 0;
}

static const Words *cannot_show(const Scenario *scenario)
{
    bool replaced = mistake_is_fused(scenario) ||
                    is_replaced(scenario, "q_proj.weight", "k_proj.weight") ||
                    is_replaced(scenario, "q_proj.weight", "v_proj.weight") ||
                    is_replaced(scenario, "q_proj.per_head", "k_proj.per_head") ||
                    is_replaced(scenario, "q_proj.per_head", "v_proj.per_head");
    if (replaced)
        return NULL;
    return scenario_tensor(scenario, "q") ? &reason_q_k_v_given : &reason_one_layer;
}

const Mistake mistake_w_q_for_all = {
    .name = "w-q-for-all",
    .stages = (const Stage *const[]){&project, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("q, k and v are all made by the layer of q.",
                           "q, k, v를 모두 q의 층 하나로 만들었습니다.",
                           "q, k and v are the same numbers. The scores are symmetric, and each "
                           "token fits itself best more often than not.",
                           "q, k, v의 숫자가 똑같습니다. 점수가 대칭이 되고, 대개 토큰마다 자기 "
                           "자신의 점수가 가장 큽니다.",
                           "Give k its own weight w_k and v its own weight w_v.",
                           "k에는 w_k, v에는 w_v를 따로 씁니다."),
};
