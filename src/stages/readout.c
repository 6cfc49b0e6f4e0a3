// Readout: asks the layer questions. Each question has a matrix of its own, with a row for every word
// that may be the answer; how well the word fits is a dot product.
//
//   logits[b,q,l,w] = sum over d of output[b,l,d] * weight[q,w,d]
//
// in    output [B, Lq, Dout]
//       weight [Q, V, Dout]  for each question a row for each word of the vocabulary
// out   logits [B, Q, Lq, V]  any size, no unit
// cost  B * Q * Lq * V * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.4 (the linear layer before the last softmax); one for each
//       question: a "probe" in Alain and Bengio 2016
#include "stage.h"

#include <math.h>
#include "fast.h"

enum { IN_OUTPUT, IN_WEIGHT };

static void readout(const Tensor *output, const Tensor *weight, Tensor *logits)
{
    for (ptrdiff_t b = 0; b < logits->shape[0]; b++)
        for (ptrdiff_t q = 0; q < logits->shape[1]; q++)
            for (ptrdiff_t l = 0; l < logits->shape[2]; l++)
                for (ptrdiff_t w = 0; w < logits->shape[3]; w++) {
                    // All questions read the same
                    // output; each has its own rows
                    // of the weight. Nothing is
                    // asked of other tokens.
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                        sum = fmaf(*tensor_at3(output, b, l, d), *tensor_at3(weight, q, w, d), sum);
                    *tensor_at4(logits, b, q, l, w) = sum;
                }
}

static bool readout_run(StageArgs *args, Error *err)
{
    (void)err;
    readout(&args->in[IN_OUTPUT], &args->in[IN_WEIGHT], &args->out[0]);
    return true;
}

// Along the Dout numbers of one token and of one word of question q.
static void readout_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], q = at[1], l = at[2], w = at[3];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_OUTPUT].shape[2]; d++) {
        float left = *tensor_at3(&args->in[IN_OUTPUT], b, l, d);
        float right = *tensor_at3(&args->in[IN_WEIGHT], q, w, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_OUTPUT, {b, l, d}}, {IN_WEIGHT, {q, w, d}}},
                               .value = left * right,
                               .running = sum});
    }
}

const Stage stage_readout = {
    .name = "readout",
    .formula = "logits[b,q,l,w] = sum_d output[b,l,d] * weight[q,w,d]",
    .torch = "logits = torch.einsum('bld,qwd->bqlw', output, weight)",
    .source = "Vaswani et al. 2017, section 3.4",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "output", .axes = "B Lq Dout"},
                  {.role = "readout.weight", .axes = "Q V Dout", .factor = FACTOR_ROWS}},
        .writes = {{.role = "logits", .tensor = "logits", .axes = "B Q Lq V"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = readout_run,
    .fast = fast_readout,
    .origin = readout_origin,
};
