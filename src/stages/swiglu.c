// SwiGLU: lets each number of feed-forward through as far as its gate is open. Where gelu decides that by
// the number itself, here another one does, which has a weight of its own.
//
//   ff_gated[b,l,f] = silu(gate[b,l,f]) * hidden[b,l,f]          silu(g) = g / (1 + e^-g)
//
// in    gate [B, Lq, Dff]   hidden [B, Lq, Dff]
// out   ff_gated [B, Lq, Dff]
// cost  B * Lq * Dff exponentials
// from  Shazeer 2020 (GLU variants); Touvron et al. 2023 (LLaMA), section 2.2. silu: Elfwing et al. 2018
//
// silu is computed in double precision with libm's exp and narrowed to float once: there the last bits
// in which libraries differ are gone.
#include "stage.h"

#include <math.h>
#include "stages_words.h"

enum { IN_GATE, IN_HIDDEN };

// How far the gate g is open, from 0 to 1.
static double share_of(double g)
{
    return 1.0 / (1.0 + exp(-g));
}

static float silu(float g)
{
    return (float)((double)g / (1.0 + exp(-(double)g)));
}

static void swiglu(const Tensor *gate, const Tensor *hidden, Tensor *ff_gated)
{
    // Both were made from the same token, by
    // a weight each. The gate does not see
    // what it lets through.
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++)
                *tensor_at3(ff_gated, b, l, f) =
                    silu(*tensor_at3(gate, b, l, f)) * *tensor_at3(hidden, b, l, f);
}

static bool swiglu_run(StageArgs *args, Error *err)
{
    (void)err;
    swiglu(&args->in[IN_GATE], &args->in[IN_HIDDEN], &args->out[0]);
    return true;
}

// The gate first, times how far it is open; then that times the number that waits behind it.
static void swiglu_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                          void *context)
{
    (void)slot;
    float gate = *tensor_at3(&args->in[IN_GATE], at[0], at[1], at[2]), open = silu(gate);
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

const Stage stage_swiglu = {
    .name = "swiglu",
    .formula = "ff_gated[b,l,f] = float32(gate[b,l,f] / (1 + exp(-gate[b,l,f]))) * hidden[b,l,f]",
    .torch = "x = silu(gate) * x",
    .source = "Shazeer 2020; Touvron et al. 2023 (LLaMA), section 2.2",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "gate", .axes = "B Lq Dff"}, {.role = "hidden", .axes = "B Lq Dff"}},
        .writes = {{.role = "hidden", .tensor = "ff_gated", .axes = "B Lq Dff"}},
    }},
    .options = OPTION(feed_forward) | OPTION(gated) | OPTION(gate_gelu),
    .needs = OPTION(feed_forward) | OPTION(gated),
    .unless = OPTION(gate_gelu),
    .terms = {[TERM_FACTOR] = "silu(*tensor_at3"},
    .run = swiglu_run,
    .origin = swiglu_origin,
};
