// Linear layers with a matrix for each head, backward: what the loss wants of such a matrix.
//
//   grad.per_head[h,d,i] = sum over b, then l, of x[b,l,d] * grad.q[b,l, h*d_k + i]
//
// in    x [B, Lq, Din]   grad.q [B, Lq, H*d_k]; likewise for k and v
// out   grad.per_head [H, Din, d_k]
// cost  H*d_k * Din * B * Lq multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = x W gives dW = x^T dy
#include "stage.h"

#include <math.h>

enum { IN_X, IN_GRAD };

static void linear_backward_per_head(const Tensor *x, const Tensor *grad_q, Tensor *grad_per_head)
{
    ptrdiff_t d_k = grad_per_head->shape[2];
    // The loops follow [H, Din, d_k], the
    // shape of the matrices; the gradient of
    // q has the heads side by side.
    for (ptrdiff_t h = 0; h < grad_per_head->shape[0]; h++)
        for (ptrdiff_t d = 0; d < grad_per_head->shape[1]; d++)
            for (ptrdiff_t i = 0; i < d_k; i++) {
                // Column h * d_k + i of grad_q is
                // what head h made with its column
                // i. Of other columns this number
                // of the matrix knows nothing.
                float sum = 0.0f;
                for (ptrdiff_t b = 0; b < x->shape[0]; b++)
                    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
                        sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at3(grad_q, b, l, h * d_k + i),
                                   sum);
                *tensor_at3(grad_per_head, h, d, i) = sum;
            }
}

static bool linear_backward_per_head_run(StageArgs *args, Error *err)
{
    (void)err;
    linear_backward_per_head(&args->in[IN_X], &args->in[IN_GRAD], &args->out[0]);
    return true;
}

// `o` is the column of grad_q that belongs to head at[0] and its output at[2].
static void linear_backward_per_head_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                            TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *x = &args->in[IN_X], *grad_q = &args->in[IN_GRAD];
    ptrdiff_t o = at[0] * args->out[0].shape[2] + at[2];
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            float left = *tensor_at3(x, b, l, at[1]), right = *tensor_at3(grad_q, b, l, o);
            sum = fmaf(left, right, sum);
            visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                                   .source_count = 2,
                                   .sources = {{IN_X, {b, l, at[1]}}, {IN_GRAD, {b, l, o}}},
                                   .value = left * right,
                                   .running = sum});
        }
}

const Stage stage_linear_backward_per_head = {
    .name = "linear_backward_per_head",
    .formula = "grad_per_head[h,d,i] = sum_l,b x[b,l,d] * grad_q[b,l, h*d_k + i]",
    .torch = "grad_per_head = torch.einsum('bld,blhi->hdi', x, grad_q.view(B, L, H, d_k))",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .calls =
        {
            {.label = "q",
             .of = "project",
             .formula = "grad_per_head[h,d,i] = sum_l,b x[b,l,d] * grad_q[b,l, h*d_k + i]",
             .torch = "grad_per_head = torch.einsum('bld,blhi->hdi', x, grad_q.view(B, L, H, d_k))",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "grad.q", .axes = "B Lq Dk"}},
             .writes = {{.role = "grad.q_proj.per_head",
                         .tensor = "grad.q_proj.per_head",
                         .axes = "H Dq d_k"}}},
            {.label = "k",
             .of = "project",
             .formula = "grad_per_head[h,d,i] = sum_l,b x[b,l,d] * grad_k[b,l, h*d_k + i]",
             .torch = "grad_per_head = torch.einsum('bld,blhi->hdi', x, grad_k.view(B, L, H, d_k))",
             .reads = {{.role = "x", .axes = "B Lt Din"}, {.role = "grad.k", .axes = "B Lt Dk"}},
             .writes = {{.role = "grad.k_proj.per_head",
                         .tensor = "grad.k_proj.per_head",
                         .axes = "H Din d_k"}}},
            {.label = "v",
             .of = "project",
             .formula = "grad_per_head[h,d,i] = sum_l,b x[b,l,d] * grad_v[b,l, h*d_v + i]",
             .torch = "grad_per_head = torch.einsum('bld,blhi->hdi', x, grad_v.view(B, L, H, d_v))",
             .reads = {{.role = "x", .axes = "B Lt Din"}, {.role = "grad.v", .axes = "B Lt Dv"}},
             .writes = {{.role = "grad.v_proj.per_head",
                         .tensor = "grad.v_proj.per_head",
                         .axes = "H Din d_v"}}},
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = linear_backward_per_head_run,
    .origin = linear_backward_per_head_origin,
};
