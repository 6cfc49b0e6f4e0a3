// Add mask, backward: a number that was added to a score leaves its gradient as it is.
//
//   grad.scores[b,h,i,j] = grad.scores_added[b,h,i,j]
//
// in    grad.scores_added [B, H, Lq, Lk]
// out   grad.scores [B, H, Lq, Lk]  a view: the same storage. Where the mask has -inf the weight is 0, and
//       so is this gradient
// cost  nothing: no element is read or written
// from  PyTorch: the gradient of Tensor.add
#include "stage.h"

static void add_mask_backward(const Tensor *grad_added, Tensor *grad_scores)
{
    // Where the score grows by 1, the sum
    // grows by 1, whatever was added.
    *grad_scores = *grad_added;
}

static bool add_mask_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    add_mask_backward(&args->in[0], &args->out[0]);
    return true;
}

static void add_mask_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
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

const Stage stage_add_mask_backward = {
    .name = "add_mask_backward",
    .formula = "grad_scores[b,h,i,j] = grad_scores_added[b,h,i,j]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_scores = grad_scores_added",
    .source = "PyTorch: Tensor.add",
    .rounds_once = true,
    .calls = {{
        .of = "add_mask",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "grad.scores",
                    .tensor = "grad.scores",
                    .axes = "B H Lq Lk",
                    .is_view = true}},
    }},
    .run = add_mask_backward_run,
    .origin = add_mask_backward_origin,
};
