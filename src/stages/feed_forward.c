// Feed-forward: each token passes alone through a wider layer, an activation or a gate, and back.
#include <math.h>
#include <stdio.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- expand
//
// Expand: the first half of feed-forward: asks each token alone Dff questions, usually four times
// as many as it has numbers.
//
//   ff_expanded[b,l,f] = sum over d of x[b,l,d] * weight[f,d]  + bias[f]
//
// A gated feed-forward has a second weight of the same size: ff_gate says how far each number passes.
//
// in    x [B, Lq, Dout]
//       weight [Dff, Dout]   bias [Dff] or none
// out   ff_expanded [B, Lq, Dff]
// cost  B * Lq * Dff * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.3: x W_1 + b_1; the gate: Shazeer 2020

enum { EXPAND_IN_X, EXPAND_IN_WEIGHT, EXPAND_IN_BIAS };

static void expand(const Tensor *x, const Tensor *weight, const Tensor *bias, Tensor *ff_expanded)
{
    // No token looks at another here: that
    // was attention's part. All use the same
    // weight.
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
    expand(&args->in[EXPAND_IN_X], &args->in[EXPAND_IN_WEIGHT], stage_given(args, EXPAND_IN_BIAS),
           &args->out[0]);
    return true;
}

const Stage stage_expand = {
    .name = "expand",
    .formula = "ff_expanded[b,l,f] = sum_d x[b,l,d] * weight[f,d]  (+ bias[f])",
    .torch = "x = $(x)",
    .source = "Vaswani et al. 2017, section 3.3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
                  .label = "gate",
                  .formula = "ff_gate[b,l,f] = sum_d x[b,l,d] * weight[f,d]  (+ bias[f])",
                  .torch = "gate = $(x)",
                  .reads = {SLOT("feed", "B Lq Dout", .alias = "x"),
                            SLOT("gate.weight", "Dff Dout", .factor = FACTOR_ROWS),
                            SLOT("gate.bias", "Dff", .optional = true)},
                  .writes = {NAMED_SLOT("gate", "ff_gate", "B Lq Dff")},
              },
              {
                  .reads = {SLOT("feed", "B Lq Dout", .alias = "x"),
                            SLOT("expand.weight", "Dff Dout", .factor = FACTOR_ROWS),
                            SLOT("expand.bias", "Dff", .optional = true)},
                  .writes = {NAMED_SLOT("hidden", "ff_expanded", "B Lq Dff")},
              }},
    .options = OPTION(feed_forward) | OPTION(parallel),
    .needs = OPTION(feed_forward),
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = expand_run,
    .fast = fast_linear,
};

// --- gelu
//
// GELU: passes large numbers, blocks very negative ones, and bends smoothly between. Without it
// feed-forward would be one matrix.
//
//   ff_gelu[b,l,f] = x * (1 + erf(x / sqrt(2))) / 2                                 x = hidden[b,l,f]
//   ff_gelu[b,l,f] = x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) / 2          where gelu_tanh
//
// in    hidden [B, Lq, Dff]; gelu_tanh chooses GPT-2's form
// out   ff_gelu [B, Lq, Dff]  no less than -0.17
// cost  B * Lq * Dff error functions
// from  Hendrycks and Gimpel 2016
//
// Computed in double precision with libm's erf and tanh and narrowed to float once, which removes the
// last bits in which libraries differ.

// The share of x that passes, from 0 to 1.
static double gelu_share(double x, bool by_tanh)
{
    const double root_of_two = 1.4142135623730951, root_of_two_by_pi = 0.7978845608028654;
    double bent =
        by_tanh ? tanh(root_of_two_by_pi * (x + 0.044715 * x * x * x)) : erf(x / root_of_two);
    // erf and tanh go from -1 to 1. This
    // makes it 0 to 1.
    return (1.0 + bent) / 2.0;
}

static void gelu(const Tensor *hidden, bool by_tanh, Tensor *ff_gelu)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // x times its own share: x far
                // above 0 stays, x far below 0
                // becomes nearly 0.
                double x = (double)*tensor_at3(hidden, b, l, f);
                *tensor_at3(ff_gelu, b, l, f) = (float)(x * gelu_share(x, by_tanh));
            }
}

static bool gelu_run(StageArgs *args, Error *err)
{
    gelu(&args->in[0], args->options->gelu_tanh, &args->out[0]);
    return true;
}

static void gelu_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "%s", options->gelu_tanh ? TELL(GELU_TANH) : TELL(GELU_ERF));
}

// One term. The share is made from x itself, so x is the only source.
static void gelu_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    double x = (double)*tensor_at3(&args->in[0], at[0], at[1], at[2]);
    double share = gelu_share(x, args->options->gelu_tanh);
    term_one(terms, TERM_FACTOR, TELL(GELU_SHARE), SOURCE(0, at[0], at[1], at[2]), (float)share,
             (float)(x * share));
}

