// Mistake: the weight of a linear layer is not transposed: its storage is read as (Din, Dout).
//
//   q[b,l,o] = sum over d of x[b,l,d] * W[d,o]
//   W        = weight.view(Din, Dout); nn.Linear keeps (Dout, Din)
//
// Where Din = Dout this is x @ weight instead of x @ weight^T.
#include "mistake.h"

#include <math.h>
#include "matrix_product.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_X, IN_WEIGHT, IN_BIAS };

static bool is_per_head(const StageArgs *args)
{
    return args->in[IN_WEIGHT].rank == 3;
}

// Where the number lies that meets element d of the input for output o. One matrix for all heads is
// taken as (Din, Dout) in storage; a matrix for each head, which is (Din, d_k), as (d_k, Din).
static Source place(const StageArgs *args, ptrdiff_t d, ptrdiff_t o)
{
    const Tensor *weight = &args->in[IN_WEIGHT];
    if (!is_per_head(args)) {
        ptrdiff_t number = d * weight->shape[0] + o;
        return (Source){IN_WEIGHT, {number / weight->shape[1], number % weight->shape[1]}};
    }
    ptrdiff_t d_k = weight->shape[2], number = o % d_k * weight->shape[1] + d;
    return (Source){IN_WEIGHT, {o / d_k, number / d_k, number % d_k}};
}

// The same number; weights mostly lie in storage without gaps.
static float weight_at(const StageArgs *args, bool has_no_gaps, ptrdiff_t d, ptrdiff_t o)
{
    const Tensor *weight = &args->in[IN_WEIGHT];
    if (has_no_gaps && !is_per_head(args))
        return weight->storage.f32[weight->offset + d * weight->shape[0] + o];
    return weight->storage.f32[tensor_place(weight, place(args, d, o).at)];
}

// Each sum adds d in ascending order, as ever; the sums of one token grow together.
static void multiply(const StageArgs *args, const Tensor *out)
{
    const Tensor *x = &args->in[IN_X];
    bool has_no_gaps = tensor_is_contiguous(&args->in[IN_WEIGHT]);
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                for (ptrdiff_t o = 0; o < out->shape[2]; o++)
                    *tensor_at3(out, b, l, o) =
                        fmaf(*tensor_at3(x, b, l, d), weight_at(args, has_no_gaps, d, o),
                             d == 0 ? 0.0f : *tensor_at3(out, b, l, o));
}

static void add_bias(const StageArgs *args, const Tensor *out)
{
    const Tensor *bias = &args->in[IN_BIAS];
    for (ptrdiff_t b = 0; bias->storage.bytes && b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++)
                *tensor_at3(out, b, l, o) += *tensor_at1(bias, o);
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    multiply(args, &args->out[0]);
    add_bias(args, &args->out[0]);
    return true;
}

// A square matrix without gaps is read as it stands: its panels are those of a right factor.
static void fast(const StageArgs *args)
{
    const Tensor *weight = &args->in[IN_WEIGHT], *out = &args->out[0];
    bool is_square = weight->rank == 2 && weight->shape[0] == weight->shape[1];
    if (!is_square || !tensor_is_contiguous(weight)) {
        multiply(args, out);
        add_bias(args, out);
        return;
    }
    const Tensor *bias = args->in[IN_BIAS].storage.bytes ? &args->in[IN_BIAS] : NULL;
    matrix_products(args->kernel, &args->in[IN_X], &args->panels[IN_WEIGHT], bias, out);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    const Tensor *x = &args->in[IN_X], *weight = &args->in[IN_WEIGHT], *bias = &args->in[IN_BIAS];
    ptrdiff_t b = at[0], l = at[1], o = at[2];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
        Source in_weight = place(args, d, o);
        float left = *tensor_at3(x, b, l, d);
        float right = weight->storage.f32[tensor_place(weight, in_weight.at)];
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_X, {b, l, d}}, in_weight},
                               .value = left * right,
                               .running = sum});
    }
    if (bias->storage.bytes)
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(TERM_BIAS),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {o}}},
                               .value = *tensor_at1(bias, o),
                               .running = sum + *tensor_at1(bias, o)});
}

