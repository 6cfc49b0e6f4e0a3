// View, backward: the heads' gradients are laid side by side again.
//
//   grad.q[b,l, h*d_k + i] = grad.q_view[b,l,h,i]
//
// in    grad.q_view [B, Lq, H, d_k], whose numbers still lie head after head; likewise of k and v
// out   grad.q [B, Lq, H*d_k]  a copy: no stride can make one axis of what lies apart
// cost  B * Lq * H*d_k copies
// from  PyTorch: the gradient of Tensor.view
#include "stage.h"

#include "fast.h"

static void view_backward(const Tensor *grad_view, Tensor *grad_q)
{
    ptrdiff_t d_k = grad_view->shape[3];
    // Of [B, L, H, d_k] the next head lies L
    // * d_k numbers on: each head has a
    // block of its own. One axis H * d_k
    // needs them as neighbours, so numbers
    // must move.
    for (ptrdiff_t b = 0; b < grad_view->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_view->shape[1]; l++)
            for (ptrdiff_t h = 0; h < grad_view->shape[2]; h++)
                for (ptrdiff_t i = 0; i < d_k; i++)
                    *tensor_at3(grad_q, b, l, h * d_k + i) = *tensor_at4(grad_view, b, l, h, i);
}

static bool view_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    view_backward(&args->in[0], &args->out[0]);
    return true;
}

// Column at[2] is taken apart: head at[2] / d_k, and place at[2] % d_k in it.
static void view_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                 TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t d_k = args->in[0].shape[3];
    float value = *tensor_at4(&args->in[0], at[0], at[1], at[2] / d_k, at[2] % d_k);
    visit(context, &(Term){.kind = TERM_COPY,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2] / d_k, at[2] % d_k}}},
                           .value = value,
                           .running = value});
}

const Stage stage_view_backward = {
    .name = "view_backward",
    .formula = "grad_q[b,l, h*d_k + i] = grad_q_view[b,l,h,i]",
    .remark = REMARK_A_COPY,
    .torch = "grad_q = grad_q.reshape(batch_size, -1, num_heads * d_k)",
    .source = "PyTorch: Tensor.view",
    .rounds_once = true,
    .calls =
        {
            {.label = "q",
             .of = "view",
             .formula = "grad_q[b,l, h*d_k + i] = grad_q_view[b,l,h,i]",
             .remark = REMARK_A_COPY,
             .torch = "grad_q = grad_q.reshape(batch_size, -1, num_heads * d_k)",
             .reads = {{.role = "grad.q", .axes = "B Lq H d_k", .alias = "grad_q_view"}},
             .writes = {{.role = "grad.q", .tensor = "grad.q", .axes = "B Lq Dk"}}},
            {.label = "k",
             .of = "view",
             .formula = "grad_k[b,l, h*d_k + i] = grad_k_view[b,l,h,i]",
             .remark = REMARK_A_COPY,
             .torch = "grad_k = grad_k.reshape(batch_size, -1, num_heads * d_k)",
             .reads = {{.role = "grad.k", .axes = "B Lt H d_k", .alias = "grad_k_view"}},
             .writes = {{.role = "grad.k", .tensor = "grad.k", .axes = "B Lt Dk"}}},
            {.label = "v",
             .of = "view",
             .formula = "grad_v[b,l, h*d_v + i] = grad_v_view[b,l,h,i]",
             .remark = REMARK_A_COPY,
             .torch = "grad_v = grad_v.reshape(batch_size, -1, num_heads * d_k)",
             .reads = {{.role = "grad.v", .axes = "B Lt H d_v", .alias = "grad_v_view"}},
             .writes = {{.role = "grad.v", .tensor = "grad.v", .axes = "B Lt Dv"}}},
        },
    .run = view_backward_run,
    .fast = fast_view_backward,
    .origin = view_backward_origin,
};