const Stage stage_gelu = {
    .name = "gelu",
    .formula = "ff_gelu[b,l,f] = float32(x * (1 + erf(x / sqrt(2))) / 2); "
               "x = hidden[b,l,f]",
    .torch = "x = gelu(x)",
    .source = "Hendrycks and Gimpel 2016",
    .form = {.option = OPTION(gelu_tanh),
             .formula =
                 "ff_gelu[b,l,f] = float32(x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) / 2); "
                 "x = hidden[b,l,f]",
             .torch = "x = gelu(x, approximate='tanh')"},
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("hidden", "B Lq Dff")},
        .writes = {NAMED_SLOT("hidden", "ff_gelu", "B Lq Dff")},
    }},
    .options = OPTION(feed_forward) | OPTION(gelu_tanh) | OPTION(gated) | OPTION(gelu_quick) |
               OPTION(relu),
    .needs = OPTION(feed_forward),
    .unless = OPTION(gated) | OPTION(gelu_quick) | OPTION(relu),
    .settings = gelu_settings,
    .terms = {[TERM_FACTOR] = "* gelu_share"},
    .run = gelu_run,
    .origin = gelu_origin,
};

// --- gelu_backward
//
// GELU, backward: each number's gradient times the slope of the curve at that number.
//
//   grad.hidden[b,l,f] = grad.ff_gelu[b,l,f] * (s + x * s')                        x = hidden[b,l,f]
//   s = the share of x that gelu lets through, s' its slope: e^(-x^2/2) / sqrt(2 pi), or where gelu_tanh
//   s' = (1 - t^2) / 2 * sqrt(2/pi) * (1 + 0.134145 * x^2)                   t = tanh(...) as in gelu
//
// in    hidden [B, Lq, Dff]  before the activation   grad.ff_gelu [B, Lq, Dff]; gelu_tanh
// out   grad.hidden [B, Lq, Dff]
// cost  B * Lq * Dff error functions and exponentials
// from  Hendrycks and Gimpel 2016: the derivative of x * s(x)
//
// Computed in double precision and narrowed to float once, as gelu.

enum { ACTIVATION_BACKWARD_IN_HIDDEN, ACTIVATION_BACKWARD_IN_GRAD };

static double gelu_slope(double x, bool by_tanh)
{
    // x counts twice: it passes, and it opens
    // its own gate wider.
    double share = gelu_share(x, by_tanh);
    if (!by_tanh)
        return share + x * (exp(-(x * x) / 2.0) / 2.5066282746310002);
    double bent = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    double inside = 0.7978845608028654 * (1.0 + 0.134145 * x * x);
    return share + x * ((1.0 - bent * bent) / 2.0 * inside);
}

static void gelu_backward(const Tensor *hidden, const Tensor *grad_gelu, bool by_tanh,
                          Tensor *grad_hidden)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // Far above 0 the slope is 1, far
                // below it is 0: a number that was
                // blocked learns nothing.
                double slope = gelu_slope((double)*tensor_at3(hidden, b, l, f), by_tanh);
                *tensor_at3(grad_hidden, b, l, f) =
                    (float)((double)*tensor_at3(grad_gelu, b, l, f) * slope);
            }
}

static bool gelu_backward_run(StageArgs *args, Error *err)
{
    gelu_backward(&args->in[ACTIVATION_BACKWARD_IN_HIDDEN], &args->in[ACTIVATION_BACKWARD_IN_GRAD],
                  args->options->gelu_tanh, &args->out[0]);
    return true;
}

// Two terms: the gradient, times the slope. Of every activation that has one input.
static void emit_slope(Terms *terms, const ptrdiff_t at[], double slope)
{
    Source hidden = SOURCE(ACTIVATION_BACKWARD_IN_HIDDEN, at[0], at[1], at[2]);
    term_copy(terms, TERM_COPY, TELL(ACTIVATION_GRADIENT),
              SOURCE(ACTIVATION_BACKWARD_IN_GRAD, at[0], at[1], at[2]));
    term_one(terms, TERM_FACTOR, TELL(ACTIVATION_SLOPE), hidden, (float)slope,
             (float)((double)terms->running * slope));
}

static void gelu_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    double x =
        (double)*tensor_at3(&terms->args->in[ACTIVATION_BACKWARD_IN_HIDDEN], at[0], at[1], at[2]);
    emit_slope(terms, at, gelu_slope(x, terms->args->options->gelu_tanh));
}

