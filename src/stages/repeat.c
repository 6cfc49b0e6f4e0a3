// Repeat: lets every head of keys and values serve several heads of queries (grouped queries; one for
// all of them: multi-query attention).
//
//   k_repeated[b,h,l,i] = k[b, h / (H/G), l,i]     the quotient is cut to a whole number
//
// in    k [B, G, L, d_k]  a head for each of G groups
// out   k_repeated [B, H, L, d_k]  a copy for each head of queries
// cost  B * H * L * d_k copies; a cache of keys and values keeps H/G times less: that is what it is for
// from  Ainslie et al. 2023 (GQA), section 2.2; Shazeer 2019 (multi-query); PyTorch:
//       Tensor.repeat_interleave
#include "stage.h"

#include <stdio.h>
#include "stages_words.h"

static void repeat(const Tensor *k, Tensor *k_repeated)
{
    // 8 heads of queries and 2 of keys:
    // share is 4, heads 0 to 3 read head 0,
    // heads 4 to 7 read head 1.
    ptrdiff_t share = k_repeated->shape[1] / k->shape[1];
    for (ptrdiff_t b = 0; b < k_repeated->shape[0]; b++)
        for (ptrdiff_t h = 0; h < k_repeated->shape[1]; h++)
            for (ptrdiff_t l = 0; l < k_repeated->shape[2]; l++)
                for (ptrdiff_t i = 0; i < k_repeated->shape[3]; i++)
                    *tensor_at4(k_repeated, b, h, l, i) = *tensor_at4(k, b, h / share, l, i);
}

static bool repeat_run(StageArgs *args, Error *err)
{
    (void)err;
    repeat(&args->in[0], &args->out[0]);
    return true;
}

static void repeat_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, TELL(REPEAT_SETTINGS), options->kv_heads,
             options->heads / options->kv_heads);
}

// Several outputs name the same source: a key that changes is felt in all heads of its
// group.
static void repeat_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                          void *context)
{
    (void)slot;
    ptrdiff_t share = args->out[0].shape[1] / args->in[0].shape[1];
    float value = *tensor_at4(&args->in[0], at[0], at[1] / share, at[2], at[3]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1] / share, at[2], at[3]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_repeat = {
    .name = "repeat",
    .formula = "k_repeated[b,h,l,i] = k[b, h / (H/G), l,i]",
    .remark = REMARK_A_COPY,
    .torch = "k = k.repeat_interleave(num_heads // num_kv_heads, dim=1)",
    .source = "Ainslie et al. 2023 (GQA), section 2.2",
    .rounds_once = true,
    .calls = {{.label = "k",
               .reads = {{.role = "k", .axes = "B G Lk d_k"}},
               .writes = {{.role = "k", .tensor = "k_repeated", .axes = "B H Lk d_k"}}},
              {.label = "v",
               .formula = "v_repeated[b,h,l,i] = v[b, h / (H/G), l,i]",
               .remark = REMARK_A_COPY,
               .torch = "v = v.repeat_interleave(num_heads // num_kv_heads, dim=1)",
               .reads = {{.role = "v", .axes = "B G Lk d_v"}},
               .writes = {{.role = "v", .tensor = "v_repeated", .axes = "B H Lk d_v"}}}},
    .options = OPTION(kv_heads) | OPTION(heads),
    .needs = OPTION(kv_heads),
    .settings = repeat_settings,
    .run = repeat_run,
    .origin = repeat_origin,
};
