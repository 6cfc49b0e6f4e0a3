// Quick GELU: gelu with a simpler bend: the share of a number that is let through is a sigmoid of it.
//
//   ff_gelu[b,l,f] = x / (1 + e^(-1.702 * x))                                        x = hidden[b,l,f]
//
// in    hidden [B, Lq, Dff]
// out   ff_gelu [B, Lq, Dff]  within 0.021 of gelu
// cost  B * Lq * Dff exponentials
// from  Hendrycks and Gimpel 2016, section 2; in CLIP: Radford et al. 2021
//
// Computed in double precision with libm's exp and narrowed to float once: there the last bits in which
// libraries differ are gone.
#include "stage.h"

#include <math.h>
#include "stages_words.h"

static double share_of(double x)
{
    return 1.0 / (1.0 + exp(-1.702 * x));
}

static void quick_gelu(const Tensor *hidden, Tensor *ff_gelu)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // The number opens its own door:
                // wide where it is large, hardly
                // where it is far below 0.
                double x = (double)*tensor_at3(hidden, b, l, f);
                *tensor_at3(ff_gelu, b, l, f) = (float)(x * share_of(x));
            }
}

static bool quick_gelu_run(StageArgs *args, Error *err)
{
    (void)err;
    quick_gelu(&args->in[0], &args->out[0]);
    return true;
}

// One term. The share is made from x itself, so x is the only source.
static void quick_gelu_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                              TermVisit *visit, void *context)
{
    (void)slot;
    double x = (double)*tensor_at3(&args->in[0], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(GELU_SHARE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = (float)share_of(x),
                           .running = (float)(x * share_of(x))});
}

const Stage stage_quick_gelu = {
    .name = "quick_gelu",
    .formula = "ff_gelu[b,l,f] = float32(x * (1 / (1 + exp(-1.702 * x)))); "
               "x = hidden[b,l,f]",
    .torch = "x = x * torch.sigmoid(1.702 * x)",
    .source = "Hendrycks and Gimpel 2016, section 2",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "hidden", .axes = "B Lq Dff"}},
        .writes = {{.role = "hidden", .tensor = "ff_gelu", .axes = "B Lq Dff"}},
    }},
    .options = OPTION(feed_forward) | OPTION(gelu_quick),
    .needs = OPTION(feed_forward) | OPTION(gelu_quick),
    .terms = {[TERM_FACTOR] = "* share_of"},
    .run = quick_gelu_run,
    .origin = quick_gelu_origin,
};
