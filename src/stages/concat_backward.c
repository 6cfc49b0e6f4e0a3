// Concat, backward: every head gets back the gradient of its own columns, without moving a number.
//
//   grad.context_transposed[b,l,h,i] = grad.context_concat[b,l, h*d_v + i]   a view
//   grad.context_heads[b,h,l,i]      = grad.context_transposed[b,l,h,i]      two strides exchanged
//
// in    grad.context_concat [B, Lq, H*d_v]
// out   grad.context_transposed [B, Lq, H, d_v]   grad.context_heads [B, H, Lq, d_v]
// cost  nothing: no element is read or written
// from  PyTorch: the gradients of Tensor.view and Tensor.transpose
#include "stage.h"

enum { OUT_TRANSPOSED, OUT_HEADS };

static bool concat_backward(const Tensor *grad_concat, ptrdiff_t heads, Tensor *grad_transposed,
                            Tensor *grad_heads, Error *err)
{
    // Forward, numbers had to be copied.
    // Here none moves: the columns of a
    // token lie head after head, and strides
    // alone can cut them.
    ptrdiff_t d_v = grad_concat->shape[2] / heads;
    ptrdiff_t shape[] = {grad_concat->shape[0], grad_concat->shape[1], heads, d_v};
    if (!tensor_view(grad_concat, 4, shape, grad_transposed, err))
        return false;
    // Then heads stand before tokens again,
    // as where they came from.
    *grad_heads = tensor_transpose(grad_transposed, 1, 2);
    return true;
}

static bool concat_backward_run(StageArgs *args, Error *err)
{
    return concat_backward(&args->in[0], args->options->heads, &args->out[OUT_TRANSPOSED],
                           &args->out[OUT_HEADS], err);
}

// Both outputs read the same row of the token; they differ in which index is the head.
static void concat_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                   TermVisit *visit, void *context)
{
    ptrdiff_t d_v = args->in[0].shape[2] / args->options->heads;
    ptrdiff_t l = slot == OUT_HEADS ? at[2] : at[1], h = slot == OUT_HEADS ? at[1] : at[2];
    float value = *tensor_at3(&args->in[0], at[0], l, h * d_v + at[3]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {{0, {at[0], l, h * d_v + at[3]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_concat_backward = {
    .name = "concat_backward",
    .formula = "grad_heads[b,h,l,i] = grad_context[b,l, h*d_v + i]",
    .where = "grad.context_transposed[b,l,h,i] = grad_context[b,l, h*d_v + i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_heads = grad_concat.view(batch_size, -1, num_heads, d_v).transpose(1, 2)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .rounds_once = true,
    .main_output = OUT_HEADS,
    .calls = {{
        .of = "concat",
        .reads = {{.role = "grad.context", .axes = "B Lq Dv"}},
        .writes = {{.role = "grad.context_transposed",
                    .tensor = "grad.context_transposed",
                    .axes = "B Lq H d_v",
                    .is_view = true},
                   {.role = "grad.context",
                    .tensor = "grad.context_heads",
                    .axes = "B H Lq d_v",
                    .is_view = true}},
    }},
    .run = concat_backward_run,
    .origin = concat_backward_origin,
};
