// GELU: lets large numbers through, holds negative ones back, and bends smoothly between: what makes
// feed-forward more than one matrix.
//
//   ff_gelu[b,l,f] = x * (1 + erf(x / sqrt(2))) / 2                                 x = hidden[b,l,f]
//   ff_gelu[b,l,f] = x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))) / 2          where gelu_tanh
//
// in    hidden [B, Lq, Dff]; gelu_tanh, the form that GPT-2 has
// out   ff_gelu [B, Lq, Dff]  no less than -0.17
// cost  B * Lq * Dff error functions
// from  Hendrycks and Gimpel 2016
//
// All of it is computed in double precision with libm's erf and tanh, and narrowed to float once: there
// the last bits in which libraries differ are gone.
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

// How much of x is let through, from 0 to 1.
static double share_of(double x, bool by_tanh)
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
                // x times its own share: what is
                // far above 0 stays as it is, what
                // is far below comes near 0.
                double x = (double)*tensor_at3(hidden, b, l, f);
                *tensor_at3(ff_gelu, b, l, f) = (float)(x * share_of(x, by_tanh));
            }
}

static bool gelu_run(StageArgs *args, Error *err)
{
    (void)err;
    gelu(&args->in[0], args->options->gelu_tanh, &args->out[0]);
    return true;
}

static void gelu_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "%s", options->gelu_tanh ? TELL(GELU_TANH) : TELL(GELU_ERF));
}

// One term. The share is made from x itself, so x is the only source.
static void gelu_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    (void)slot;
    double x = (double)*tensor_at3(&args->in[0], at[0], at[1], at[2]);
    double share = share_of(x, args->options->gelu_tanh);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(GELU_SHARE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = (float)share,
                           .running = (float)(x * share)});
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
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "hidden", .axes = "B Lq Dff"}},
        .writes = {{.role = "hidden", .tensor = "ff_gelu", .axes = "B Lq Dff"}},
    }},
    .options = OPTION(feed_forward) | OPTION(gelu_tanh) | OPTION(gated) | OPTION(gelu_quick) |
               OPTION(relu),
    .needs = OPTION(feed_forward),
    .unless = OPTION(gated) | OPTION(gelu_quick) | OPTION(relu),
    .settings = gelu_settings,
    .terms = {[TERM_FACTOR] = "* share_of"},
    .run = gelu_run,
    .origin = gelu_origin,
};