#define ACTIVATION_BACKWARD_CALL(forward, made) \
    { \
        .of = forward, \
        .reads = {SLOT("hidden", "B Lq Dff", .from_before = true), \
                  SLOT("grad.hidden", "B Lq Dff", .alias = "grad_" made)}, \
        .writes = {NAMED_SLOT("grad.hidden", "grad.hidden", "B Lq Dff")}, \
    }

const Stage stage_gelu_backward = {
    .name = "gelu_backward",
    .formula = "grad_hidden[b,l,f] = float32(grad_gelu[b,l,f] * ((1 + erf(x / sqrt(2))) / 2 + "
               "x * (exp(-(x * x) / 2) / sqrt(2 * pi)))); x = hidden[b,l,f]",
    .torch = "grad_hidden = torch.autograd.grad(gelu(x), x, grad_gelu)[0]",
    .source = "Hendrycks and Gimpel 2016",
    .form = {.option = OPTION(gelu_tanh),
             .formula =
                 "grad_hidden[b,l,f] = float32(grad_gelu[b,l,f] * ((1 + t) / 2 + x * ((1 - t * "
                 "t) / 2 * (sqrt(2/pi) * (1 + 0.134145 * x * x)))))",
             .where = "t = tanh(sqrt(2/pi) * (x + 0.044715 * x^3)); x = hidden[b,l,f]",
             .torch = "grad_hidden = torch.autograd.grad(gelu(x, approximate='tanh'), x, "
                      "grad_gelu)[0]"},
    .influence = INFLUENCE_BY_AXES,
    .calls = {ACTIVATION_BACKWARD_CALL("gelu", "gelu")},
    .options = OPTION(gelu_tanh),
    .settings = gelu_settings,
    .terms = {[TERM_FACTOR] = "* slope"},
    .run = gelu_backward_run,
    .origin = gelu_backward_origin,
};

// --- quick_gelu
//
// Quick GELU: gelu with a simpler curve: the share of a number that passes is a sigmoid of it.
//
//   ff_gelu[b,l,f] = x / (1 + e^(-1.702 * x))                                        x = hidden[b,l,f]
//
// in    hidden [B, Lq, Dff]
// out   ff_gelu [B, Lq, Dff]  within 0.021 of gelu
// cost  B * Lq * Dff exponentials
// from  Hendrycks and Gimpel 2016, section 2; in CLIP: Radford et al. 2021
//
// Computed in double precision with libm's exp and narrowed to float once, which removes the last bits
// in which libraries differ.

static double quick_gelu_share(double x)
{
    return 1.0 / (1.0 + exp(-1.702 * x));
}

static void quick_gelu(const Tensor *hidden, Tensor *ff_gelu)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // The number is its own gate: open
                // if it is large, almost shut far
                // below 0.
                double x = (double)*tensor_at3(hidden, b, l, f);
                *tensor_at3(ff_gelu, b, l, f) = (float)(x * quick_gelu_share(x));
            }
}

RUN_ON_ONE(quick_gelu)

// One term. The share is made from x itself, so x is the only source.
static void quick_gelu_origin(Terms *terms, const ptrdiff_t at[])
{
    double x = (double)*tensor_at3(&terms->args->in[0], at[0], at[1], at[2]);
    term_one(terms, TERM_FACTOR, TELL(GELU_SHARE), SOURCE(0, at[0], at[1], at[2]),
             (float)quick_gelu_share(x), (float)(x * quick_gelu_share(x)));
}

const Stage stage_quick_gelu = {
    .name = "quick_gelu",
    .formula = "ff_gelu[b,l,f] = float32(x * (1 / (1 + exp(-1.702 * x)))); "
               "x = hidden[b,l,f]",
    .torch = "x = x * torch.sigmoid(1.702 * x)",
    .source = "Hendrycks and Gimpel 2016, section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("hidden", "B Lq Dff")},
        .writes = {NAMED_SLOT("hidden", "ff_gelu", "B Lq Dff")},
    }},
    .options = OPTION(feed_forward) | OPTION(gelu_quick),
    .needs = OPTION(feed_forward) | OPTION(gelu_quick),
    .terms = {[TERM_FACTOR] = "* quick_gelu_share"},
    .run = quick_gelu_run,
    .origin = quick_gelu_origin,
};

// --- quick_gelu_backward
//
// Quick GELU, backward: each number's gradient times the slope of the curve at that number.
//
//   grad.hidden[b,l,f] = grad.ff_gelu[b,l,f] * (s + x * 1.702 * s * (1 - s))        x = hidden[b,l,f]
//   s = 1 / (1 + e^(-1.702 * x))
//
// in    hidden [B, Lq, Dff]  before the activation   grad.ff_gelu [B, Lq, Dff]
// out   grad.hidden [B, Lq, Dff]
// cost  B * Lq * Dff exponentials
// from  Hendrycks and Gimpel 2016, section 2; a sigmoid s has the slope s * (1 - s)
//
// Computed in double precision and narrowed to float once, as quick_gelu.

