// Makes scores smaller: divides them by one number, or caps them.
#include <math.h>
#include <stdio.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- scale
//
// Scale: divides the scores, so that wide heads do not saturate softmax.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] / scale          scale = sqrt(d_k)
//
// in    scores [B, H, Lq, Lk]; scale, a float32 number (a scenario may set another than sqrt(d_k))
// out   scores_scaled [B, H, Lq, Lk]
// loops b, h, i, j: every score of every head, each independently
// cost  B * H * Lq * Lk divisions
// from  Vaswani et al. 2017, section 3.2.1 and its footnote 4: a sum of d_k products of numbers
//       with variance 1 has variance d_k
//
// Divides, like PyTorch, rather than multiplying by 1 / scale: the last bits differ.

static void scale(const Tensor *scores, float divisor, Tensor *scores_scaled)
{
    // The order stays: the best key is still
    // the best. But the scores come closer
    // together, and softmax, which sees only
    // differences, gives the others more.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) / divisor;
}

static bool scale_run(StageArgs *args, Error *err)
{
    scale(&args->in[0], args->options->scale, &args->out[0]);
    return true;
}

static void scale_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    bool has_name = options->scale_name != NULL;
    snprintf(text, STAGE_SETTINGS_MAX, has_name ? "scale = %.9g (%s)" : "scale = %.9g",
             (double)options->scale, options->scale_name);
}

// A single term. The divisor is an option, not a tensor, so the score is its only source.
static void scale_origin(Terms *terms, const ptrdiff_t at[])
{
    term_divide(terms, TELL(SCALE_DIVIDE), term_here(terms, 0, at), terms->args->options->scale);
}

const Stage stage_scale = {
    .name = "scale",
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j] / scale",
    .torch = "scores = scores / scale",
    .source = "Vaswani et al. 2017, section 3.2.1, footnote 4",
    .use = STAGE_WITH_SCALE,
    .influence = INFLUENCE_BY_AXES,
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk")},
        .writes = {NAMED_SLOT("scores", "scores_scaled", "B H Lq Lk")},
    }},
    .options = OPTION(scale),
    .settings = scale_settings,
    .terms = {[TERM_DIVIDE] = "/ divisor"},
    .run = scale_run,
    .fast = fast_scale,
    .origin = scale_origin,
};

// --- scale_backward
//
// Scale, backward: divides the gradient by the same scale.
//
//   grad.scores[b,h,i,j] = grad.scores_scaled[b,h,i,j] / scale          scale = sqrt(d_k)
//
// in    grad.scores_scaled [B, H, Lq, Lk]; scale
// out   grad.scores [B, H, Lq, Lk]
// cost  B * H * Lq * Lk divisions
// from  d (s / c) / ds = 1 / c; Vaswani et al. 2017, section 3.2.1

static void scale_backward(const Tensor *grad_scaled, float divisor, Tensor *grad_scores)
{
    // If a score grows by 1, the scaled one
    // grows by 1 / scale, whatever its value.
    // So the scores are not read.
    for (ptrdiff_t b = 0; b < grad_scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_scores->shape[3]; j++)
                    *tensor_at4(grad_scores, b, h, i, j) =
                        *tensor_at4(grad_scaled, b, h, i, j) / divisor;
}

static bool scale_backward_run(StageArgs *args, Error *err)
{
    scale_backward(&args->in[0], args->options->scale, &args->out[0]);
    return true;
}

const Stage stage_scale_backward = {
    .name = "scale_backward",
    .formula = "grad_scores[b,h,i,j] = grad_scaled[b,h,i,j] / scale",
    .torch = "grad_scores = grad_scaled / scale",
    .source = "Vaswani et al. 2017, section 3.2.1, footnote 4",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "scale",
        .reads = {SLOT("grad.scores", "B H Lq Lk", .alias = "grad_scaled")},
        .writes = {NAMED_SLOT("grad.scores", "grad.scores", "B H Lq Lk")},
    }},
    .options = OPTION(scale),
    .terms = {[TERM_DIVIDE] = "/ divisor"},
    .run = scale_backward_run,
    .fast = fast_scale,
    .origin = scale_origin,
};

// --- softcap
//
// Softcap: keeps every score below a cap, smoothly, so that no key can take everything.
//
//   scores_capped[b,h,i,j] = softcap * tanh(scores_scaled[b,h,i,j] / softcap)
//
// in    scores [B, H, Lq, Lk]; softcap, a float32 number above 0
// out   scores_capped [B, H, Lq, Lk]  between -softcap and softcap
// cost  B * H * Lq * Lk hyperbolic tangents
// from  Gemma Team 2024 (Gemma 2), section 2; Bello et al. 2016
//
// tanh is libm's in double precision, narrowed to float once, which removes the last bits in which
// libraries differ.

static void softcap(const Tensor *scores, float cap, Tensor *scores_capped)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    // Near 0 tanh(s) is almost s:
                    // under a cap of 50 a score of 5
                    // becomes 4.98. One of 500
                    // becomes 50. The order stays.
                    float share = *tensor_at4(scores, b, h, i, j) / cap;
                    *tensor_at4(scores_capped, b, h, i, j) = (float)tanh((double)share) * cap;
                }
}

