// Project: makes queries, keys and values from the input, each by a linear layer of its own.
//
//   q[b,l,o] = sum over d of x[b,l,d] * weight[o,d]  + bias[o]
//
// in    x      [B, L, Din]  (queries may have an input of their own: cross-attention)
//       weight [Dout, Din]  as nn.Linear keeps it: a row for each output
//       bias   [Dout]       or none
//       per_head [H, Din, d_k]  instead of weight: a matrix for each head, whose column i makes
//                           output h*d_k + i
// out   q, k or v [B, L, H*d_k]
// cost  B * L * Din * H*d_k multiply-adds for each of the three
// from  Vaswani et al. 2017, section 3.2.2 (W^Q, W^K, W^V of all heads side by side)
#include "stage.h"

#include <math.h>
#include "matrix_product.h"

enum { IN_X, IN_WEIGHT, IN_BIAS, IN_PER_HEAD };

static void project(const Tensor *x, const Tensor *weight, const Tensor *bias, Tensor *out)
{
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++) {
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at2(weight, o, d), sum);
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
                ptrdiff_t h = o / d_k, i = o % d_k;
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at3(per_head, h, d, i), sum);
                *tensor_at3(out, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static const Tensor *given(const StageArgs *args, int slot)
{
    return args->in[slot].storage.bytes ? &args->in[slot] : NULL;
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    const Tensor *bias = given(args, IN_BIAS);
    if (given(args, IN_PER_HEAD))
        project_per_head(&args->in[IN_X], &args->in[IN_PER_HEAD], bias, &args->out[0]);
    else
        project(&args->in[IN_X], &args->in[IN_WEIGHT], bias, &args->out[0]);
    return true;
}

static bool fast(StageArgs *args, Error *err)
{
    if (given(args, IN_PER_HEAD))
        return run(args, err);
    Tensor columns = tensor_transpose(&args->in[IN_WEIGHT], 0, 1);
    for (ptrdiff_t b = 0; b < args->out[0].shape[0]; b++) {
        Tensor x = tensor_select(&args->in[IN_X], 0, b), out = tensor_select(&args->out[0], 0, b);
        matrix_product(&x, &columns, given(args, IN_BIAS), &out);
    }
    return true;
}

static bool shapes(StageArgs *args, Error *err)
{
    if (!given(args, IN_WEIGHT) && !given(args, IN_PER_HEAD))
        return error_set(err, "project: neither a weight nor per-head matrices are given");
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], l = at[1], o = at[2];
    const Tensor *x = &args->in[IN_X], *per_head = given(args, IN_PER_HEAD);
    ptrdiff_t d_k = per_head ? per_head->shape[2] : 1;
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
        Source weight =
            per_head ? (Source){IN_PER_HEAD, {o / d_k, d, o % d_k}} : (Source){IN_WEIGHT, {o, d}};
        float left = *tensor_at3(x, b, l, d);
        float right =
            args->in[weight.slot].storage.f32[tensor_place(&args->in[weight.slot], weight.at)];
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.what = "multiply-add",
                               .source_count = 2,
                               .sources = {{IN_X, {b, l, d}}, weight},
                               .value = left * right,
                               .running = sum});
    }
    if (given(args, IN_BIAS)) {
        float bias = *tensor_at1(&args->in[IN_BIAS], o);
        visit(context, &(Term){.what = "bias",
                               .source_count = 1,
                               .sources = {{IN_BIAS, {o}}},
                               .value = bias,
                               .running = sum + bias});
    }
}

const Stage stage_project = {
    .name = "project",
    .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
    .torch = "q = w_q(x)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .calls =
        {
            {.label = "q",
             .reads = {{.role = "x_query", .axes = "B Lq Din"},
                       {.role = "q_proj.weight", .axes = "Dk Din", .optional = true},
                       {.role = "q_proj.bias", .axes = "Dk", .optional = true},
                       {.role = "q_proj.per_head", .axes = "H Din d_k", .optional = true}},
             .writes = {{.role = "q", .tensor = "q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .formula = "k[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
             .torch = "k = w_k(x)",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "k_proj.weight", .axes = "Dk Din", .optional = true},
                       {.role = "k_proj.bias", .axes = "Dk", .optional = true},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .optional = true}},
             .writes = {{.role = "k", .tensor = "k", .axes = "B Lk Dk"}}},
            {.label = "v",
             .formula = "v[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
             .torch = "v = w_v(x)",
             .reads = {{.role = "x", .axes = "B Lk Din"},
                       {.role = "v_proj.weight", .axes = "Dv Din", .optional = true},
                       {.role = "v_proj.bias", .axes = "Dv", .optional = true},
                       {.role = "v_proj.per_head", .axes = "H Din d_v", .optional = true}},
             .writes = {{.role = "v", .tensor = "v", .axes = "B Lk Dv"}}},
        },
    .run = run,
    .fast = fast,
    .shapes = shapes,
    .origin = origin,
};