static double quick_gelu_slope(double x)
{
    // x counts twice: it passes, and it opens
    // its own gate wider.
    double share = quick_gelu_share(x);
    return share + x * (1.702 * (share * (1.0 - share)));
}

static void quick_gelu_backward(const Tensor *hidden, const Tensor *grad_gelu, Tensor *grad_hidden)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                double slope = quick_gelu_slope((double)*tensor_at3(hidden, b, l, f));
                *tensor_at3(grad_hidden, b, l, f) =
                    (float)((double)*tensor_at3(grad_gelu, b, l, f) * slope);
            }
}

RUN_ON_TWO(quick_gelu_backward)

static void quick_gelu_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    double x =
        (double)*tensor_at3(&terms->args->in[ACTIVATION_BACKWARD_IN_HIDDEN], at[0], at[1], at[2]);
    emit_slope(terms, at, quick_gelu_slope(x));
}

const Stage stage_quick_gelu_backward = {
    .name = "quick_gelu_backward",
    .formula = "grad_hidden[b,l,f] = float32(grad_gelu[b,l,f] * (s + x * (1.702 * (s * (1 - s)))))",
    .where = "s = 1 / (1 + exp(-1.702 * x)); x = hidden[b,l,f]",
    .torch = "grad_hidden = torch.autograd.grad(x * torch.sigmoid(1.702 * x), x, grad_gelu)[0]",
    .source = "Hendrycks and Gimpel 2016, section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {ACTIVATION_BACKWARD_CALL("quick_gelu", "gelu")},
    .terms = {[TERM_FACTOR] = "* slope"},
    .run = quick_gelu_backward_run,
    .origin = quick_gelu_backward_origin,
};

// --- relu
//
// ReLU: passes what is above 0 and nothing else: the original transformer's activation.
//
//   ff_relu[b,l,f] = max(0, hidden[b,l,f])
//
// in    hidden [B, Lq, Dff]
// out   ff_relu [B, Lq, Dff]
// cost  B * Lq * Dff comparisons
// from  Vaswani et al. 2017, section 3.3

static void relu(const Tensor *hidden, Tensor *ff_relu)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // NaN stays NaN: it is not below 0
                // either.
                float x = *tensor_at3(hidden, b, l, f);
                *tensor_at3(ff_relu, b, l, f) = x <= 0.0f ? 0.0f : x;
            }
}

RUN_ON_ONE(relu)

static void relu_origin(Terms *terms, const ptrdiff_t at[])
{
    Source own = SOURCE(0, at[0], at[1], at[2]);
    float x = term_number(terms, own);
    bool is_closed = x <= 0.0f;
    term_one(terms, TERM_FACTOR, is_closed ? TELL(RELU_CLOSED) : TELL(RELU_OPEN), own,
             is_closed ? 0.0f : 1.0f, is_closed ? 0.0f : x);
}

const Stage stage_relu = {
    .name = "relu",
    .formula = "ff_relu[b,l,f] = max(0, hidden[b,l,f])",
    .torch = "x = relu(x)",
    .source = "Vaswani et al. 2017, section 3.3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("hidden", "B Lq Dff")},
        .writes = {NAMED_SLOT("hidden", "ff_relu", "B Lq Dff")},
    }},
    .options = OPTION(feed_forward) | OPTION(relu),
    .needs = OPTION(feed_forward) | OPTION(relu),
    .terms = {[TERM_FACTOR] = "? 0.0f : x"},
    .run = relu_run,
    .origin = relu_origin,
};

// --- relu_backward
//
// ReLU, backward: a number above 0 passed as it was, and so does its gradient; the others get none.
//
//   grad.hidden[b,l,f] = hidden[b,l,f] <= 0 ? 0 : grad.ff_relu[b,l,f]
//
// in    hidden [B, Lq, Dff]  before the activation   grad.ff_relu [B, Lq, Dff]
// out   grad.hidden [B, Lq, Dff]
// cost  B * Lq * Dff comparisons
// from  Glorot, Bordes, Bengio 2011; at 0, where there is no slope, PyTorch takes 0

static void relu_backward(const Tensor *hidden, const Tensor *grad_relu, Tensor *grad_hidden)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // A number that is never above 0
                // never learns: a dead unit. NaN
                // passed too, as in PyTorch.
                float x = *tensor_at3(hidden, b, l, f);
                *tensor_at3(grad_hidden, b, l, f) =
                    x <= 0.0f ? 0.0f : *tensor_at3(grad_relu, b, l, f);
            }
}

RUN_ON_TWO(relu_backward)

