// Expand: the first half of feed-forward: each token alone is asked Dff questions,
// usually four times as many as it has numbers.
//
//   ff_expanded[b,l,f] = sum over d of x[b,l,d] * weight[f,d]  + bias[f]
//
// Where feed-forward has a gate, a second weight asks as many questions more: ff_gate says how far each
// of the answers is let through (swiglu.c).
//
// in    x [B, Lq, Dout]
//       weight [Dff, Dout]   bias [Dff] or none
// out   ff_expanded [B, Lq, Dff]
// cost  B * Lq * Dff * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.3: x W_1 + b_1; the gate: Shazeer 2020
#include "stage.h"

#include <math.h>
#include "fast.h"
#include "stages_words.h"

enum { IN_X, IN_WEIGHT, IN_BIAS };

static void expand(const Tensor *x, const Tensor *weight, const Tensor *bias, Tensor *ff_expanded)
{
    // No token looks at another here: that
    // was the part of attention. Each goes
    // through the same weight.
    for (ptrdiff_t b = 0; b < ff_expanded->shape[0]; b++)
        for (ptrdiff_t l = 0; l < ff_expanded->shape[1]; l++)
            for (ptrdiff_t f = 0; f < ff_expanded->shape[2]; f++) {
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at2(weight, f, d), sum);
                *tensor_at3(ff_expanded, b, l, f) = bias ? sum + *tensor_at1(bias, f) : sum;
            }
}

static bool expand_run(StageArgs *args, Error *err)
{
    (void)err;
    expand(&args->in[IN_X], &args->in[IN_WEIGHT], stage_given(args, IN_BIAS), &args->out[0]);
    return true;
}

// Dout terms and a bias, if there is one: the whole token, and row f of the weight.
static void expand_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                          void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], l = at[1], f = at[2];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_X].shape[2]; d++) {
        float left = *tensor_at3(&args->in[IN_X], b, l, d);
        float right = *tensor_at2(&args->in[IN_WEIGHT], f, d);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_X, {b, l, d}}, {IN_WEIGHT, {f, d}}},
                               .value = left * right,
                               .running = sum});
    }
    if (stage_given(args, IN_BIAS)) {
        float bias = *tensor_at1(stage_given(args, IN_BIAS), f);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(BIAS),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {f}}},
                               .value = bias,
                               .running = sum + bias});
    }
}

const Stage stage_expand = {
    .name = "expand",
    .formula = "ff_expanded[b,l,f] = sum_d x[b,l,d] * weight[f,d]  (+ bias[f])",
    .torch = "x = $(x)",
    .source = "Vaswani et al. 2017, section 3.3",
    .reach = REACH_BY_AXES,
    .calls = {{
                  .label = "gate",
                  .formula = "ff_gate[b,l,f] = sum_d x[b,l,d] * weight[f,d]  (+ bias[f])",
                  .torch = "gate = $(x)",
                  .reads = {{.role = "feed", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "gate.weight", .axes = "Dff Dout", .factor = FACTOR_ROWS},
                            {.role = "gate.bias", .axes = "Dff", .optional = true}},
                  .writes = {{.role = "gate", .tensor = "ff_gate", .axes = "B Lq Dff"}},
              },
              {
                  .reads = {{.role = "feed", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "expand.weight", .axes = "Dff Dout", .factor = FACTOR_ROWS},
                            {.role = "expand.bias", .axes = "Dff", .optional = true}},
                  .writes = {{.role = "hidden", .tensor = "ff_expanded", .axes = "B Lq Dff"}},
              }},
    .options = OPTION(feed_forward) | OPTION(parallel),
    .needs = OPTION(feed_forward),
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = expand_run,
    .fast = fast_linear,
    .origin = expand_origin,
};
