// Readout, backward: what the questions want of their own matrices.
//
//   grad.weight[q,w,d] = sum over b, then l, of grad.logits[b,q,l,w] * output[b,l,d]
//
// in    grad.logits [B, Q, Lq, V]   output [B, Lq, Dout]
// out   grad.readout.weight [Q, V, Dout]
// cost  Q * V * Dout * B * Lq multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_OUTPUT };

static void readout_backward_weight(const Tensor *grad_logits, const Tensor *output,
                                    Tensor *grad_weight)
{
    for (ptrdiff_t q = 0; q < grad_weight->shape[0]; q++)
        for (ptrdiff_t w = 0; w < grad_weight->shape[1]; w++)
            for (ptrdiff_t d = 0; d < grad_weight->shape[2]; d++) {
                // Word w of question q was tried
                // on every token, so every token
                // adds a term. Where nothing was
                // asked the gradient of the logit
                // is 0.
                float sum = 0.0f;
                for (ptrdiff_t b = 0; b < output->shape[0]; b++)
                    for (ptrdiff_t l = 0; l < output->shape[1]; l++)
                        sum = fmaf(*tensor_at4(grad_logits, b, q, l, w),
                                   *tensor_at3(output, b, l, d), sum);
                *tensor_at3(grad_weight, q, w, d) = sum;
            }
}

static bool readout_backward_weight_run(StageArgs *args, Error *err)
{
    (void)err;
    readout_backward_weight(&args->in[IN_GRAD], &args->in[IN_OUTPUT], &args->out[0]);
    return true;
}

static void readout_backward_weight_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                           TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *output = &args->in[IN_OUTPUT];
    ptrdiff_t q = at[0], w = at[1], d = at[2];
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++) {
            float left = *tensor_at4(&args->in[IN_GRAD], b, q, l, w);
            float right = *tensor_at3(output, b, l, d);
            sum = fmaf(left, right, sum);
            visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                                   .source_count = 2,
                                   .sources = {{IN_GRAD, {b, q, l, w}}, {IN_OUTPUT, {b, l, d}}},
                                   .value = left * right,
                                   .running = sum});
        }
}

const Stage stage_readout_backward_weight = {
    .name = "readout_backward_weight",
    .formula = "grad_weight[q,w,d] = sum_l,b grad_logits[b,q,l,w] * output[b,l,d]",
    .torch = "grad_weight = torch.einsum('bqlw,bld->qwd', grad_logits, output)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "readout",
        .reads = {{.role = "grad.logits", .axes = "B Q Lq V"},
                  {.role = "output", .axes = "B Lq Dout", .factor = FACTOR_STACKED}},
        .writes =
            {{.role = "grad.readout.weight", .tensor = "grad.readout.weight", .axes = "Q V Dout"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = readout_backward_weight_run,
    .fast = fast_readout_backward_weight,
    .origin = readout_backward_weight_origin,
};
