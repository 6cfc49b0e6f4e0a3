// Softcap: lets no score grow beyond a cap, smoothly, so that no key can take everything.
//
//   scores_capped[b,h,i,j] = softcap * tanh(scores_scaled[b,h,i,j] / softcap)
//
// in    scores [B, H, Lq, Lk]; softcap, a float32 number above 0
// out   scores_capped [B, H, Lq, Lk]  between -softcap and softcap
// cost  B * H * Lq * Lk hyperbolic tangents
// from  Gemma Team 2024 (Gemma 2), section 2; Bello et al. 2016
//
// tanh is libm's in double precision, narrowed to float once: there the last bits in which libraries
// differ are gone.
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

static void softcap(const Tensor *scores, float cap, Tensor *scores_capped)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    // Near 0 tanh(s) is almost s:
                    // under a cap of 50 a score of 5
                    // becomes 4.98. One of 500 is
                    // bent to 50. No order is
                    // reversed.
                    float share = *tensor_at4(scores, b, h, i, j) / cap;
                    *tensor_at4(scores_capped, b, h, i, j) = (float)tanh((double)share) * cap;
                }
}

static bool softcap_run(StageArgs *args, Error *err)
{
    (void)err;
    softcap(&args->in[0], args->options->softcap, &args->out[0]);
    return true;
}

static void softcap_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "softcap = %.9g", (double)options->softcap);
}

// Three terms, one for each operation: to a share of the cap, bent, and back.
static void softcap_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    (void)slot;
    float cap = args->options->softcap;
    float share = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]) / cap;
    float bent = (float)tanh((double)share);
    visit(context, &(Term){.kind = TERM_DIVIDE,
                           .what = TELL(SOFTCAP_DIVIDE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = cap,
                           .running = share});
    visit(context, &(Term){.what = TELL(SOFTCAP_TANH), .value = bent, .running = bent});
    visit(context, &(Term){.what = TELL(SOFTCAP_TIMES), .value = cap, .running = bent * cap});
}

const Stage stage_softcap = {
    .name = "softcap",
    .formula = "scores_capped[b,h,i,j] = softcap * tanh(scores[b,h,i,j] / softcap)",
    .torch = "scores = softcap * torch.tanh(scores / softcap)",
    .source = "Gemma Team 2024 (Gemma 2), section 2",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "scores", .tensor = "scores_capped", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(softcap),
    .needs = OPTION(softcap),
    .settings = softcap_settings,
    .terms = {[TERM_DIVIDE] = "/ cap"},
    .run = softcap_run,
    .origin = softcap_origin,
};
