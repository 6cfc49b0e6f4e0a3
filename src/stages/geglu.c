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
// gelu is computed in double precision with libm's tanh and narrowed to float once: there the last bits
// in which libraries differ are gone.
#include "stage.h"

#include <math.h>
#include "stages_words.h"

enum { IN_GATE, IN_HIDDEN };

// How far the gate g is open, from 0 to 1.
static double share_of(double g)
{
    const double root_of_two_by_pi = 0.7978845608028654;
    return (1.0 + tanh(root_of_two_by_pi * (g + 0.044715 * g * g * g))) / 2.0;
}

static float gelu(float g)
{
    return (float)((double)g * share_of((double)g));
}

static void geglu(const Tensor *gate, const Tensor *hidden, Tensor *ff_gated)
{
    // Both were made from the same token, by
    // a weight each. The gate does not see
    // what it lets through.
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++)
                *tensor_at3(ff_gated, b, l, f) =
                    gelu(*tensor_at3(gate, b, l, f)) * *tensor_at3(hidden, b, l, f);
}

static bool geglu_run(StageArgs *args, Error *err)
{
    (void)err;
    geglu(&args->in[IN_GATE], &args->in[IN_HIDDEN], &args->out[0]);
    return true;
}

// The gate first, times how far it is open; then that times the number that waits behind it.
static void geglu_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    (void)slot;
    float gate = *tensor_at3(&args->in[IN_GATE], at[0], at[1], at[2]), open = gelu(gate);
    float hidden = *tensor_at3(&args->in[IN_HIDDEN], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(SWIGLU_SHARE),
                           .source_count = 1,
                           .sources = {{IN_GATE, {at[0], at[1], at[2]}}},
                           .value = (float)share_of((double)gate),
                           .running = open});
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(SWIGLU_HIDDEN),
                           .source_count = 1,
                           .sources = {{IN_HIDDEN, {at[0], at[1], at[2]}}},
                           .value = open,
                           .running = open * hidden});
}

const Stage stage_geglu = {
    .name = "geglu",
    .formula = "ff_gated[b,l,f] = float32(g * (1 + tanh(sqrt(2/pi) * (g + 0.044715 * g^3))) / 2) * "
               "hidden[b,l,f]",
    .where = "g = gate[b,l,f]",
    .torch = "x = gelu(gate, approximate='tanh') * x",
    .source = "Shazeer 2020; Gemma Team 2024, section 2",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "gate", .axes = "B Lq Dff"}, {.role = "hidden", .axes = "B Lq Dff"}},
        .writes = {{.role = "hidden", .tensor = "ff_gated", .axes = "B Lq Dff"}},
    }},
    .options = OPTION(feed_forward) | OPTION(gated) | OPTION(gate_gelu),
    .needs = OPTION(feed_forward) | OPTION(gated) | OPTION(gate_gelu),
    .terms = {[TERM_FACTOR] = "gelu(*tensor_at3"},
    .run = geglu_run,
    .origin = geglu_origin,
};
