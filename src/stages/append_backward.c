// Append, backward: what was appended takes its gradients away with it, and the keys and values before it
// keep theirs.
//
//   grad.k[b,h,l,i] = grad.k_with_bias[b,h,l,i]     for the keys that were there before
//
// in    grad.k_with_bias [B, H, Lb, d_k], or that of k_with_zeros [B, H, Lk, d_k]; likewise of v
// out   grad.k [B, H, Lb - 1, d_k]  a view: the same storage, one row less of each head
// cost  nothing: no element is read or written
// from  PyTorch: the gradient of torch.cat
#include "stage.h"

static void append_backward(const Tensor *grad_appended, Tensor *grad_k)
{
    // The last row of each head is left out,
    // the strides stay as they are.
    *grad_k = tensor_narrow(grad_appended, 2, 0, grad_appended->shape[2] - 1);
}

static bool append_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    append_backward(&args->in[0], &args->out[0]);
    return true;
}

static void append_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                   TermVisit *visit, void *context)
{
    (void)slot;
    float value = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = value,
                           .running = value});
}

#define CALL(letter, stage, name, width, before, behind) \
    { \
        .label = letter, .of = stage, \
        .formula = "grad_" letter "[b,h,l,i] = grad_" letter name "[b,h, l + 0, i]", \
        .remark = REMARK_NO_NUMBER_MOVES, \
        .torch = "grad_" letter " = grad_" letter name "[:, :, :-1]", \
        .reads = {{.role = "grad." letter, .axes = "B H " behind " " width}}, .writes = { \
            {.role = "grad." letter, \
             .tensor = "grad." letter, \
             .axes = "B H " before " " width, \
             .is_view = true} \
        } \
    }

const Stage stage_append_backward = {
    .name = "append_backward",
    .formula = "grad_k[b,h,l,i] = grad_k_with_bias[b,h, l + 0, i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_k = grad_k_with_bias[:, :, :-1]",
    .source = "PyTorch: torch.cat",
    .rounds_once = true,
    .calls = {CALL("k", "append_bias", "_with_bias", "d_k", "Lt", "Lb"),
              CALL("v", "append_bias", "_with_bias", "d_v", "Lt", "Lb"),
              CALL("k", "append_zeros", "_with_zeros", "d_k", "Lb", "Lk"),
              CALL("v", "append_zeros", "_with_zeros", "d_v", "Lb", "Lk")},
    .run = append_backward_run,
    .origin = append_backward_origin,
};
