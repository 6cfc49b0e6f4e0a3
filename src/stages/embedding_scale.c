// Embedding scale: makes the numbers of every token larger by one factor, before anything is added to
// them.
//
//   x[b,l,d] = embeddings[b,l,d] * embedding_scale
//
// in    embeddings [B, L, Din]; embedding_scale, a float32 number: sqrt(d_model)
// out   x_scaled [B, L, Din]
// cost  B * L * Din multiplications
// from  Vaswani et al. 2017, section 3.4; in Gemma
#include "stage.h"

#include <stdio.h>
#include "stages_words.h"

static void embedding_scale(const Tensor *embeddings, float factor, Tensor *x_scaled)
{
    // Rows that also make the last layer's
    // words are small. What is added later
    // would drown them.
    for (ptrdiff_t b = 0; b < embeddings->shape[0]; b++)
        for (ptrdiff_t l = 0; l < embeddings->shape[1]; l++)
            for (ptrdiff_t d = 0; d < embeddings->shape[2]; d++)
                *tensor_at3(x_scaled, b, l, d) = *tensor_at3(embeddings, b, l, d) * factor;
}

static bool embedding_scale_run(StageArgs *args, Error *err)
{
    (void)err;
    embedding_scale(&args->in[0], args->options->embedding_scale, &args->out[0]);
    return true;
}

static void embedding_scale_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "embedding_scale = %.9g", (double)options->embedding_scale);
}

static void embedding_scale_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                   TermVisit *visit, void *context)
{
    (void)slot;
    float x = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(EMBEDDING_SCALE_TIMES),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = args->options->embedding_scale,
                           .running = x * args->options->embedding_scale});
}

const Stage stage_embedding_scale = {
    .name = "embedding_scale",
    .formula = "x[b,l,d] = embeddings[b,l,d] * embedding_scale",
    .torch = "x = x * d_model**0.5",
    .source = "Vaswani et al. 2017, section 3.4",
    .reach = REACH_BY_AXES,
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "x", .axes = "B L Din", .alias = "embeddings"}},
        .writes = {{.role = "x", .tensor = "x_scaled", .axes = "B L Din"}},
    }},
    .options = OPTION(embedding_scale),
    .needs = OPTION(embedding_scale),
    .settings = embedding_scale_settings,
    .terms = {[TERM_FACTOR] = "* factor"},
    .run = embedding_scale_run,
    .origin = embedding_scale_origin,
};
