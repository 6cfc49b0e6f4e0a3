// Dropout of weights.
#include <stdio.h>
#include "generator.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- dropout
//
// Dropout: in training, sets random weights to 0 and scales up the others to compensate.
//
//   keep[b,h,i,j]    = 1 with probability 1 - p, else 0
//   dropped[b,h,i,j] = weights[b,h,i,j] * (keep[b,h,i,j] * 1/(1-p))
//
// in    weights [B, H, Lq, Lk]; p and the seed of the draw
// out   dropout_mask         [B, H, Lq, Lk]  bool, 1 = kept
//       attn_weights_dropped [B, H, Lq, Lk]
// loops b, h, i, j: every weight, in PyTorch's order of draws. One draw decides whether it is kept.
//       A kept weight is multiplied by 1/(1-p), so that a row keeps its sum on average
// cost  B * H * Lq * Lk draws of two generator words; masked weights use up a draw too
// from  Srivastava et al. 2014; Vaswani et al. 2017, section 5.4; the draw: torch 1.13 without MKL
//
// Like PyTorch, this multiplies a dropped weight by 0 instead of replacing it: NaN stays NaN.

enum { DROPOUT_OUT_MASK, DROPOUT_OUT_DROPPED };

static void dropout(const Tensor *weights, double p, uint64_t seed, Tensor *dropout_mask,
                    Tensor *dropped)
{
    // Seeded once, before the loops: each
    // draw continues the last. Another order
    // would drop other weights.
    Generator generator;
    generator_seed(&generator, seed);
    // With p = 0.1 about nine of ten stay,
    // each multiplied by 1 / 0.9.
    float enlarge = (float)(1.0 / (1.0 - p));
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++) {
                    unsigned char *keep = tensor_flag4(dropout_mask, b, h, i, j);
                    generator_bernoulli(&generator, 1.0 - p, keep, 1);
                    *tensor_at4(dropped, b, h, i, j) =
                        *tensor_at4(weights, b, h, i, j) * (*keep ? enlarge : 0.0f);
                }
}

static bool dropout_run(StageArgs *args, Error *err)
{
    dropout(&args->in[0], args->options->dropout_p, args->options->dropout_seed,
            &args->out[DROPOUT_OUT_MASK], &args->out[DROPOUT_OUT_DROPPED]);
    return true;
}

static void dropout_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "p = %g, manual_seed %llu", options->dropout_p,
             (unsigned long long)options->dropout_seed);
}

// Draws nothing again: the stored mask holds the outcome of each draw.
static void dropout_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    bool keep = *tensor_flag4(&args->out[DROPOUT_OUT_MASK], at[0], at[1], at[2], at[3]);
    float factor = keep ? (float)(1.0 / (1.0 - args->options->dropout_p)) : 0.0f;
    if (terms->slot == DROPOUT_OUT_MASK)
        term_rule(terms, keep ? TELL(DRAW_BELOW) : TELL(DRAW_NOT_BELOW), keep, keep);
    else
        term_factor(terms, keep ? TELL(DROPOUT_KEPT) : TELL(DROPOUT_DROPPED),
                    SOURCE(0, at[0], at[1], at[2], at[3]), factor);
}

const Stage stage_dropout = {
    .name = "dropout",
    .formula = "dropped[b,h,i,j] = weights[b,h,i,j] * (keep[b,h,i,j] / (1 - dropout_p))",
    .torch = "weights = dropout(weights)",
    .source = "Srivastava et al. 2014; Vaswani et al. 2017, section 5.4",
    .use = STAGE_WITH_DROPOUT,
    .rounds_once = true,
    .main_output = DROPOUT_OUT_DROPPED,
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("weights", "B H Lq Lk")},
        .writes = {NAMED_SLOT("dropout_mask", "dropout_mask", "B H Lq Lk", .dtype = DTYPE_BOOL,
                              .alias = "keep"),
                   NAMED_SLOT("weights", "attn_weights_dropped", "B H Lq Lk", .sums_to_one = true)},
    }},
    .options = OPTION(dropout_p) | OPTION(dropout_seed),
    .settings = dropout_settings,
    .terms = {[TERM_FACTOR] = "enlarge :"},
    .run = dropout_run,
    .origin = dropout_origin,
};

// --- dropout_backward
//
// Dropout, backward: a kept weight gets a scaled-up gradient, a dropped one gets 0.
//
//   grad.weights[b,h,i,j] = grad.dropped[b,h,i,j] * (keep[b,h,i,j] * 1/(1-p))
//
// in    grad.attn_weights_dropped [B, H, Lq, Lk]   dropout_mask [B, H, Lq, Lk]  bool; p
// out   grad.attn_weights [B, H, Lq, Lk]
// cost  B * H * Lq * Lk multiplications
// from  Srivastava et al. 2014, section 5.1

enum { DROPOUT_BACKWARD_IN_GRAD, DROPOUT_BACKWARD_IN_MASK };

static void dropout_backward(const Tensor *grad_dropped, const Tensor *keep, double p,
                             Tensor *grad_weights)
{
    // Reads the forward pass's mask. A new
    // draw would give the gradients of a
    // different network.
    float enlarge = (float)(1.0 / (1.0 - p));
    // The factor does not depend on the
    // weight, so the gradient is multiplied
    // by the same factor.
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
    dropout_backward(&args->in[DROPOUT_BACKWARD_IN_GRAD], &args->in[DROPOUT_BACKWARD_IN_MASK],
                     args->options->dropout_p, &args->out[0]);
    return true;
}

// One term with two sources: the gradient, and the flag that chose the factor.
static void dropout_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    float grad = *tensor_at4(&args->in[DROPOUT_BACKWARD_IN_GRAD], at[0], at[1], at[2], at[3]);
    bool keep = *tensor_flag4(&args->in[DROPOUT_BACKWARD_IN_MASK], at[0], at[1], at[2], at[3]);
    float factor = keep ? (float)(1.0 / (1.0 - args->options->dropout_p)) : 0.0f;
    term_two(terms, TERM_FACTOR, keep ? TELL(DROPOUT_KEPT) : TELL(DROPOUT_DROPPED),
             (SourcePair){SOURCE(DROPOUT_BACKWARD_IN_GRAD, at[0], at[1], at[2], at[3]),
                          SOURCE(DROPOUT_BACKWARD_IN_MASK, at[0], at[1], at[2], at[3])},
             factor, grad * factor);
}

const Stage stage_dropout_backward = {
    .name = "dropout_backward",
    .formula = "grad_weights[b,h,i,j] = grad_dropped[b,h,i,j] * (keep[b,h,i,j] / (1 - dropout_p))",
    .torch = "grad_weights = grad_dropped * keep / (1 - p)",
    .source = "Srivastava et al. 2014, section 5.1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "dropout",
        .reads = {SLOT("grad.weights", "B H Lq Lk", .alias = "grad_dropped"),
                  SLOT("dropout_mask", "B H Lq Lk", .dtype = DTYPE_BOOL, .alias = "keep")},
        .writes = {NAMED_SLOT("grad.weights", "grad.weights", "B H Lq Lk")},
    }},
    .options = OPTION(dropout_p) | OPTION(dropout_seed),
    .terms = {[TERM_FACTOR] = "enlarge :"},
    .run = dropout_backward_run,
    .origin = dropout_backward_origin,
};
