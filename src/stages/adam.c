// Adam: a parameter moves against its gradients' mean, divided by how large they usually are.
//
//   next[o,d] = parameter[o,d] - rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//   m, v      = moment1[o,d], moment2[o,d]
//
// in    parameter, moment1, moment2 [Dout, Din]  moments with this step's gradient in them
//       rate, beta1, beta2, epsilon; t: which step this is, from 1
// out   next [Dout, Din]
// cost  Dout * Din * (2 divisions, a square root, a multiplication, 2 additions)
// from  Kingma and Ba 2015, algorithm 1; epsilon lies outside the correction, as in torch.optim.Adam
//
// Both moments began at 0 and are too small at first: by 1 - beta1^t and 1 - beta2^t. The powers are
// multiplied up in double precision: no math library has a say.
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

enum { IN_PARAMETER, IN_MOMENT1, IN_MOMENT2 };

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
            // How large gradients are here.
            // Where they agree, the moment is as
            // large and the quotient near 1 or
            // -1; where they change their sign,
            // near 0.
            float size = sqrtf(*tensor_at2(moment2, o, d)) / correction + options->epsilon;
            *tensor_at2(next, o, d) =
                *tensor_at2(parameter, o, d) - step * (*tensor_at2(moment1, o, d) / size);
        }
}

static bool adam_run(StageArgs *args, Error *err)
{
    (void)err;
    adam(&args->in[IN_PARAMETER], &args->in[IN_MOMENT1], &args->in[IN_MOMENT2], args->options,
         &args->out[0]);
    return true;
}

static void adam_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "t = %lld, rate = %.9g, epsilon = %.9g",
             (long long)options->update, (double)options->rate, (double)options->epsilon);
}

// The parameter, then the step that is taken away, which both moments have made.
static void adam_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    (void)slot;
    float parameter = *tensor_at2(&args->in[IN_PARAMETER], at[0], at[1]);
    float moment1 = *tensor_at2(&args->in[IN_MOMENT1], at[0], at[1]);
    float moment2 = *tensor_at2(&args->in[IN_MOMENT2], at[0], at[1]);
    float size = sqrtf(moment2) / correction_of(args->options) + args->options->epsilon;
    float move = step_of(args->options) * (moment1 / size);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(ADAM_BEFORE),
                           .source_count = 1,
                           .sources = {{IN_PARAMETER, {at[0], at[1]}}},
                           .value = parameter,
                           .running = parameter});
    visit(context, &(Term){.kind = TERM_SUBTRACT,
                           .what = TELL(ADAM_STEP),
                           .source_count = 2,
                           .sources = {{IN_MOMENT1, {at[0], at[1]}}, {IN_MOMENT2, {at[0], at[1]}}},
                           .value = move,
                           .running = parameter - move});
}

const Stage stage_adam = {
    .name = "adam",
    .formula = "next[o,d] = parameter[o,d] - rate / (1 - beta1^t) * (moment1[o,d] / "
               "(sqrt(moment2[o,d]) / sqrt(1 - beta2^t) + epsilon)); t = update",
    .torch = "torch.optim.Adam([parameter], lr=rate).step()",
    .source = "Kingma and Ba 2015, algorithm 1",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "parameter", .axes = "Dout Din"},
                  {.role = "moment1", .axes = "Dout Din"},
                  {.role = "moment2", .axes = "Dout Din"}},
        .writes = {{.role = "parameter", .tensor = "parameter_next", .axes = "Dout Din"}},
    }},
    .loop = "adam",
    .terms = {[TERM_SUBTRACT] = "step * ("},
    .options = OPTION(rate) | OPTION(beta1) | OPTION(beta2) | OPTION(epsilon) | OPTION(update),
    .settings = adam_settings,
    .run = adam_run,
    .origin = adam_origin,
};