// Where the number was let through, its gradient; else a rule.
static void relu_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    Source hidden = SOURCE(ACTIVATION_BACKWARD_IN_HIDDEN, at[0], at[1], at[2]);
    Source grad = SOURCE(ACTIVATION_BACKWARD_IN_GRAD, at[0], at[1], at[2]);
    float x = term_number(terms, hidden);
    if (x <= 0.0f)
        term_one(terms, TERM_RULE, TELL(RELU_CLOSED), hidden, 0.0f, 0.0f);
    else
        term_two(terms, TERM_COPY, TELL(RELU_OPEN), (SourcePair){grad, hidden},
                 term_number(terms, grad), term_number(terms, grad));
}

const Stage stage_relu_backward = {
    .name = "relu_backward",
    .formula = "grad_hidden[b,l,f] = hidden[b,l,f] <= 0 ? 0 : grad_relu[b,l,f]",
    .torch = "grad_hidden = torch.where(x <= 0, 0, grad_relu)",
    .source = "Glorot, Bordes, Bengio 2011",
    .calls = {ACTIVATION_BACKWARD_CALL("relu", "relu")},
    .run = relu_backward_run,
    .origin = relu_backward_origin,
};

// --- swiglu
//
// SwiGLU: passes each number as far as its gate is open. In gelu the number is its own gate; here the
// gate is another number, with a weight of its own.
//
//   ff_gated[b,l,f] = silu(gate[b,l,f]) * hidden[b,l,f]          silu(g) = g / (1 + e^-g)
//
// in    gate [B, Lq, Dff]   hidden [B, Lq, Dff]
// out   ff_gated [B, Lq, Dff]
// cost  B * Lq * Dff exponentials
// from  Shazeer 2020 (GLU variants); Touvron et al. 2023 (LLaMA), section 2.2. silu: Elfwing et al. 2018
//
// silu is computed in double precision with libm's exp and narrowed to float once, which removes the
// last bits in which libraries differ.

enum { SWIGLU_IN_GATE, SWIGLU_IN_HIDDEN };

// How far the gate g is open, from 0 to 1.
static double silu_share(double g)
{
    return 1.0 / (1.0 + exp(-g));
}

static float silu(float g)
{
    return (float)((double)g / (1.0 + exp(-(double)g)));
}

static void swiglu(const Tensor *gate, const Tensor *hidden, Tensor *ff_gated)
{
    // Both come from the same token, each by
    // its own weight. The gate does not see
    // the number it passes.
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++)
                *tensor_at3(ff_gated, b, l, f) =
                    silu(*tensor_at3(gate, b, l, f)) * *tensor_at3(hidden, b, l, f);
}

RUN_ON_TWO(swiglu)

// The gate's silu or gelu first, then that times the number behind the gate.
static void emit_gate(Terms *terms, const ptrdiff_t at[], double share, float open)
{
    term_one(terms, TERM_FACTOR, TELL(SWIGLU_SHARE), term_here(terms, SWIGLU_IN_GATE, at),
             (float)share, open);
    term_factor(terms, TELL(SWIGLU_HIDDEN), term_here(terms, SWIGLU_IN_HIDDEN, at), open);
}

static void swiglu_origin(Terms *terms, const ptrdiff_t at[])
{
    float gate = term_number(terms, term_here(terms, SWIGLU_IN_GATE, at));
    emit_gate(terms, at, silu_share((double)gate), silu(gate));
}

const Stage stage_swiglu = {
    .name = "swiglu",
    .formula = "ff_gated[b,l,f] = float32(gate[b,l,f] / (1 + exp(-gate[b,l,f]))) * hidden[b,l,f]",
    .torch = "x = silu(gate) * x",
    .source = "Shazeer 2020; Touvron et al. 2023 (LLaMA), section 2.2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("gate", "B Lq Dff"), SLOT("hidden", "B Lq Dff")},
        .writes = {NAMED_SLOT("hidden", "ff_gated", "B Lq Dff")},
    }},
    .options = OPTION(feed_forward) | OPTION(gated) | OPTION(gate_gelu),
    .needs = OPTION(feed_forward) | OPTION(gated),
    .unless = OPTION(gate_gelu),
    .terms = {[TERM_FACTOR] = "silu(*tensor_at3"},
    .run = swiglu_run,
    .origin = swiglu_origin,
};

