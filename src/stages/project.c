// Project: makes queries, keys and values from the input, each by a linear layer of its own.
//
//   q[b,l,o] = sum over d of x[b,l,d] * weight[o,d]  + bias[o]
//
// in    x      [B, L, Din]  (queries may have an input of their own: cross-attention)
//       weight [Dout, Din]  as nn.Linear keeps it: a row for each output
//              or [H, Din, d_k]: a matrix for each head, whose column i makes output h*d_k + i
//       bias   [Dout]       or none
// out   q, k or v [B, L, H*d_k]
// loops b: each sequence; l: each token; o: each number of its query (key, value). The innermost
//       loop goes along the token's numbers d and along row o of the weight, and adds up the
//       products: one output is one dot product. The same weight serves every token
// cost  B * L * Din * H*d_k multiply-adds for each of the three
// from  Vaswani et al. 2017, section 3.2.2 (W^Q, W^K, W^V of all heads side by side)
#include "stage.h"

#include <math.h>
#include "fast.h"
#include "stages_words.h"

enum { IN_X, IN_WEIGHT, IN_BIAS };

static void project(const Tensor *x, const Tensor *weight, const Tensor *bias, Tensor *out)
{
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++) {
                // Each output o has a sum of its
                // own. Begun outside this loop, it
                // would carry what belongs to o
                // into o + 1.
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at2(weight, o, d), sum);
                // The bias comes last. As the
                // first value of the sum it might
                // give other last bits.
                *tensor_at3(out, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static void project_per_head(const Tensor *x, const Tensor *per_head, const Tensor *bias,
                             Tensor *out)
{
    ptrdiff_t d_k = per_head->shape[2];
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++) {
                // The H matrices stand side by
                // side: outputs 0 to d_k - 1 are
                // head 0, the next d_k are head 1.
                ptrdiff_t h = o / d_k, i = o % d_k;
                float sum = 0.0f;
                // Here d goes down column i of a
                // matrix [Din, d_k]. Above it went
                // along a row.
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at3(per_head, h, d, i), sum);
                *tensor_at3(out, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static bool is_per_head(const StageArgs *args)
{
    return args->in[IN_WEIGHT].rank == 3;
}

static bool project_run(StageArgs *args, Error *err)
{
    (void)err;
    (is_per_head(args) ? project_per_head : project)(&args->in[IN_X], &args->in[IN_WEIGHT],
                                                     stage_given(args, IN_BIAS), &args->out[0]);
    return true;
}

// The terms of one output: token l times what makes output o. That is row o of one weight,
// or column o % d_k in the matrix of head o / d_k. A bias is one term more, at the end.
static void project_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], l = at[1], o = at[2];
    const Tensor *x = &args->in[IN_X], *weight = &args->in[IN_WEIGHT];
    ptrdiff_t d_k = is_per_head(args) ? weight->shape[2] : 1;
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
        Source in_weight = is_per_head(args) ? (Source){IN_WEIGHT, {o / d_k, d, o % d_k}}
                                             : (Source){IN_WEIGHT, {o, d}};
        float left = *tensor_at3(x, b, l, d);
        float right = weight->storage.f32[tensor_place(weight, in_weight.at)];
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_X, {b, l, d}}, in_weight},
                               .value = left * right,
                               .running = sum});
    }
    if (stage_given(args, IN_BIAS)) {
        float bias = *tensor_at1(stage_given(args, IN_BIAS), o);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(BIAS),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {o}}},
                               .value = bias,
                               .running = sum + bias});
    }
}

// '$' in a PyTorch line stands for the layer whose weight is read: one layer may make q, k and v.
const Stage stage_project = {
    .name = "project",
    .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
    .torch = "q = $(x)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.label = "q",
             .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
             .torch = "q = $(x)",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "q_proj.weight", .axes = "Dk Dq", .factor = FACTOR_ROWS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "q",
             .formula = "q[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]  (+ bias[h*d_k + i])",
             .torch = "q = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)",
             .loop = "project_per_head",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "q_proj.per_head", .axes = "H Dq d_k", .factor = FACTOR_COLUMNS},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .formula = "k[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
             .torch = "k = $(x)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "k_proj.weight", .axes = "Gk Din", .factor = FACTOR_ROWS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lt Gk"}}},
            {.label = "k",
             .formula = "k[b,l, h*d_k + i] = sum_d x[b,l,d] * per_head[h,d,i]  (+ bias[h*d_k + i])",
             .torch = "k = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)",
             .loop = "project_per_head",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_COLUMNS},
                       {.role = "k_proj.bias", .axes = "Gk", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lt Gk"}}},
            {.label = "v",
             .formula = "v[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
             .torch = "v = $(x)",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "v_proj.weight", .axes = "Gv Din", .factor = FACTOR_ROWS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lt Gv"}}},
            {.label = "v",
             .formula = "v[b,l, h*d_v + i] = sum_d x[b,l,d] * per_head[h,d,i]  (+ bias[h*d_v + i])",
             .torch = "v = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)",
             .loop = "project_per_head",
             .reads = {{.role = "x", .axes = "B Lt Din"},
                       {.role = "v_proj.per_head", .axes = "H Din d_v", .factor = FACTOR_COLUMNS},
                       {.role = "v_proj.bias", .axes = "Gv", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lt Gv"}}},
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = project_run,
    .fast = fast_project,
    .origin = project_origin,
};
