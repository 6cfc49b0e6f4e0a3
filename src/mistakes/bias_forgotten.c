// Mistake: the linear layers forget their bias.
//
//   q[b,l,o] = sum over d of x[b,l,d] * weight[o,d]
#include "mistake.h"

#include "mistake_scenario.h"

enum { IN_BIAS = 2 };

static StageArgs without_bias(const StageArgs *args)
{
    StageArgs other = *args;
    other.in[IN_BIAS] = (Tensor){.rank = 0};
    return other;
}

static bool run_project(StageArgs *args, Error *err)
{
    StageArgs other = without_bias(args);
    return stage_find("project")->run(&other, err);
}

static bool run_output_projection(StageArgs *args, Error *err)
{
    StageArgs other = without_bias(args);
    return stage_find("output_projection")->run(&other, err);
}

static void fast_project(const StageArgs *args)
{
    StageArgs other = without_bias(args);
    stage_find("project")->fast(&other);
}

static void origin_project(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    StageArgs other = without_bias(args);
    stage_find("project")->origin(&other, slot, at, visit, context);
}

static void fast_output_projection(const StageArgs *args)
{
    StageArgs other = without_bias(args);
    stage_find("output_projection")->fast(&other);
}

static void origin_output_projection(const StageArgs *args, int slot, const ptrdiff_t at[],
                                     TermVisit *visit, void *context)
{
    StageArgs other = without_bias(args);
    stage_find("output_projection")->origin(&other, slot, at, visit, context);
}

static const Stage project = {
    .name = "project",
    .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]",
    .remark = REMARK_NO_BIAS,
    .torch = "q = F.linear(x, $.weight)",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.label = "q",
             .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]",
             .remark = REMARK_NO_BIAS,
             .torch = "q = F.linear(x, $.weight)",
             .reads = {{.role = "x_query", .axes = "B Lq Din"},
                       {.role = "q_proj.weight", .axes = "Dk Din", .factor = FACTOR_ROWS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "q",
             .formula = "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]",
             .remark = REMARK_NO_BIAS,
             .torch = "q = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)",
             .reads = {{.role = "x_query", .axes = "B Lq Din"},
                       {.role = "q_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .formula = "k[b,l,o] = sum_d x[b,l,d] * weight[o,d]",
             .remark = REMARK_NO_BIAS,
             .torch = "k = F.linear(x, $.weight)",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "k_proj.weight", .axes = "Gk Din", .factor = FACTOR_ROWS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lk Gk"}}},
            {.label = "k",
             .formula = "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]",
             .remark = REMARK_NO_BIAS,
             .torch = "k = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lk Gk"}}},
            {.label = "v",
             .formula = "v[b,l,o] = sum_d x[b,l,d] * weight[o,d]",
             .remark = REMARK_NO_BIAS,
             .torch = "v = F.linear(x, $.weight)",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "v_proj.weight", .axes = "Gv Din", .factor = FACTOR_ROWS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lk Gv"}}},
            {.label = "v",
             .formula = "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head[h,d,i]",
             .remark = REMARK_NO_BIAS,
             .torch = "v = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "v_proj.per_head", .axes = "H Din d_v", .factor = FACTOR_COLUMNS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lk Gv"}}},
        },
    .run = run_project,
    .fast = fast_project,
    .origin = origin_project,
};

static const Stage output_projection = {
    .name = "output_projection",
    .formula = "output[b,l,o] = sum_d context_concat[b,l,d] * weight[o,d]",
    .remark = REMARK_NO_BIAS,
    .torch = "output = F.linear(context, $.weight)",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "context", .axes = "B Lq Dv"},
                  {.role = "out_proj.weight", .axes = "Dout Dv", .factor = FACTOR_ROWS},
                  {.role = "out_proj.bias", .axes = "Dout", .optional = true}},
        .writes = {{.role = "output", .tensor = "output", .axes = "B Lq Dout"}},
    }},
    .run = run_output_projection,
    .fast = fast_output_projection,
    .origin = origin_output_projection,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return mistake_no_bias(scenario);
}

const Mistake mistake_bias_forgotten = {
    .name = "bias-forgotten",
    .stages = (const Stage *const[]){&project, &output_projection, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("The bias of the linear layers is not added.",
                           "선형층의 편향(bias)을 더하지 않았습니다.",
                           "Each column is too small by its bias, the same number for every token.",
                           "열마다 그 편향만큼, 모든 토큰에서 똑같은 숫자가 모자랍니다.",
                           "Add bias[o] to every output o, once, after the sum.",
                           "합을 구한 다음 출력 o마다 bias[o]를 한 번 더합니다."),
};