// --- swiglu_backward
//
// SwiGLU, backward: the number gets its gradient times the open gate; the gate gets what its opening a
// little wider would do.
//
//   grad.hidden[b,l,f] = grad.ff_gated[b,l,f] * silu(gate[b,l,f])
//   grad.gate[b,l,f]   = grad.ff_gated[b,l,f] * hidden[b,l,f] * silu'(gate[b,l,f])
//   silu'(g) = s + g * s * (1 - s)                                      s = 1 / (1 + e^-g)
//
// in    gate [B, Lq, Dff]   hidden [B, Lq, Dff]  before the gate   grad.ff_gated [B, Lq, Dff]
// out   grad.gate [B, Lq, Dff]   grad.hidden [B, Lq, Dff]
// cost  B * Lq * Dff exponentials
// from  Shazeer 2020; Elfwing et al. 2018
//
// The slope is computed in double precision and the product narrowed to float once, as silu is.

enum { SWIGLU_BACKWARD_IN_GATE, SWIGLU_BACKWARD_IN_HIDDEN, SWIGLU_BACKWARD_IN_GRAD };
enum { SWIGLU_BACKWARD_OUT_GATE, SWIGLU_BACKWARD_OUT_HIDDEN };

static double swiglu_slope(double g)
{
    // g counts twice: it passes, and it opens
    // itself wider.
    double share = silu_share(g);
    return share + g * (share * (1.0 - share));
}

static void swiglu_backward(const StageArgs *args, Tensor *grad_gate, Tensor *grad_hidden)
{
    for (ptrdiff_t b = 0; b < grad_gate->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_gate->shape[1]; l++)
            for (ptrdiff_t f = 0; f < grad_gate->shape[2]; f++) {
                float grad = *tensor_at3(&args->in[SWIGLU_BACKWARD_IN_GRAD], b, l, f);
                float gate = *tensor_at3(&args->in[SWIGLU_BACKWARD_IN_GATE], b, l, f);
                float number = *tensor_at3(&args->in[SWIGLU_BACKWARD_IN_HIDDEN], b, l, f);
                // A product: each factor's gradient
                // is times the other. A shut gate
                // stops the number's gradient, a
                // number of 0 the gate's.
                double slope = swiglu_slope((double)gate);
                *tensor_at3(grad_gate, b, l, f) = (float)((double)(grad * number) * slope);
                *tensor_at3(grad_hidden, b, l, f) = grad * silu(gate);
            }
}

static bool swiglu_backward_run(StageArgs *args, Error *err)
{
    swiglu_backward(args, &args->out[SWIGLU_BACKWARD_OUT_GATE],
                    &args->out[SWIGLU_BACKWARD_OUT_HIDDEN]);
    return true;
}

// Of a gate, `open` and `slope` at it. The gradient, times the open gate; or times the number and the slope.
static void emit_gate_gradient(Terms *terms, const ptrdiff_t at[], float open, double slope)
{
    Source gate = SOURCE(SWIGLU_BACKWARD_IN_GATE, at[0], at[1], at[2]);
    Source hidden = SOURCE(SWIGLU_BACKWARD_IN_HIDDEN, at[0], at[1], at[2]);
    float number = term_number(terms, hidden);
    term_copy(terms, TERM_COPY, TELL(ACTIVATION_GRADIENT),
              SOURCE(SWIGLU_BACKWARD_IN_GRAD, at[0], at[1], at[2]));
    if (terms->slot == SWIGLU_BACKWARD_OUT_HIDDEN) {
        term_one(terms, TERM_FACTOR, TELL(GATE_OPEN), gate, open, terms->running * open);
        return;
    }
    term_one(terms, TERM_FACTOR, TELL(GATE_NUMBER), hidden, number, terms->running * number);
    term_one(terms, TERM_FACTOR, TELL(GATE_SLOPE), gate, (float)slope,
             (float)((double)terms->running * slope));
}

static void swiglu_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    float gate = term_number(terms, term_here(terms, SWIGLU_BACKWARD_IN_GATE, at));
    emit_gate_gradient(terms, at, silu(gate), swiglu_slope((double)gate));
}

const Stage stage_swiglu_backward = {
    .name = "swiglu_backward",
    .formula = "grad_gate[b,l,f] = float32(p * (s + g * (s * (1 - s))))",
    .where =
        "p = float32(grad_gated[b,l,f] * hidden[b,l,f]); s = 1 / (1 + exp(-g)); g = gate[b,l,f]; "
        "grad_hidden[b,l,f] = grad_gated[b,l,f] * float32(g / (1 + exp(-g)))",
    .torch = "grad_gate, grad_hidden = torch.autograd.grad(silu(gate) * x, (gate, x), grad_gated)",
    .source = "Shazeer 2020; Elfwing et al. 2018",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "swiglu",
        .reads = {SLOT("gate", "B Lq Dff"), SLOT("hidden", "B Lq Dff", .from_before = true),
                  SLOT("grad.hidden", "B Lq Dff", .alias = "grad_gated")},
        .writes = {NAMED_SLOT("grad.gate", "grad.gate", "B Lq Dff"),
                   NAMED_SLOT("grad.hidden", "grad.hidden", "B Lq Dff")},
    }},
    .terms = {[TERM_FACTOR] = "* slope"},
    .other_terms = {[TERM_FACTOR] = "* silu(gate)"},
    .run = swiglu_backward_run,
    .origin = swiglu_backward_origin,
};

