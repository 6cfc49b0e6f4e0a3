// Transpose, backward: the two axes change places again, without moving a number.
//
//   grad.q_view[b,l,h,i] = grad.q_heads[b,h,l,i]
//
// in    grad.q_heads [B, H, Lq, d_k]; likewise of k and v
// out   grad.q_view  [B, Lq, H, d_k]  a view: the same storage, two strides exchanged
// cost  nothing: no element is read or written
// from  PyTorch: the gradient of Tensor.transpose
#include "stage.h"

static void transpose_backward(const Tensor *grad_heads, Tensor *grad_view)
{
    // Exchanged twice, axes stand as they
    // did. So the way back is the same call.
    *grad_view = tensor_transpose(grad_heads, 1, 2);
}

static bool transpose_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    transpose_backward(&args->in[0], &args->out[0]);
    return true;
}

static void transpose_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                      TermVisit *visit, void *context)
{
    (void)slot;
    float value = *tensor_at4(&args->in[0], at[0], at[2], at[1], at[3]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[2], at[1], at[3]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_transpose_backward = {
    .name = "transpose_backward",
    .formula = "grad_q_view[b,l,h,i] = grad_q_heads[b,h,l,i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_q = grad_q.transpose(1, 2)",
    .source = "PyTorch: Tensor.transpose",
    .rounds_once = true,
    .calls =
        {
            {.label = "q",
             .of = "transpose",
             .formula = "grad_q_view[b,l,h,i] = grad_q_heads[b,h,l,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "grad_q = grad_q.transpose(1, 2)",
             .reads = {{.role = "grad.q", .axes = "B H Lq d_k", .alias = "grad_q_heads"}},
             .writes =
                 {{.role = "grad.q", .tensor = "grad.q", .axes = "B Lq H d_k", .is_view = true}}},
            {.label = "k",
             .of = "transpose",
             .formula = "grad_k_view[b,l,h,i] = grad_k_heads[b,h,l,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "grad_k = grad_k.transpose(1, 2)",
             .reads = {{.role = "grad.k", .axes = "B H Lt d_k", .alias = "grad_k_heads"}},
             .writes =
                 {{.role = "grad.k", .tensor = "grad.k", .axes = "B Lt H d_k", .is_view = true}}},
            {.label = "v",
             .of = "transpose",
             .formula = "grad_v_view[b,l,h,i] = grad_v_heads[b,h,l,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "grad_v = grad_v.transpose(1, 2)",
             .reads = {{.role = "grad.v", .axes = "B H Lt d_v", .alias = "grad_v_heads"}},
             .writes =
                 {{.role = "grad.v", .tensor = "grad.v", .axes = "B Lt H d_v", .is_view = true}}},
        },
    .run = transpose_backward_run,
    .origin = transpose_backward_origin,
};
