// One step of Adam.
#include <math.h>
#include <stdio.h>
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- moments
//
// Moments: running means of the gradients and of their squares.
//
//   moment1[o,d] = beta1 * moment1[o,d] + (1 - beta1) * gradient[o,d]
//   moment2[o,d] = beta2 * moment2[o,d] + (1 - beta2) * gradient[o,d]^2
//
// in    gradient [Dout, Din]   moment1, moment2 [Dout, Din]  0 before the first step; beta1, beta2
// out   moment1, moment2 [Dout, Din]
// cost  Dout * Din * 5 multiplications and 2 additions
// from  Kingma and Ba 2015, algorithm 1

enum { MOMENTS_IN_GRADIENT, MOMENTS_IN_MOMENT1, MOMENTS_IN_MOMENT2 };
enum { MOMENTS_OUT_MOMENT1, MOMENTS_OUT_MOMENT2 };

static void moments(const Tensor *gradient, const Tensor *moment1, const Tensor *moment2,
                    const StageOptions *options, Tensor next[2])
{
    float beta1 = options->beta1, beta2 = options->beta2;
    for (ptrdiff_t o = 0; o < gradient->shape[0]; o++)
        for (ptrdiff_t d = 0; d < gradient->shape[1]; d++) {
            // With beta1 = 0.9 the newest
            // gradient counts 0.1, the one
            // before 0.09: old gradients fade.
            float g = *tensor_at2(gradient, o, d);
            *tensor_at2(&next[MOMENTS_OUT_MOMENT1], o, d) =
                beta1 * *tensor_at2(moment1, o, d) + (1.0f - beta1) * g;
            // Squares cannot cancel: this
            // measures size, not direction.
            *tensor_at2(&next[MOMENTS_OUT_MOMENT2], o, d) =
                beta2 * *tensor_at2(moment2, o, d) + (1.0f - beta2) * g * g;
        }
}

static bool moments_run(StageArgs *args, Error *err)
{
    moments(&args->in[MOMENTS_IN_GRADIENT], &args->in[MOMENTS_IN_MOMENT1],
            &args->in[MOMENTS_IN_MOMENT2], args->options, args->out);
    return true;
}

static void moments_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "beta1 = %.9g, beta2 = %.9g", (double)options->beta1,
             (double)options->beta2);
}

// Each output has two terms: the decayed old moment, then the new part.
static void moments_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    bool is_first = terms->slot == MOMENTS_OUT_MOMENT1;
    int in = is_first ? MOMENTS_IN_MOMENT1 : MOMENTS_IN_MOMENT2;
    float beta = is_first ? args->options->beta1 : args->options->beta2;
    float g = *tensor_at2(&args->in[MOMENTS_IN_GRADIENT], at[0], at[1]);
    float kept = beta * *tensor_at2(&args->in[in], at[0], at[1]);
    float more = is_first ? (1.0f - beta) * g : (1.0f - beta) * g * g;
    term_one(terms, TERM_FACTOR, is_first ? TELL(MOMENT_FIRST) : TELL(MOMENT_SECOND),
             SOURCE(in, at[0], at[1]), beta, kept);
    term_one(terms, TERM_ADD, is_first ? TELL(MOMENT_MEAN) : TELL(MOMENT_SQUARE),
             SOURCE(MOMENTS_IN_GRADIENT, at[0], at[1]), more, kept + more);
}

const Stage stage_moments = {
    .name = "moments",
    .formula =
        "moment1_next[o,d] = beta1 * moment1[o,d] + (1 - beta1) * gradient[o,d]; "
        "moment2_next[o,d] = beta2 * moment2[o,d] + (1 - beta2) * gradient[o,d] * gradient[o,d]",
    .torch = "m.lerp_(grad, 1 - beta1); v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)",
    .source = "Kingma and Ba 2015, algorithm 1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("gradient", "Dout Din"), SLOT("moment1", "Dout Din"),
                  SLOT("moment2", "Dout Din")},
        .writes = {NAMED_SLOT("moment1", "moment1_next", "Dout Din"),
                   NAMED_SLOT("moment2", "moment2_next", "Dout Din")},
    }},
    .terms = {[TERM_FACTOR] = "beta1 * *tensor_at2", [TERM_ADD] = "(1.0f - beta1)"},
    .options = OPTION(rate) | OPTION(beta1) | OPTION(beta2) | OPTION(epsilon) | OPTION(update),
    .settings = moments_settings,
    .run = moments_run,
    .origin = moments_origin,
};