// --- geglu
//
// GeGLU: a gate as in SwiGLU, with gelu in the place of silu, in the form with tanh (Gemma).
//
//   ff_gated[b,l,f] = gelu(gate[b,l,f]) * hidden[b,l,f]
//   gelu(g)         = g * (1 + tanh(sqrt(2/pi) * (g + 0.044715 * g^3))) / 2
//
// in    gate [B, Lq, Dff]   hidden [B, Lq, Dff]
// out   ff_gated [B, Lq, Dff]
// cost  B * Lq * Dff hyperbolic tangents
// from  Shazeer 2020 (GLU variants); Gemma Team 2024, section 2
//
// gelu is computed in double precision with libm's tanh and narrowed to float once, which removes the
// last bits in which libraries differ.

static float gate_gelu(float g)
{
    // gelu_share is how far the gate is open,
    // from 0 to 1.
    return (float)((double)g * gelu_share((double)g, true));
}

static void geglu(const Tensor *gate, const Tensor *hidden, Tensor *ff_gated)
{
    // Both come from the same token, each by
    // its own weight. The gate does not see
    // the number it passes.
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++)
                *tensor_at3(ff_gated, b, l, f) =
                    gate_gelu(*tensor_at3(gate, b, l, f)) * *tensor_at3(hidden, b, l, f);
}

RUN_ON_TWO(geglu)

// Its inputs stand as those of swiglu.
static void geglu_origin(Terms *terms, const ptrdiff_t at[])
{
    float gate = term_number(terms, term_here(terms, SWIGLU_IN_GATE, at));
    emit_gate(terms, at, gelu_share((double)gate, true), gate_gelu(gate));
}

const Stage stage_geglu = {
    .name = "geglu",
    .formula = "ff_gated[b,l,f] = float32(g * (1 + tanh(sqrt(2/pi) * (g + 0.044715 * g^3))) / 2) * "
               "hidden[b,l,f]",
    .where = "g = gate[b,l,f]",
    .torch = "x = gelu(gate, approximate='tanh') * x",
    .source = "Shazeer 2020; Gemma Team 2024, section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("gate", "B Lq Dff"), SLOT("hidden", "B Lq Dff")},
        .writes = {NAMED_SLOT("hidden", "ff_gated", "B Lq Dff")},
    }},
    .options = OPTION(feed_forward) | OPTION(gated) | OPTION(gate_gelu),
    .needs = OPTION(feed_forward) | OPTION(gated) | OPTION(gate_gelu),
    .terms = {[TERM_FACTOR] = "gate_gelu(*tensor_at3"},
    .run = geglu_run,
    .origin = geglu_origin,
};

// --- geglu_backward
//
// GeGLU, backward: the number gets its gradient times the open gate; the gate gets what its opening a
// little wider would do.
//
//   grad.hidden[b,l,f] = grad.ff_gated[b,l,f] * gelu(gate[b,l,f])
//   grad.gate[b,l,f]   = grad.ff_gated[b,l,f] * hidden[b,l,f] * gelu'(gate[b,l,f])
//   gelu'(g) as in gelu_backward, in the form with tanh
//
// in    gate [B, Lq, Dff]   hidden [B, Lq, Dff]  before the gate   grad.ff_gated [B, Lq, Dff]
// out   grad.gate [B, Lq, Dff]   grad.hidden [B, Lq, Dff]
// cost  B * Lq * Dff hyperbolic tangents
// from  Shazeer 2020; Gemma Team 2024, section 2
//
// The slope is computed in double precision and the product narrowed to float once, as gelu is.

// Its inputs and outputs stand as those of swiglu_backward.
static void geglu_backward(const StageArgs *args, Tensor *grad_gate, Tensor *grad_hidden)
{
    for (ptrdiff_t b = 0; b < grad_gate->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_gate->shape[1]; l++)
            for (ptrdiff_t f = 0; f < grad_gate->shape[2]; f++) {
                float grad = *tensor_at3(&args->in[SWIGLU_BACKWARD_IN_GRAD], b, l, f);
                float gate = *tensor_at3(&args->in[SWIGLU_BACKWARD_IN_GATE], b, l, f);
                float number = *tensor_at3(&args->in[SWIGLU_BACKWARD_IN_HIDDEN], b, l, f);
                // A product: each factor's gradient
                // is times the other. A shut gate
                // stops the number's gradient, a
                // number of 0 the gate's.
                double slope = gelu_slope((double)gate, true);
                *tensor_at3(grad_gate, b, l, f) = (float)((double)(grad * number) * slope);
                *tensor_at3(grad_hidden, b, l, f) = grad * gate_gelu(gate);
            }
}

