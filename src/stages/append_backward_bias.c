// Append bias, backward: what the loss wants of a key and a value that were appended.
//
//   grad.bias_k[0,0,o] = sum over b of grad.k_with_bias[b, o / d_k, Lt, o % d_k]
//
// in    grad.k_with_bias [B, H, Lt + 1, d_k]; likewise of v
// out   grad.bias_k [1, 1, H*d_k]
// cost  B * H*d_k additions
// from  Goodfellow et al. 2016, section 6.5.6: the bias stands in every sequence, so every one counts
#include "stage.h"

#include "stages_words.h"

static void append_backward_bias(const Tensor *grad_k, Tensor *grad_bias)
{
    ptrdiff_t d_k = grad_k->shape[3], last = grad_k->shape[2] - 1;
    for (ptrdiff_t o = 0; o < grad_bias->shape[2]; o++) {
        float sum = 0.0f;
        // One row of each sequence: the last,
        // which the bias has filled.
        for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
            sum = sum + *tensor_at4(grad_k, b, o / d_k, last, o % d_k);
        *tensor_at3(grad_bias, 0, 0, o) = sum;
    }
}

static bool append_backward_bias_run(StageArgs *args, Error *err)
{
    (void)err;
    append_backward_bias(&args->in[0], &args->out[0]);
    return true;
}

static void append_backward_bias_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                        TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *grad_k = &args->in[0];
    ptrdiff_t h = at[2] / grad_k->shape[3], last = grad_k->shape[2] - 1,
              i = at[2] % grad_k->shape[3];
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++) {
        float grad = *tensor_at4(grad_k, b, h, last, i);
        sum = sum + grad;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(APPENDED_GRADIENT),
                               .source_count = 1,
                               .sources = {{0, {b, h, last, i}}},
                               .value = grad,
                               .running = sum});
    }
}

const Stage stage_append_backward_bias = {
    .name = "append_backward_bias",
    .formula = "grad_bias_k[0,0,o] = sum_b grad_k_with_bias[b, o / d_k, Lt, o % d_k]",
    .torch = "grad_bias_k = grad_k[:, :, -1].sum(0).flatten()",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .calls =
        {
            {.label = "k",
             .of = "append_bias",
             .reads = {{.role = "grad.k", .axes = "B H Lb d_k"}},
             .writes = {{.role = "grad.bias_k", .tensor = "grad.bias_k", .axes = "1 1 Dk"}}},
            {.label = "v",
             .of = "append_bias",
             .formula = "grad_bias_v[0,0,o] = sum_b grad_v_with_bias[b, o / d_v, Lt, o % d_v]",
             .torch = "grad_bias_v = grad_v[:, :, -1].sum(0).flatten()",
             .reads = {{.role = "grad.v", .axes = "B H Lb d_v"}},
             .writes = {{.role = "grad.bias_v", .tensor = "grad.bias_v", .axes = "1 1 Dv"}}},
        },
    .terms = {[TERM_ADD] = "sum + "},
    .run = append_backward_bias_run,
    .origin = append_backward_bias_origin,
};