static bool softcap_run(StageArgs *args, Error *err)
{
    softcap(&args->in[0], args->options->softcap, &args->out[0]);
    return true;
}

SHOW_OPTION(softcap_settings, softcap, "%.9g", double)

// Three terms, one for each operation: divide by the cap, tanh, multiply by the cap.
static void softcap_origin(Terms *terms, const ptrdiff_t at[])
{
    float cap = terms->args->options->softcap;
    term_divide(terms, TELL(SOFTCAP_DIVIDE), term_here(terms, 0, at), cap);
    float bent = (float)tanh((double)terms->running);
    term_rule(terms, TELL(SOFTCAP_TANH), bent, bent);
    term_rule(terms, TELL(SOFTCAP_TIMES), cap, bent * cap);
}

const Stage stage_softcap = {
    .name = "softcap",
    .formula = "scores_capped[b,h,i,j] = softcap * tanh(scores[b,h,i,j] / softcap)",
    .torch = "scores = softcap * torch.tanh(scores / softcap)",
    .source = "Gemma Team 2024 (Gemma 2), section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk")},
        .writes = {NAMED_SLOT("scores", "scores_capped", "B H Lq Lk")},
    }},
    .options = OPTION(softcap),
    .needs = OPTION(softcap),
    .settings = softcap_settings,
    .terms = {[TERM_DIVIDE] = "/ cap"},
    .run = softcap_run,
    .origin = softcap_origin,
};

// --- softcap_backward
//
// Softcap, backward: the closer a score is to the cap, the less it moves.
//
//   grad.scores_scaled[b,h,i,j] = grad.scores_capped[b,h,i,j] * (1 - tanh(scores_scaled[b,h,i,j] / softcap)^2)
//
// in    grad.scores_capped [B, H, Lq, Lk]   scores_scaled [B, H, Lq, Lk], as softcap read it; softcap
// out   grad.scores_scaled [B, H, Lq, Lk]
// cost  B * H * Lq * Lk hyperbolic tangents
// from  d tanh(x) / dx = 1 - tanh(x)^2; Gemma Team 2024 (Gemma 2), section 2
//
// tanh and what its square leaves of 1 are computed in double precision and narrowed to float once: near
// the cap, 1 minus a rounded square has hardly a digit left.

enum { SOFTCAP_BACKWARD_IN_GRAD, SOFTCAP_BACKWARD_IN_SCORES };

static float softcap_slope(float share)
{
    // 1 for a score of 0, almost 0 for one far
    // above the cap.
    double bent = tanh((double)share);
    return (float)(1.0 - bent * bent);
}

static void softcap_backward(const Tensor *grad_capped, const Tensor *scores, float cap,
                             Tensor *grad_scores)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    // Divided by the cap, then
                    // multiplied by it: both cancel
                    // out of the slope.
                    float slope = softcap_slope(*tensor_at4(scores, b, h, i, j) / cap);
                    *tensor_at4(grad_scores, b, h, i, j) =
                        *tensor_at4(grad_capped, b, h, i, j) * slope;
                }
}

static bool softcap_backward_run(StageArgs *args, Error *err)
{
    softcap_backward(&args->in[SOFTCAP_BACKWARD_IN_GRAD], &args->in[SOFTCAP_BACKWARD_IN_SCORES],
                     args->options->softcap, &args->out[0]);
    return true;
}

// The slope at the score, then the gradient times it.
static void softcap_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    float cap = terms->args->options->softcap;
    term_divide(terms, TELL(SOFTCAP_DIVIDE), term_here(terms, SOFTCAP_BACKWARD_IN_SCORES, at), cap);
    float slope = softcap_slope(terms->running);
    term_rule(terms, TELL(SOFTCAP_SLOPE), slope, slope);
    term_factor(terms, TELL(SOFTCAP_GRADIENT), term_here(terms, SOFTCAP_BACKWARD_IN_GRAD, at),
                slope);
}

const Stage stage_softcap_backward = {
    .name = "softcap_backward",
    .formula = "grad_scores[b,h,i,j] = grad_capped[b,h,i,j] * float32(1 - "
               "tanh(float32(scores[b,h,i,j] / softcap))^2)",
    .torch = "grad_scores = grad_capped * (1 - torch.tanh(scores / softcap)**2)",
    .source = "Gemma Team 2024 (Gemma 2), section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "softcap",
        .reads = {SLOT("grad.scores", "B H Lq Lk", .alias = "grad_capped"),
                  SLOT("scores", "B H Lq Lk", .from_before = true)},
        .writes = {NAMED_SLOT("grad.scores", "grad.scores", "B H Lq Lk")},
    }},
    .options = OPTION(softcap),
    .settings = softcap_settings,
    .terms = {[TERM_DIVIDE] = "/ cap", [TERM_FACTOR] = "* slope"},
    .run = softcap_backward_run,
    .origin = softcap_backward_origin,
};
