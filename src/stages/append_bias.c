// Append bias: puts one more key behind those of the text, and one more value: numbers that were learned,
// the same for every sequence. A query that finds nothing in the text can look there.
//
//   k_with_bias[b,h,l,i] = l < Lt ? k[b,h,l,i] : bias_k[0,0, h*d_k + i]
//
// in    k [B, H, Lt, d_k]   bias_k [1, 1, H*d_k]; likewise v and bias_v
// out   k_with_bias [B, H, Lt + 1, d_k]; no mask covers the last key
// cost  B * H * (Lt + 1) * d_k copies
// from  PyTorch: nn.MultiheadAttention, add_bias_kv
#include "stage.h"

#include "stages_words.h"

enum { IN_K, IN_BIAS };

static void append_bias(const Tensor *k, const Tensor *bias_k, Tensor *k_with_bias)
{
    ptrdiff_t d_k = k->shape[3];
    for (ptrdiff_t b = 0; b < k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < k->shape[1]; h++)
            for (ptrdiff_t i = 0; i < d_k; i++) {
                for (ptrdiff_t l = 0; l < k->shape[2]; l++)
                    *tensor_at4(k_with_bias, b, h, l, i) = *tensor_at4(k, b, h, l, i);
                // The bias is as wide as all
                // heads together: each has d_k
                // numbers of it. b is not asked.
                *tensor_at4(k_with_bias, b, h, k->shape[2], i) =
                    *tensor_at3(bias_k, 0, 0, h * d_k + i);
            }
}

static bool append_bias_run(StageArgs *args, Error *err)
{
    (void)err;
    append_bias(&args->in[IN_K], &args->in[IN_BIAS], &args->out[0]);
    return true;
}

static void append_bias_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                               TermVisit *visit, void *context)
{
    (void)slot;
    const Tensor *k = &args->in[IN_K], *bias_k = &args->in[IN_BIAS];
    Term term = {.kind = TERM_COPY, .source_count = 1};
    if (at[2] < k->shape[2]) {
        term.sources[0] = (Source){IN_K, {at[0], at[1], at[2], at[3]}};
        term.value = *tensor_at4(k, at[0], at[1], at[2], at[3]);
    } else {
        ptrdiff_t column = at[1] * k->shape[3] + at[3];
        term.what = TELL(APPENDED_BIAS);
        term.sources[0] = (Source){IN_BIAS, {0, 0, column}};
        term.value = *tensor_at3(bias_k, 0, 0, column);
    }
    term.running = term.value;
    visit(context, &term);
}

const Stage stage_append_bias = {
    .name = "append_bias",
    .formula = "k_with_bias[b,h,l,i] = l < Lt ? k[b,h, l + 0, i] : bias_k[0,0, h*d_k + i]",
    .torch = "k = torch.cat([k, bias_k.view(1, H, 1, d_k).expand(B, -1, -1, -1)], dim=2)",
    .source = "PyTorch: nn.MultiheadAttention, add_bias_kv",
    .rounds_once = true,
    .calls =
        {{.label = "k",
          .formula = "k_with_bias[b,h,l,i] = l < Lt ? k[b,h, l + 0, i] : bias_k[0,0, h*d_k + i]",
          .torch = "k = torch.cat([k, bias_k.view(1, H, 1, d_k).expand(B, -1, -1, -1)], dim=2)",
          .reads = {{.role = "k", .axes = "B G Lt d_k"}, {.role = "bias_k", .axes = "1 1 Gk"}},
          .writes = {{.role = "k", .tensor = "k_with_bias", .axes = "B G Lb d_k"}}},
         {.label = "v",
          .formula = "v_with_bias[b,h,l,i] = l < Lt ? v[b,h, l + 0, i] : bias_v[0,0, h*d_v + i]",
          .torch = "v = torch.cat([v, bias_v.view(1, H, 1, d_v).expand(B, -1, -1, -1)], dim=2)",
          .reads = {{.role = "v", .axes = "B G Lt d_v"}, {.role = "bias_v", .axes = "1 1 Gv"}},
          .writes = {{.role = "v", .tensor = "v_with_bias", .axes = "B G Lb d_v"}}}},
    .options = OPTION(add_bias_kv),
    .needs = OPTION(add_bias_kv),
    .run = append_bias_run,
    .origin = append_bias_origin,
};
