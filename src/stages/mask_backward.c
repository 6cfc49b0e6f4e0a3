// Mask, backward: a score that was replaced has no say in the loss, so its gradient is 0.
//
//   grad.scores[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : grad.scores_masked[b,h,i,j]
//
// in    grad.scores_masked [B, H, Lq, Lk]
//       attn_mask  bool, true = masked: any shape that broadcasts to the scores
// out   grad.scores [B, H, Lq, Lk]
// cost  B * H * Lq * Lk copies
// from  PyTorch: the gradient of Tensor.masked_fill
#include "stage.h"

#include <assert.h>
#include "fast.h"
#include "stages_words.h"

enum { IN_GRAD, IN_MASK };

static void mask_backward(const Tensor *grad_masked, const Tensor *attn_mask, Tensor *grad_scores)
{
    // Forward a constant took the place of
    // the score, and a constant does not
    // move when the score does.
    for (ptrdiff_t b = 0; b < grad_scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_scores->shape[3]; j++)
                    // 0 itself, not a product with
                    // 0: that would let a NaN
                    // through.
                    *tensor_at4(grad_scores, b, h, i, j) =
                        *tensor_flag4(attn_mask, b, h, i, j) ? 0.0f
                                                             : *tensor_at4(grad_masked, b, h, i, j);
}

// The mask as if it had the scores' shape: stage mask has seen to it that it can.
static Tensor spread(const StageArgs *args)
{
    Error err;
    Tensor attn_mask;
    bool spreads = tensor_expand(&args->in[IN_MASK], 4, args->in[IN_GRAD].shape, &attn_mask, &err);
    assert(spreads);
    return spreads ? attn_mask : args->in[IN_MASK];
}

static bool mask_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    Tensor attn_mask = spread(args);
    mask_backward(&args->in[IN_GRAD], &attn_mask, &args->out[0]);
    return true;
}

// Where the flag of a score lies in a mask of smaller shape.
static Source flag_of(const Tensor *mask, const ptrdiff_t at[])
{
    Source source = {.slot = IN_MASK};
    for (int axis = 0; axis < mask->rank; axis++)
        source.at[axis] = mask->shape[axis] == 1 ? 0 : at[axis + 4 - mask->rank];
    return source;
}

// First the flag, then the gradient where the flag lets it through.
static void mask_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                 TermVisit *visit, void *context)
{
    (void)slot;
    Tensor attn_mask = spread(args);
    bool masked = *tensor_flag4(&attn_mask, at[0], at[1], at[2], at[3]);
    float grad = *tensor_at4(&args->in[IN_GRAD], at[0], at[1], at[2], at[3]);
    Source flag = flag_of(&args->in[IN_MASK], at);
    visit(context, &(Term){.what = masked ? TELL(GRADIENT_MASKED) : TELL(GRADIENT_UNMASKED),
                           .source_count = 1,
                           .sources = {flag},
                           .value = masked});
    if (!masked)
        visit(context, &(Term){.kind = TERM_COPY,
                               .what = TELL(GRADIENT_BEHIND),
                               .source_count = 1,
                               .sources = {{IN_GRAD, {at[0], at[1], at[2], at[3]}}},
                               .value = grad,
                               .running = grad});
}

const Stage stage_mask_backward = {
    .name = "mask_backward",
    .formula = "grad_scores[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : grad_masked[b,h,i,j]",
    .torch = "grad_scores = grad_masked.masked_fill(attn_mask, 0)",
    .source = "PyTorch: Tensor.masked_fill",
    .rounds_once = true,
    .calls = {{
        .of = "mask",
        .reads =
            {{.role = "grad.scores", .axes = "B H Lq Lk", .alias = "grad_masked"},
             {.role = "attn_mask", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL, .broadcasts = true}},
        .writes = {{.role = "grad.scores", .tensor = "grad.scores", .axes = "B H Lq Lk"}},
    }},
    .run = mask_backward_run,
    .fast = fast_mask_backward,
    .origin = mask_backward_origin,
};