static const Stage project = {
    .name = "project",
    .formula = "q[b,l,o] = sum_d x[b,l,d] * weight.view(Din, -1)[d,o]  (+ bias[o])",
    .torch = "q = x @ $.weight.view(x.size(-1), -1)",
    .source = "a common mistake",
    .reach = REACH_AS_TOLD,
    .calls =
        {
            {.label = "q",
             .formula = "q[b,l,o] = sum_d x[b,l,d] * weight.view(Din, -1)[d,o]  (+ bias[o])",
             .torch = "q = x @ $.weight.view(x.size(-1), -1)",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "q_proj.weight", .axes = "Dk Dq", .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "q",
             .formula = "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head.view(H, d_k, -1)[h,i,d]",
             .torch =
                 "q = torch.cat([x @ per_head[h].view(d_k, -1).T for h in range(num_heads)], -1)",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "q_proj.per_head", .axes = "H Dq d_k", .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .formula = "k[b,l,o] = sum_d x[b,l,d] * weight.view(Din, -1)[d,o]  (+ bias[o])",
             .torch = "k = x @ $.weight.view(x.size(-1), -1)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "k_proj.weight", .axes = "Gk Din", .factor = FACTOR_COLUMNS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lt Gk"}}},
            {.label = "k",
             .formula = "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head.view(H, d_k, -1)[h,i,d]",
             .torch =
                 "k = torch.cat([x @ per_head[h].view(d_k, -1).T for h in range(num_heads)], -1)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lt Gk"}}},
            {.label = "v",
             .formula = "v[b,l,o] = sum_d x[b,l,d] * weight.view(Din, -1)[d,o]  (+ bias[o])",
             .torch = "v = x @ $.weight.view(x.size(-1), -1)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "v_proj.weight", .axes = "Gv Din", .factor = FACTOR_COLUMNS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lt Gv"}}},
            {.label = "v",
             .formula = "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head.view(H, d_v, -1)[h,i,d]",
             .torch =
                 "v = torch.cat([x @ per_head[h].view(d_k, -1).T for h in range(num_heads)], -1)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "v_proj.per_head", .axes = "H Din d_v", .factor = FACTOR_COLUMNS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lt Gv"}}},
        },
    .run = run,
    .fast = fast,
    .origin = origin,
};

static const Stage output_projection = {
    .name = "output_projection",
    .formula = "output[b,l,o] = sum_d context[b,l,d] * weight.view(Dv, -1)[d,o]  (+ bias[o])",
    .torch = "output = context @ $.weight.view(context.size(-1), -1)",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "context", .axes = "B Lq Dv"},
                  {.role = "out_proj.weight", .axes = "Dout Dv", .factor = FACTOR_COLUMNS},
                  {.role = "out_proj.bias", .axes = "Dout", .optional = true}},
        .writes = {{.role = "output", .tensor = "output", .axes = "B Lq Dout"}},
    }},
    .run = run,
    .fast = fast,
    .origin = origin,
};

// A matrix of one row or column has one order only.
static bool is_thin(const Scenario *scenario, Symbol rows, Symbol columns)
{
    return scenario->size[rows] <= 1 || scenario->size[columns] <= 1;
}

static const Words *cannot_show(const Scenario *scenario)
{
    static const char *const roles[] = {"q_proj.weight", "k_proj.weight", "v_proj.weight"};
    static const char *const per_head[] = {"q_proj.per_head", "k_proj.per_head", "v_proj.per_head"};
    static const Symbol widths[] = {SYMBOL_DK, SYMBOL_DK, SYMBOL_DV};
    static const Symbol head_widths[] = {SYMBOL_D_K, SYMBOL_D_K, SYMBOL_D_V};
    bool has_output = scenario_tensor(scenario, "out_proj.weight") ||
                      scenario_tensor(scenario, "conv1d.out_proj.weight");
    bool shows = (has_output && !is_thin(scenario, SYMBOL_DOUT, SYMBOL_DV)) ||
                 (mistake_is_fused(scenario) && !is_thin(scenario, SYMBOL_DK, SYMBOL_DIN));
    for (int i = 0; i < 3; i++)
        shows =
            shows ||
            (scenario_tensor(scenario, roles[i]) && !is_thin(scenario, widths[i], SYMBOL_DIN)) ||
            (scenario_tensor(scenario, per_head[i]) &&
             !is_thin(scenario, SYMBOL_DIN, head_widths[i]));
    return shows ? NULL : &reason_no_weight;
}

const Mistake mistake_weight_not_transposed = {
    .name = "weight-not-transposed",
    .stages = (const Stage *const[]){&project, &output_projection, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("The weight is multiplied without being transposed.",
                           "가중치 행렬의 행과 열을 바꾸지 않고 곱했습니다.",
                           "Shapes are right (with square weights always), but every number of q, "
                           "k and v is a sum over the wrong weights.",
                           "모양이 맞아도 q, k, v의 모든 숫자가 엉뚱한 가중치를 곱해 더한 "
                           "것입니다. 정사각형 행렬이면 모양은 언제나 맞습니다.",
                           "nn.Linear keeps a row for each output: multiply x[d] with weight[o,d], "
                           "that is x @ weight^T.",
                           "nn.Linear는 출력마다 한 행을 둡니다. x[d]에 weight[o,d]를 곱합니다. 곧 "
                           "x @ weight^T입니다."),
};
