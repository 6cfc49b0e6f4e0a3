// Moments: what Adam remembers of the gradients so far: their mean, and the mean of their squares.
//
//   moment1[o,d] = beta1 * moment1[o,d] + (1 - beta1) * gradient[o,d]
//   moment2[o,d] = beta2 * moment2[o,d] + (1 - beta2) * gradient[o,d]^2
//
// in    gradient [Dout, Din]   moment1, moment2 [Dout, Din]  0 before the first step; beta1, beta2
// out   moment1, moment2 [Dout, Din]
// cost  Dout * Din * 5 multiplications and 2 additions
// from  Kingma and Ba 2015, algorithm 1
#include "stage.h"

#include <stdio.h>
#include "stages_words.h"

enum { IN_GRADIENT, IN_MOMENT1, IN_MOMENT2 };
enum { OUT_MOMENT1, OUT_MOMENT2 };

static void moments(const Tensor *gradient, const Tensor *moment1, const Tensor *moment2,
                    const StageOptions *options, Tensor next[2])
{
    float beta1 = options->beta1, beta2 = options->beta2;
    for (ptrdiff_t o = 0; o < gradient->shape[0]; o++)
        for (ptrdiff_t d = 0; d < gradient->shape[1]; d++) {
            // With beta1 = 0.9 the newest
            // gradient has a tenth, the one
            // before 9 hundredths: gradients
            // long past fade away.
            float g = *tensor_at2(gradient, o, d);
            *tensor_at2(&next[OUT_MOMENT1], o, d) =
                beta1 * *tensor_at2(moment1, o, d) + (1.0f - beta1) * g;
            // Squared, so that signs do not
            // cancel: not where it points, but
            // how large it is.
            *tensor_at2(&next[OUT_MOMENT2], o, d) =
                beta2 * *tensor_at2(moment2, o, d) + (1.0f - beta2) * g * g;
        }
}

static bool moments_run(StageArgs *args, Error *err)
{
    (void)err;
    moments(&args->in[IN_GRADIENT], &args->in[IN_MOMENT1], &args->in[IN_MOMENT2], args->options,
            args->out);
    return true;
}

static void moments_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "beta1 = %.9g, beta2 = %.9g", (double)options->beta1,
             (double)options->beta2);
}

// Either output has two terms: what stays of the old moment, then what is new.
static void moments_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    bool is_first = slot == OUT_MOMENT1;
    int in = is_first ? IN_MOMENT1 : IN_MOMENT2;
    float beta = is_first ? args->options->beta1 : args->options->beta2;
    float g = *tensor_at2(&args->in[IN_GRADIENT], at[0], at[1]);
    float kept = beta * *tensor_at2(&args->in[in], at[0], at[1]);
    float more = is_first ? (1.0f - beta) * g : (1.0f - beta) * g * g;
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = is_first ? TELL(MOMENT_FIRST) : TELL(MOMENT_SECOND),
                           .source_count = 1,
                           .sources = {{in, {at[0], at[1]}}},
                           .value = beta,
                           .running = kept});
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = is_first ? TELL(MOMENT_MEAN) : TELL(MOMENT_SQUARE),
                           .source_count = 1,
                           .sources = {{IN_GRADIENT, {at[0], at[1]}}},
                           .value = more,
                           .running = kept + more});
}

const Stage stage_moments = {
    .name = "moments",
    .formula =
        "moment1_next[o,d] = beta1 * moment1[o,d] + (1 - beta1) * gradient[o,d]; "
        "moment2_next[o,d] = beta2 * moment2[o,d] + (1 - beta2) * gradient[o,d] * gradient[o,d]",
    .torch = "m.lerp_(grad, 1 - beta1); v.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)",
    .source = "Kingma and Ba 2015, algorithm 1",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "gradient", .axes = "Dout Din"},
                  {.role = "moment1", .axes = "Dout Din"},
                  {.role = "moment2", .axes = "Dout Din"}},
        .writes = {{.role = "moment1", .tensor = "moment1_next", .axes = "Dout Din"},
                   {.role = "moment2", .tensor = "moment2_next", .axes = "Dout Din"}},
    }},
    .terms = {[TERM_FACTOR] = "beta1 * *tensor_at2", [TERM_ADD] = "(1.0f - beta1)"},
    .options = OPTION(rate) | OPTION(beta1) | OPTION(beta2) | OPTION(epsilon) | OPTION(update),
    .settings = moments_settings,
    .run = moments_run,
    .origin = moments_origin,
};
