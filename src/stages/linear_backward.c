// Linear layers, backward: what the loss wants of a layer's input.
//
//   grad.x[b,l,d] = sum over o of grad.q[b,l,o] * weight[o,d]
//
// in    grad.q [B, Lq, H*d_k]; likewise of k, v and the output
//       weight [H*d_k, Din], or per_head [H, Din, d_k], whose column i made output h*d_k + i
// out   grad.x [B, Lq, Din]: q, k and v each want something else of x; gradient_sum adds it up
// cost  B * Lq * Din * H*d_k multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = x W^T gives dx = dy W
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_WEIGHT };

static void linear_backward(const Tensor *grad_q, const Tensor *weight, Tensor *grad_x)
{
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                // Forward x[d] went into every
                // output, so every output has a
                // say. The sum goes over o, down
                // column d of the weight; forward
                // it went along row o.
                float sum = 0.0f;
                for (ptrdiff_t o = 0; o < weight->shape[0]; o++)
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at2(weight, o, d), sum);
                *tensor_at3(grad_x, b, l, d) = sum;
            }
}

static void linear_backward_per_head(const Tensor *grad_q, const Tensor *per_head, Tensor *grad_x)
{
    ptrdiff_t d_k = per_head->shape[2];
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                float sum = 0.0f;
                // One sum through the outputs of
                // all heads: all of them were made
                // from the same x.
                for (ptrdiff_t o = 0; o < grad_q->shape[2]; o++) {
                    // Output o, as it was made:
                    // column i of the matrix of head
                    // h.
                    ptrdiff_t h = o / d_k, i = o % d_k;
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at3(per_head, h, d, i), sum);
                }
                *tensor_at3(grad_x, b, l, d) = sum;
            }
}

static bool is_per_head(const StageArgs *args)
{
    return args->in[IN_WEIGHT].rank == 3;
}

static bool linear_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    (is_per_head(args) ? linear_backward_per_head
                       : linear_backward)(&args->in[IN_GRAD], &args->in[IN_WEIGHT], &args->out[0]);
    return true;
}

// A term for each output o: its gradient times the number of the weight by which it took in
// x[d].
static void linear_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                   TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *grad_q = &args->in[IN_GRAD], *weight = &args->in[IN_WEIGHT];
    ptrdiff_t b = at[0], l = at[1], d = at[2];
    ptrdiff_t d_k = is_per_head(args) ? weight->shape[2] : 1;
    float sum = 0.0f;
    for (ptrdiff_t o = 0; o < grad_q->shape[2]; o++) {
        Source in_weight = is_per_head(args) ? (Source){IN_WEIGHT, {o / d_k, d, o % d_k}}
                                             : (Source){IN_WEIGHT, {o, d}};
        float left = *tensor_at3(grad_q, b, l, o);
        float right = weight->storage.f32[tensor_place(weight, in_weight.at)];
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_GRAD, {b, l, o}}, in_weight},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_linear_backward = {
    .name = "linear_backward",
    .formula = "grad_x[b,l,d] = sum_o grad_q[b,l,o] * weight[o,d]",
    .torch = "grad_x = grad_q @ weight",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.label = "q",
             .of = "project",
             .formula = "grad_x[b,l,d] = sum_o grad_q[b,l,o] * weight[o,d]",
             .torch = "grad_x = grad_q @ weight",
             .reads = {{.role = "grad.q", .axes = "B Lq Dk"},
                       {.role = "q_proj.weight", .axes = "Dk Dq", .factor = FACTOR_COLUMNS}},
             .writes = {{.role = "grad.x_query", .tensor = "grad.x_query", .axes = "B Lq Dq"}}},
            {.label = "q",
             .of = "project",
             .formula = "grad_x[b,l,d] = sum_i,h grad_q[b,l, h*d_k + i] * per_head[h,d,i]",
             .torch = "grad_x = torch.einsum('blhi,hdi->bld', grad_q.view(B, L, H, d_k), per_head)",
             .loop = "linear_backward_per_head",
             .reads = {{.role = "grad.q", .axes = "B Lq Dk"},
                       {.role = "q_proj.per_head", .axes = "H Dq d_k", .factor = FACTOR_ROWS}},
             .writes = {{.role = "grad.x_query", .tensor = "grad.x_query", .axes = "B Lq Dq"}}},
            {.label = "k",
             .of = "project",
             .formula = "grad_x[b,l,d] = sum_o grad_k[b,l,o] * weight[o,d]",
             .torch = "grad_x = grad_k @ weight",
             .reads = {{.role = "grad.k", .axes = "B Lt Dk"},
                       {.role = "k_proj.weight", .axes = "Dk Din", .factor = FACTOR_COLUMNS}},
             .writes = {{.role = "grad.x", .tensor = "grad.x", .axes = "B Lt Din"}}},
            {.label = "k",
             .of = "project",
             .formula = "grad_x[b,l,d] = sum_i,h grad_k[b,l, h*d_k + i] * per_head[h,d,i]",
             .torch = "grad_x = torch.einsum('blhi,hdi->bld', grad_k.view(B, L, H, d_k), per_head)",
             .loop = "linear_backward_per_head",
             .reads = {{.role = "grad.k", .axes = "B Lt Dk"},
                       {.role = "k_proj.per_head", .axes = "H Din d_k", .factor = FACTOR_ROWS}},
             .writes = {{.role = "grad.x", .tensor = "grad.x", .axes = "B Lt Din"}}},
            {.label = "v",
             .of = "project",
             .formula = "grad_x[b,l,d] = sum_o grad_v[b,l,o] * weight[o,d]",
             .torch = "grad_x = grad_v @ weight",
             .reads = {{.role = "grad.v", .axes = "B Lt Dv"},
                       {.role = "v_proj.weight", .axes = "Dv Din", .factor = FACTOR_COLUMNS}},
             .writes = {{.role = "grad.x", .tensor = "grad.x", .axes = "B Lt Din"}}},
            {.label = "v",
             .of = "project",
             .formula = "grad_x[b,l,d] = sum_i,h grad_v[b,l, h*d_v + i] * per_head[h,d,i]",
             .torch = "grad_x = torch.einsum('blhi,hdi->bld', grad_v.view(B, L, H, d_v), per_head)",
             .loop = "linear_backward_per_head",
             .reads = {{.role = "grad.v", .axes = "B Lt Dv"},
                       {.role = "v_proj.per_head", .axes = "H Din d_v", .factor = FACTOR_ROWS}},
             .writes = {{.role = "grad.x", .tensor = "grad.x", .axes = "B Lt Din"}}},
            {.label = "out",
             .of = "output_projection",
             .formula = "grad_context[b,l,d] = sum_o grad_output[b,l,o] * weight[o,d]",
             .torch = "grad_context = grad_output @ weight",
             .reads = {{.role = "grad.output", .axes = "B Lq Dout"},
                       {.role = "out_proj.weight", .axes = "Dout Dv", .factor = FACTOR_COLUMNS}},
             .writes = {{.role = "grad.context", .tensor = "grad.context", .axes = "B Lq Dv"}}},
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = linear_backward_run,
    .fast = fast_linear_backward,
    .origin = linear_backward_origin,
};
