// Dropout, backward: what was enlarged gets a larger gradient, what was dropped gets none.
//
//   grad.weights[b,h,i,j] = grad.dropped[b,h,i,j] * (keep[b,h,i,j] * 1/(1-p))
//
// in    grad.attn_weights_dropped [B, H, Lq, Lk]   dropout_mask [B, H, Lq, Lk]  bool; p
// out   grad.attn_weights [B, H, Lq, Lk]
// cost  B * H * Lq * Lk multiplications
// from  Srivastava et al. 2014, section 5.1
#include "stage.h"

#include "stages_words.h"

enum { IN_GRAD, IN_MASK };

static void dropout_backward(const Tensor *grad_dropped, const Tensor *keep, double p,
                             Tensor *grad_weights)
{
    // The mask of the forward pass is read.
    // Another draw would give the gradients
    // of another network.
    float enlarge = (float)(1.0 / (1.0 - p));
    // A weight was multiplied by a factor
    // that it had no say in, so its gradient
    // is multiplied by the same one.
    for (ptrdiff_t b = 0; b < grad_weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_weights->shape[3]; j++)
                    *tensor_at4(grad_weights, b, h, i, j) =
                        *tensor_at4(grad_dropped, b, h, i, j) *
                        (*tensor_flag4(keep, b, h, i, j) ? enlarge : 0.0f);
}

static bool dropout_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    dropout_backward(&args->in[IN_GRAD], &args->in[IN_MASK], args->options->dropout_p,
                     &args->out[0]);
    return true;
}

// One term with two sources: the gradient, and the flag that chose the factor.
static void dropout_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                    TermVisit *visit, void *context)
{
    (void)slot;
    float grad = *tensor_at4(&args->in[IN_GRAD], at[0], at[1], at[2], at[3]);
    bool keep = *tensor_flag4(&args->in[IN_MASK], at[0], at[1], at[2], at[3]);
    float factor = keep ? (float)(1.0 / (1.0 - args->options->dropout_p)) : 0.0f;
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = keep ? TELL(DROPOUT_KEPT) : TELL(DROPOUT_DROPPED),
                           .source_count = 2,
                           .sources = {{IN_GRAD, {at[0], at[1], at[2], at[3]}},
                                       {IN_MASK, {at[0], at[1], at[2], at[3]}}},
                           .value = factor,
                           .running = grad * factor});
}

const Stage stage_dropout_backward = {
    .name = "dropout_backward",
    .formula = "grad_weights[b,h,i,j] = grad_dropped[b,h,i,j] * (keep[b,h,i,j] / (1 - dropout_p))",
    .torch = "grad_weights = grad_dropped * keep / (1 - p)",
    .source = "Srivastava et al. 2014, section 5.1",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "dropout",
        .reads =
            {{.role = "grad.weights", .axes = "B H Lq Lk", .alias = "grad_dropped"},
             {.role = "dropout_mask", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL, .alias = "keep"}},
        .writes = {{.role = "grad.weights", .tensor = "grad.weights", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(dropout_p) | OPTION(dropout_seed),
    .terms = {[TERM_FACTOR] = "enlarge :"},
    .run = dropout_backward_run,
    .origin = dropout_backward_origin,
};
