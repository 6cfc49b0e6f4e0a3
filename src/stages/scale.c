// Scale: divides the scores, so that wide heads do not drive softmax into its corners.
//
//   scores_scaled[b,h,i,j] = scores[b,h,i,j] / scale          scale = sqrt(d_k)
//
// in    scores [B, H, Lq, Lk]; scale, a float32 number (a scenario may name another than sqrt(d_k))
// out   scores_scaled [B, H, Lq, Lk]
// loops b, h, i, j: every score of every head, each by itself: no score looks at another
// cost  B * H * Lq * Lk divisions
// from  Vaswani et al. 2017, section 3.2.1 and its footnote 4: a sum of d_k products of numbers
//       with variance 1 has variance d_k
//
// It divides (and does not multiply by 1 / scale), as PyTorch does: the two differ in last bits.
#include "stage.h"

#include <stdio.h>
#include "fast.h"
#include "stages_words.h"

static void scale(const Tensor *scores, float divisor, Tensor *scores_scaled)
{
    // The order of the scores stays: the
    // best key is still the best. But they
    // come closer together, and softmax,
    // which sees only differences, gives
    // more to the others.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_scaled, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) / divisor;
}

static bool scale_run(StageArgs *args, Error *err)
{
    (void)err;
    scale(&args->in[0], args->options->scale, &args->out[0]);
    return true;
}

static void scale_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    bool has_name = options->scale_name != NULL;
    snprintf(text, STAGE_SETTINGS_MAX, has_name ? "scale = %.9g (%s)" : "scale = %.9g",
             (double)options->scale, options->scale_name);
}

// A single term. The divisor is an option and no tensor, so the score is its only source.
static void scale_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    (void)slot;
    float score = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_DIVIDE,
                           .what = TELL(SCALE_DIVIDE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = args->options->scale,
                           .running = score / args->options->scale});
}

const Stage stage_scale = {
    .name = "scale",
    .formula = "scores_scaled[b,h,i,j] = scores[b,h,i,j] / scale",
    .torch = "scores = scores / scale",
    .source = "Vaswani et al. 2017, section 3.2.1, footnote 4",
    .use = STAGE_WITH_SCALE,
    .reach = REACH_BY_AXES,
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "scores", .tensor = "scores_scaled", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(scale),
    .settings = scale_settings,
    .terms = {[TERM_DIVIDE] = "/ divisor"},
    .run = scale_run,
    .fast = fast_scale,
    .origin = scale_origin,
};
