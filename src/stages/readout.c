// Questions to the output, and the gradients of the output and of the questions' matrices.
#include <math.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"

// --- readout
//
// Readout: asks the model questions. Each question has a matrix with a row for every possible answer;
// a dot product says how well that word fits.
//
//   logits[b,q,l,w] = sum over d of output[b,l,d] * weight[q,w,d]
//
// in    output [B, Lq, Dout]
//       weight [Q, V, Dout]  a row for each question and word
// out   logits [B, Q, Lq, V]  any size, no unit
// cost  B * Q * Lq * V * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.4 (the linear layer before the last softmax); several are
//       the "probes" of Alain and Bengio 2016

static void readout(const Tensor *output, const Tensor *weight, Tensor *logits)
{
    for (ptrdiff_t b = 0; b < logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < logits->shape[1]; q++)
            for (ptrdiff_t l = 0; l < logits->shape[2]; l++)
                for (ptrdiff_t w = 0; w < logits->shape[3]; w++) {
                    // All questions read the same
                    // output; each has its own rows
                    // of the weight. Other tokens
                    // are not read.
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                        sum = fmaf(*tensor_at3(output, b, l, d), *tensor_at3(weight, q, w, d), sum);
                    *tensor_at4(logits, b, q, l, w) = sum;
                }
}

RUN_ON_TWO(readout)

const Stage stage_readout = {
    .name = "readout",
    .formula = "logits[b,q,l,w] = sum_d output[b,l,d] * weight[q,w,d]",
    .torch = "logits = torch.einsum('bld,qwd->bqlw', output, weight)",
    .source = "Vaswani et al. 2017, section 3.4",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("output", "B Lq Dout"),
                  SLOT("readout.weight", "Q V Dout", .factor = FACTOR_ROWS)},
        .writes = {NAMED_SLOT("logits", "logits", "B Q Lq V")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = readout_run,
    .fast = fast_readout,
};

// --- readout_backward
//
// Readout, backward: the gradient of the output.
//
//   grad.output[b,l,d] = sum over q, then w, of grad.logits[b,q,l,w] * weight[q,w,d]
//
// in    grad.logits [B, Q, Lq, V]   weight [Q, V, Dout]
// out   grad.output [B, Lq, Dout]
// cost  B * Lq * Dout * Q * V multiply-adds
// from  Goodfellow et al. 2016, section 6.5: gradients of all uses of a number add up

static void readout_backward(const Tensor *grad_logits, const Tensor *weight, Tensor *grad_output)
{
    for (ptrdiff_t b = 0; b < grad_output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_output->shape[2]; d++) {
                // Each word of each question used
                // number d, so one sum spans both
                // loops and begins before them.
                float sum = 0.0f;
                for (ptrdiff_t q = 0; q < weight->shape[0]; q++)
                    for (ptrdiff_t w = 0; w < weight->shape[1]; w++)
                        sum = fmaf(*tensor_at4(grad_logits, b, q, l, w),
                                   *tensor_at3(weight, q, w, d), sum);
                *tensor_at3(grad_output, b, l, d) = sum;
            }
}

RUN_ON_TWO(readout_backward)

const Stage stage_readout_backward = {
    .name = "readout_backward",
    .formula = "grad_output[b,l,d] = sum_w,q grad_logits[b,q,l,w] * weight[q,w,d]",
    .torch = "grad_output = torch.einsum('bqlw,qwd->bld', grad_logits, weight)",
    .source = "Goodfellow et al. 2016, section 6.5",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "readout",
        .reads = {SLOT("grad.logits", "B Q Lq V"),
                  SLOT("readout.weight", "Q V Dout", .factor = FACTOR_COLUMNS)},
        .writes = {NAMED_SLOT("grad.output", "grad.output", "B Lq Dout")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = readout_backward_run,
    .fast = fast_readout_backward,
};

// --- readout_backward_weight
//
// Readout, backward: the gradients of the questions' matrices.
//
//   grad.weight[q,w,d] = sum over b, then l, of grad.logits[b,q,l,w] * output[b,l,d]
//
// in    grad.logits [B, Q, Lq, V]   output [B, Lq, Dout]
// out   grad.readout.weight [Q, V, Dout]
// cost  Q * V * Dout * B * Lq multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6

static void readout_backward_weight(const Tensor *grad_logits, const Tensor *output,
                                    Tensor *grad_weight)
{
    for (ptrdiff_t q = 0; q < grad_weight->shape[0]; q++)
        for (ptrdiff_t w = 0; w < grad_weight->shape[1]; w++)
            for (ptrdiff_t d = 0; d < grad_weight->shape[2]; d++) {
                // Word w of question q was scored
                // for every token, so every token
                // adds a term. Without an answer,
                // the logit's gradient is 0.
                float sum = 0.0f;
                for (ptrdiff_t b = 0; b < output->shape[0]; b++)
                    for (ptrdiff_t l = 0; l < output->shape[1]; l++)
                        sum = fmaf(*tensor_at4(grad_logits, b, q, l, w),
                                   *tensor_at3(output, b, l, d), sum);
                *tensor_at3(grad_weight, q, w, d) = sum;
            }
}

RUN_ON_TWO(readout_backward_weight)

const Stage stage_readout_backward_weight = {
    .name = "readout_backward_weight",
    .formula = "grad_weight[q,w,d] = sum_l,b grad_logits[b,q,l,w] * output[b,l,d]",
    .torch = "grad_weight = torch.einsum('bqlw,bld->qwd', grad_logits, output)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "readout",
        .reads = {SLOT("grad.logits", "B Q Lq V"),
                  SLOT("output", "B Lq Dout", .factor = FACTOR_STACKED)},
        .writes = {NAMED_SLOT("grad.readout.weight", "grad.readout.weight", "Q V Dout")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = readout_backward_weight_run,
    .fast = fast_readout_backward_weight,
    .sums_sequences = true,
};
