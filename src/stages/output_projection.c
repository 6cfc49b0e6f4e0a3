// Output projection: a last linear layer mixes what the heads found.
//
//   output[b,l,o] = sum over d of context[b,l,d] * weight[o,d]  + bias[o]
//
// in    context_concat [B, Lq, H*d_v]
//       weight [Dout, H*d_v]   bias [Dout] or none
// out   output [B, Lq, Dout]
// loops b: each sequence; l: each token; o: each number of its output. The innermost loop goes
//       along all columns d, those of every head: here, and only here, what one head found meets
//       what the others found
// cost  B * Lq * H*d_v * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.2.2: W^O
#include "stage.h"

#include <math.h>
#include "fast.h"
#include "stages_words.h"

enum { IN_CONTEXT, IN_WEIGHT, IN_BIAS };

static void output_projection(const Tensor *context_concat, const Tensor *weight,
                              const Tensor *bias, Tensor *output)
{
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t o = 0; o < output->shape[2]; o++) {
                // Of these terms the first d_v
                // come from head 0, the next d_v
                // from head 1: each head adds its
                // part, and one sum takes in all
                // of them.
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < context_concat->shape[2]; d++)
                    sum =
                        fmaf(*tensor_at3(context_concat, b, l, d), *tensor_at2(weight, o, d), sum);
                // Every part of the sum is in it:
                // now the bias, once for an output
                // and not once for a head.
                *tensor_at3(output, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static bool output_projection_run(StageArgs *args, Error *err)
{
    (void)err;
    output_projection(&args->in[IN_CONTEXT], &args->in[IN_WEIGHT], stage_given(args, IN_BIAS),
                      &args->out[0]);
    return true;
}

// A term for every column of every head, then one for the bias, if there is one.
static void output_projection_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                     TermVisit *visit, void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], l = at[1], o = at[2];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_CONTEXT].shape[2]; d++) {
        float left = *tensor_at3(&args->in[IN_CONTEXT], b, l, d);
        float right = *tensor_at2(&args->in[IN_WEIGHT], o, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_CONTEXT, {b, l, d}}, {IN_WEIGHT, {o, d}}},
                               .value = left * right,
                               .running = sum});
    }
    if (stage_given(args, IN_BIAS)) {
        float bias = *tensor_at1(stage_given(args, IN_BIAS), o);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(BIAS),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {o}}},
                               .value = bias,
                               .running = sum + bias});
    }
}

const Stage stage_output_projection = {
    .name = "output_projection",
    .formula = "output[b,l,o] = sum_d context[b,l,d] * weight[o,d]  (+ bias[o])",
    .torch = "output = $(context)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "context", .axes = "B Lq Dv"},
                  {.role = "out_proj.weight", .axes = "Dout Dv", .factor = FACTOR_ROWS},
                  {.role = "out_proj.bias", .axes = "Dout", .optional = true}},
        .writes = {{.role = "output", .tensor = "output", .axes = "B Lq Dout"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = output_projection_run,
    .fast = fast_linear,
    .origin = output_projection_origin,
};