static bool geglu_backward_run(StageArgs *args, Error *err)
{
    geglu_backward(args, &args->out[SWIGLU_BACKWARD_OUT_GATE],
                   &args->out[SWIGLU_BACKWARD_OUT_HIDDEN]);
    return true;
}

static void geglu_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    float gate = term_number(terms, term_here(terms, SWIGLU_BACKWARD_IN_GATE, at));
    emit_gate_gradient(terms, at, gate_gelu(gate), gelu_slope((double)gate, true));
}

const Stage stage_geglu_backward = {
    .name = "geglu_backward",
    .formula = "grad_gate[b,l,f] = float32(p * ((1 + t) / 2 + g * ((1 - t * t) / 2 * (sqrt(2/pi) * "
               "(1 + 0.134145 * g * g)))))",
    .where = "p = float32(grad_gated[b,l,f] * hidden[b,l,f]); t = tanh(sqrt(2/pi) * (g + 0.044715 "
             "* g^3)); "
             "g = gate[b,l,f]; grad_hidden[b,l,f] = grad_gated[b,l,f] * float32(g * (1 + t) / 2)",
    .torch = "grad_gate, grad_hidden = torch.autograd.grad(gelu(gate, approximate='tanh') * x, "
             "(gate, x), "
             "grad_gated)",
    .source = "Shazeer 2020; Gemma Team 2024, section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "geglu",
        .reads = {SLOT("gate", "B Lq Dff"), SLOT("hidden", "B Lq Dff", .from_before = true),
                  SLOT("grad.hidden", "B Lq Dff", .alias = "grad_gated")},
        .writes = {NAMED_SLOT("grad.gate", "grad.gate", "B Lq Dff"),
                   NAMED_SLOT("grad.hidden", "grad.hidden", "B Lq Dff")},
    }},
    .terms = {[TERM_FACTOR] = "* slope"},
    .other_terms = {[TERM_FACTOR] = "* gate_gelu(gate)"},
    .run = geglu_backward_run,
    .origin = geglu_backward_origin,
};

// --- contract
//
// Contract: the second half of feed-forward: brings the answers back to the width of a token.
//
//   ff_contracted[b,l,d] = sum over f of hidden[b,l,f] * weight[d,f]  + bias[d]
//
// in    hidden [B, Lq, Dff]
//       weight [Dout, Dff]   bias [Dout] or none
// out   ff_contracted [B, Lq, Dout]
// cost  B * Lq * Dff * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.3: ... W_2 + b_2

enum { CONTRACT_IN_HIDDEN, CONTRACT_IN_WEIGHT, CONTRACT_IN_BIAS };

static void contract(const Tensor *hidden, const Tensor *weight, const Tensor *bias,
                     Tensor *ff_contracted)
{
    for (ptrdiff_t b = 0; b < ff_contracted->shape[0]; b++)
        for (ptrdiff_t l = 0; l < ff_contracted->shape[1]; l++)
            for (ptrdiff_t d = 0; d < ff_contracted->shape[2]; d++) {
                // Hidden number f adds column f of
                // the weight to the token, scaled
                // by its value. At 0 it adds 0.
                float sum = 0.0f;
                for (ptrdiff_t f = 0; f < hidden->shape[2]; f++)
                    sum = fmaf(*tensor_at3(hidden, b, l, f), *tensor_at2(weight, d, f), sum);
                *tensor_at3(ff_contracted, b, l, d) = bias ? sum + *tensor_at1(bias, d) : sum;
            }
}

static bool contract_run(StageArgs *args, Error *err)
{
    contract(&args->in[CONTRACT_IN_HIDDEN], &args->in[CONTRACT_IN_WEIGHT],
             stage_given(args, CONTRACT_IN_BIAS), &args->out[0]);
    return true;
}

const Stage stage_contract = {
    .name = "contract",
    .formula = "ff_contracted[b,l,d] = sum_f hidden[b,l,f] * weight[d,f]  (+ bias[d])",
    .torch = "output = $(x)",
    .source = "Vaswani et al. 2017, section 3.3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("hidden", "B Lq Dff"),
                  SLOT("contract.weight", "Dout Dff", .factor = FACTOR_ROWS),
                  SLOT("contract.bias", "Dout", .optional = true)},
        .writes = {NAMED_SLOT("output", "ff_contracted", "B Lq Dout")},
    }},
    .options = OPTION(feed_forward),
    .needs = OPTION(feed_forward),
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = contract_run,
    .fast = fast_linear,
};
