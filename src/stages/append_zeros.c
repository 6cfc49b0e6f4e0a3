// Append zeros: puts one more key behind all others, and one more value, whose numbers are 0. Its score is
// 0 for every query, and what is taken of it is taken of nothing: a query may look away.
//
//   k_with_zeros[b,h,l,i] = l < Lb ? k[b,h,l,i] : 0
//
// in    k [B, H, Lb, d_k]: those of the text, and that of the bias where there is one; likewise v
// out   k_with_zeros [B, H, Lb + 1, d_k]; no mask covers the last key
// cost  B * H * (Lb + 1) * d_k copies
// from  PyTorch: nn.MultiheadAttention, add_zero_attn
#include "stage.h"

#include "stages_words.h"

static void append_zeros(const Tensor *k, Tensor *k_with_zeros)
{
    for (ptrdiff_t b = 0; b < k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < k->shape[1]; h++)
            for (ptrdiff_t i = 0; i < k->shape[3]; i++) {
                for (ptrdiff_t l = 0; l < k->shape[2]; l++)
                    *tensor_at4(k_with_zeros, b, h, l, i) = *tensor_at4(k, b, h, l, i);
                *tensor_at4(k_with_zeros, b, h, k->shape[2], i) = 0.0f;
            }
}

static bool append_zeros_run(StageArgs *args, Error *err)
{
    (void)err;
    append_zeros(&args->in[0], &args->out[0]);
    return true;
}

static void append_zeros_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *k = &args->in[0];
    if (at[2] == k->shape[2]) {
        visit(context, &(Term){.what = TELL(APPENDED_ZEROS)});
        return;
    }
    float value = *tensor_at4(k, at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_append_zeros = {
    .name = "append_zeros",
    .formula = "k_with_zeros[b,h,l,i] = l < Lb ? k[b,h, l + 0, i] : 0",
    .torch = "k = torch.cat([k, torch.zeros(B, H, 1, d_k)], dim=2)",
    .source = "PyTorch: nn.MultiheadAttention, add_zero_attn",
    .rounds_once = true,
    .calls = {{.label = "k",
               .reads = {{.role = "k", .axes = "B G Lb d_k"}},
               .writes = {{.role = "k", .tensor = "k_with_zeros", .axes = "B G Lk d_k"}}},
              {.label = "v",
               .formula = "v_with_zeros[b,h,l,i] = l < Lb ? v[b,h, l + 0, i] : 0",
               .torch = "v = torch.cat([v, torch.zeros(B, H, 1, d_v)], dim=2)",
               .reads = {{.role = "v", .axes = "B G Lb d_v"}},
               .writes = {{.role = "v", .tensor = "v_with_zeros", .axes = "B G Lk d_v"}}}},
    .options = OPTION(add_zero_attn),
    .needs = OPTION(add_zero_attn),
    .run = append_zeros_run,
    .origin = append_zeros_origin,
};
