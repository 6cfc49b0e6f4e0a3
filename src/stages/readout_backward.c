// Readout, backward: what the questions want of the output.
//
//   grad.output[b,l,d] = sum over q, then w, of grad.logits[b,q,l,w] * weight[q,w,d]
//
// in    grad.logits [B, Q, Lq, V]   weight [Q, V, Dout]
// out   grad.output [B, Lq, Dout]
// cost  B * Lq * Dout * Q * V multiply-adds
// from  Goodfellow et al. 2016, section 6.5: where a number is used in several places, the gradients
//       of all of them add up
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_GRAD, IN_WEIGHT };

static void readout_backward(const Tensor *grad_logits, const Tensor *weight, Tensor *grad_output)
{
    for (ptrdiff_t b = 0; b < grad_output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_output->shape[2]; d++) {
                // Number d was used by each word
                // of each question, so one sum
                // goes through both loops and
                // begins before them.
                float sum = 0.0f;
                for (ptrdiff_t q = 0; q < weight->shape[0]; q++)
                    for (ptrdiff_t w = 0; w < weight->shape[1]; w++)
                        sum = fmaf(*tensor_at4(grad_logits, b, q, l, w),
                                   *tensor_at3(weight, q, w, d), sum);
                *tensor_at3(grad_output, b, l, d) = sum;
            }
}

static bool readout_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    readout_backward(&args->in[IN_GRAD], &args->in[IN_WEIGHT], &args->out[0]);
    return true;
}

// Q * V terms: word by word, the first question first.
static void readout_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                    TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *weight = &args->in[IN_WEIGHT];
    ptrdiff_t b = at[0], l = at[1], d = at[2];
    float sum = 0.0f;
    for (ptrdiff_t q = 0; q < weight->shape[0]; q++)
        for (ptrdiff_t w = 0; w < weight->shape[1]; w++) {
            float left = *tensor_at4(&args->in[IN_GRAD], b, q, l, w);
            float right = *tensor_at3(weight, q, w, d);
            sum = fmaf(left, right, sum);
            visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                                   .source_count = 2,
                                   .sources = {{IN_GRAD, {b, q, l, w}}, {IN_WEIGHT, {q, w, d}}},
                                   .value = left * right,
                                   .running = sum});
        }
}

const Stage stage_readout_backward = {
    .name = "readout_backward",
    .formula = "grad_output[b,l,d] = sum_w,q grad_logits[b,q,l,w] * weight[q,w,d]",
    .torch = "grad_output = torch.einsum('bqlw,qwd->bld', grad_logits, weight)",
    .source = "Goodfellow et al. 2016, section 6.5",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "readout",
        .reads = {{.role = "grad.logits", .axes = "B Q Lq V"},
                  {.role = "readout.weight", .axes = "Q V Dout", .factor = FACTOR_COLUMNS}},
        .writes = {{.role = "grad.output", .tensor = "grad.output", .axes = "B Lq Dout"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = readout_backward_run,
    .fast = fast_readout_backward,
    .origin = readout_backward_origin,
};