// --- adam
//
// Adam: moves a parameter against its mean gradient, divided by the gradients' usual size.
//
//   next[o,d] = parameter[o,d] - rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//   m, v      = moment1[o,d], moment2[o,d]
//
// in    parameter, moment1, moment2 [Dout, Din]  moments updated with this step's gradient
//       rate, beta1, beta2, epsilon; t, the step's number, from 1
// out   next [Dout, Din]
// cost  Dout * Din * (2 divisions, a square root, a multiplication, 2 additions)
// from  Kingma and Ba 2015, algorithm 1; epsilon lies outside the correction, as in torch.optim.Adam
//
// Both moments start at 0, so at first they are too small by the factors 1 - beta1^t and 1 -
// beta2^t. The powers are repeated products in double precision, so no math library can change
// their bits.

enum { ADAM_IN_PARAMETER, ADAM_IN_MOMENT1, ADAM_IN_MOMENT2 };

static double power(float beta, int64_t exponent)
{
    double product = 1.0;
    for (int64_t i = 0; i < exponent; i++)
        product *= (double)beta;
    return product;
}

static float step_of(const StageOptions *options)
{
    // At t = 1 the moment is (1 - beta1)
    // times the gradient. Divided by 1 -
    // beta1 it is the gradient itself.
    return (float)((double)options->rate / (1.0 - power(options->beta1, options->update)));
}

static float correction_of(const StageOptions *options)
{
    return (float)sqrt(1.0 - power(options->beta2, options->update));
}

static void adam(const Tensor *parameter, const Tensor *moment1, const Tensor *moment2,
                 const StageOptions *options, Tensor *next)
{
    float step = step_of(options), correction = correction_of(options);
    for (ptrdiff_t o = 0; o < parameter->shape[0]; o++)
        for (ptrdiff_t d = 0; d < parameter->shape[1]; d++) {
            // The usual size of the gradients.
            // If they agree in sign, the moment
            // is as large and the quotient is
            // near 1 or -1; if not, near 0.
            float size = sqrtf(*tensor_at2(moment2, o, d)) / correction + options->epsilon;
            *tensor_at2(next, o, d) =
                *tensor_at2(parameter, o, d) - step * (*tensor_at2(moment1, o, d) / size);
        }
}

static bool adam_run(StageArgs *args, Error *err)
{
    adam(&args->in[ADAM_IN_PARAMETER], &args->in[ADAM_IN_MOMENT1], &args->in[ADAM_IN_MOMENT2],
         args->options, &args->out[0]);
    return true;
}

static void adam_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "t = %lld, rate = %.9g, epsilon = %.9g",
             (long long)options->update, (double)options->rate, (double)options->epsilon);
}

// The parameter, then the step that is subtracted; both moments are its sources.
static void adam_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageOptions *options = terms->args->options;
    Source moment1 = SOURCE(ADAM_IN_MOMENT1, at[0], at[1]);
    Source moment2 = SOURCE(ADAM_IN_MOMENT2, at[0], at[1]);
    float size = sqrtf(term_number(terms, moment2)) / correction_of(options) + options->epsilon;
    float move = step_of(options) * (term_number(terms, moment1) / size);
    term_copy(terms, TERM_COPY, TELL(ADAM_BEFORE), SOURCE(ADAM_IN_PARAMETER, at[0], at[1]));
    term_two(terms, TERM_SUBTRACT, TELL(ADAM_STEP), (SourcePair){moment1, moment2}, move,
             terms->running - move);
}

const Stage stage_adam = {
    .name = "adam",
    .formula = "next[o,d] = parameter[o,d] - rate / (1 - beta1^t) * (moment1[o,d] / "
               "(sqrt(moment2[o,d]) / sqrt(1 - beta2^t) + epsilon)); t = update",
    .torch = "torch.optim.Adam([parameter], lr=rate).step()",
    .source = "Kingma and Ba 2015, algorithm 1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("parameter", "Dout Din"), SLOT("moment1", "Dout Din"),
                  SLOT("moment2", "Dout Din")},
        .writes = {NAMED_SLOT("parameter", "parameter_next", "Dout Din")},
    }},
    .loop = "adam",
    .terms = {[TERM_SUBTRACT] = "step * ("},
    .options = OPTION(rate) | OPTION(beta1) | OPTION(beta2) | OPTION(epsilon) | OPTION(update),
    .settings = adam_settings,
    .run = adam_run,
    .origin = adam_origin,
};
