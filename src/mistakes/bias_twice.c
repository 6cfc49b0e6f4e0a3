// Mistake: the bias of the linear layers is added twice.
//
//   q[b,l,o] = sum over d of x[b,l,d] * weight[o,d]  + bias[o] + bias[o]
#include "mistake.h"

#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_BIAS = 2 };

static void add_bias(const StageArgs *args)
{
    const Tensor *bias = &args->in[IN_BIAS], *out = &args->out[0];
    for (ptrdiff_t b = 0; bias->storage.bytes && b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++)
                *tensor_at3(out, b, l, o) += *tensor_at1(bias, o);
}

static bool run_project(StageArgs *args, Error *err)
{
    bool done = stage_find("project")->run(args, err);
    if (done)
        add_bias(args);
    return done;
}

static bool run_output_projection(StageArgs *args, Error *err)
{
    bool done = stage_find("output_projection")->run(args, err);
    if (done)
        add_bias(args);
    return done;
}

typedef struct Adding {
    TermVisit *visit;
    void *context;
    float running;
} Adding;

static void tell_on(void *context, const Term *term)
{
    Adding *adding = context;
    adding->running = term->running;
    adding->visit(adding->context, term);
}

static void origin_of(const char *stage, const StageArgs *args, int slot, const ptrdiff_t at[],
                      TermVisit *visit, void *context)
{
    Adding adding = {visit, context, 0.0f};
    stage_find(stage)->origin(args, slot, at, tell_on, &adding);
    if (!args->in[IN_BIAS].storage.bytes)
        return;
    float bias = *tensor_at1(&args->in[IN_BIAS], at[2]);
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(TERM_BIAS_AGAIN),
                           .source_count = 1,
                           .sources = {{IN_BIAS, {at[2]}}},
                           .value = bias,
                           .running = adding.running + bias});
}

static void fast_project(const StageArgs *args)
{
    stage_find("project")->fast(args);
    add_bias(args);
}

static void origin_project(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    origin_of("project", args, slot, at, visit, context);
}

static void fast_output_projection(const StageArgs *args)
{
    stage_find("output_projection")->fast(args);
    add_bias(args);
}

static void origin_output_projection(const StageArgs *args, int slot, const ptrdiff_t at[],
                                     TermVisit *visit, void *context)
{
    origin_of("output_projection", args, slot, at, visit, context);
}

static const Stage project = {
    .name = "project",
    .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d] + bias[o] + bias[o]",
    .torch = "q = $(x) + $.bias",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.label = "q",
             .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d] + bias[o] + bias[o]",
             .torch = "q = $(x) + $.bias",
             .reads = {{.role = "x_query", .axes = "B Lq Din"},
                       {.role = "q_proj.weight", .axes = "Dk Din", .factor = FACTOR_ROWS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "q",
             .formula = "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i] + bias + bias",
             .torch = "q = torch.cat([x @ per_head[h] for h in range(num_heads)], -1) + 2 * bias",
             .reads = {{.role = "x_query", .axes = "B Lq Din"},
                       {.role = "q_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .formula = "k[b,l,o] = sum_d x[b,l,d] * weight[o,d] + bias[o] + bias[o]",
             .torch = "k = $(x) + $.bias",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "k_proj.weight", .axes = "Gk Din", .factor = FACTOR_ROWS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lk Gk"}}},
            {.label = "k",
             .formula = "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i] + bias + bias",
             .torch = "k = torch.cat([x @ per_head[h] for h in range(num_heads)], -1) + 2 * bias",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lk Gk"}}},
            {.label = "v",
             .formula = "v[b,l,o] = sum_d x[b,l,d] * weight[o,d] + bias[o] + bias[o]",
             .torch = "v = $(x) + $.bias",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "v_proj.weight", .axes = "Gv Din", .factor = FACTOR_ROWS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lk Gv"}}},
            {.label = "v",
             .formula = "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head[h,d,i] + bias + bias",
             .torch = "v = torch.cat([x @ per_head[h] for h in range(num_heads)], -1) + 2 * bias",
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
    .formula = "output[b,l,o] = sum_d context[b,l,d] * weight[o,d] + bias[o] + bias[o]",
    .torch = "output = $(context) + $.bias",
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

const Mistake mistake_bias_twice = {
    .name = "bias-twice",
    .stages = (const Stage *const[]){&project, &output_projection, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The bias of the linear layers is added twice.", "선형층의 편향(bias)을 두 번 더했습니다.",
        "Each column is too large by its bias, the same number for every token.",
        "열마다 그 편향만큼, 모든 토큰에서 똑같은 숫자가 더해져 있습니다.",
        "Start the sum at 0 and add the bias last, or start it at the bias; not both.",
        "합을 0에서 시작해 편향을 마지막에 더하거나, 편향에서 시작하거나, 둘 중 하나만 합니다."),
};
