// Changes which keys and values the heads see: appends some, or shares one head's among several.
#include <stdio.h>
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- append_cache
//
// Append cache: appends the new tokens' keys and values to those kept from earlier runs, which need
// no computing again.
//
//   k_cached[b,h,l,i] = l < Lp ? past_k[b,h,l,i] : k[b,h,l - Lp,i]
//
// in    past_k [B, H, Lp, d_k]   k [B, H, Lt, d_k], of the new tokens; same for v
// out   k_cached [B, H, Lp + Lt, d_k]; the next run's past_k
// cost  B * H * (Lp + Lt) * d_k copies, and no multiplication: without the cache, all Lp tokens would be
//       projected again
// from  Shazeer 2019, section 2.3 (incremental inference); PyTorch: torch.cat([past_k, k], dim=2)

enum { APPEND_CACHE_IN_PAST, APPEND_CACHE_IN_K };

static void append_cache(const Tensor *past_k, const Tensor *k, Tensor *k_cached)
{
    ptrdiff_t past = past_k->shape[2];
    for (ptrdiff_t b = 0; b < k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < k->shape[1]; h++)
            for (ptrdiff_t l = 0; l < k_cached->shape[2]; l++)
                for (ptrdiff_t i = 0; i < k->shape[3]; i++)
                    // Later tokens were hidden when a
                    // key was made, so it is what it
                    // would be today.
                    *tensor_at4(k_cached, b, h, l, i) = l < past
                                                            ? *tensor_at4(past_k, b, h, l, i)
                                                            : *tensor_at4(k, b, h, l - past, i);
}

RUN_ON_TWO(append_cache)

SHOW_OPTION(append_cache_settings, cached, "%td", ptrdiff_t)

static void append_cache_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t past = terms->args->in[APPEND_CACHE_IN_PAST].shape[2];
    bool is_past = at[2] < past;
    ptrdiff_t l = is_past ? at[2] : at[2] - past;
    int in = is_past ? APPEND_CACHE_IN_PAST : APPEND_CACHE_IN_K;
    term_copy(terms, TERM_COPY, is_past ? TELL(APPENDED_CACHE) : TELL(APPENDED_NEW),
              SOURCE(in, at[0], at[1], l, at[3]));
}

const Stage stage_append_cache = {
    .name = "append_cache",
    .formula = "k_cached[b,h,l,i] = l < Lp ? past_k[b,h, l + 0, i] : k[b,h, l - Lp, i]",
    .torch = "k = torch.cat([past_k, k], dim=2)",
    .source = "Shazeer 2019, section 2.3",
    .rounds_once = true,
    .calls = {{.label = "k",
               .reads = {SLOT("past_k", "B G Lp d_k"), SLOT("k", "B G Lt d_k")},
               .writes = {NAMED_SLOT("k", "k_cached", "B G Lb d_k")}},
              {.label = "v",
               .formula = "v_cached[b,h,l,i] = l < Lp ? past_v[b,h, l + 0, i] : v[b,h, l - Lp, i]",
               .torch = "v = torch.cat([past_v, v], dim=2)",
               .reads = {SLOT("past_v", "B G Lp d_v"), SLOT("v", "B G Lt d_v")},
               .writes = {NAMED_SLOT("v", "v_cached", "B G Lb d_v")}}},
    .options = OPTION(cached),
    .needs = OPTION(cached),
    .settings = append_cache_settings,
    .run = append_cache_run,
    .origin = append_cache_origin,
};

// --- append_bias
//
// Append bias: appends one learned key and one learned value, the same for every sequence. A query
// that finds nothing in the text can attend to it.
//
//   k_with_bias[b,h,l,i] = l < Lt ? k[b,h,l,i] : bias_k[0,0, h*d_k + i]
//
// in    k [B, H, Lt, d_k]   bias_k [1, 1, H*d_k]; same for v and bias_v
// out   k_with_bias [B, H, Lt + 1, d_k]; no mask covers the last key
// cost  B * H * (Lt + 1) * d_k copies
// from  PyTorch: nn.MultiheadAttention, add_bias_kv

enum { APPEND_BIAS_IN_K, APPEND_BIAS_IN_BIAS };

static void append_bias(const Tensor *k, const Tensor *bias_k, Tensor *k_with_bias)
{
    ptrdiff_t d_k = k->shape[3];
    for (ptrdiff_t b = 0; b < k->shape[0]; b++)
        for (ptrdiff_t h = 0; h < k->shape[1]; h++)
            for (ptrdiff_t i = 0; i < d_k; i++) {
                for (ptrdiff_t l = 0; l < k->shape[2]; l++)
                    *tensor_at4(k_with_bias, b, h, l, i) = *tensor_at4(k, b, h, l, i);
                // The bias is as wide as all heads
                // together; each head takes its
                // d_k numbers. Every b gets the
                // same.
                *tensor_at4(k_with_bias, b, h, k->shape[2], i) =
                    *tensor_at3(bias_k, 0, 0, h * d_k + i);
            }
}

RUN_ON_TWO(append_bias)

static void append_bias_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *k = &terms->args->in[APPEND_BIAS_IN_K];
    if (at[2] < k->shape[2])
        term_copy(terms, TERM_COPY, NULL, SOURCE(APPEND_BIAS_IN_K, at[0], at[1], at[2], at[3]));
    else
        term_copy(terms, TERM_COPY, TELL(APPENDED_BIAS),
                  SOURCE(APPEND_BIAS_IN_BIAS, 0, 0, at[1] * k->shape[3] + at[3]));
}

const Stage stage_append_bias = {
    .name = "append_bias",
    .formula = "k_with_bias[b,h,l,i] = l < Lt ? k[b,h, l + 0, i] : bias_k[0,0, h*d_k + i]",
    .torch = "k = torch.cat([k, bias_k.view(1, H, 1, d_k).expand(B, -1, -1, -1)], dim=2)",
    .source = "PyTorch: nn.MultiheadAttention, add_bias_kv",
    .rounds_once = true,
    .calls = {{.label = "k",
               .reads = {SLOT("k", "B G Lt d_k"), SLOT("bias_k", "1 1 Gk")},
               .writes = {NAMED_SLOT("k", "k_with_bias", "B G Lb d_k")}},
              {.label = "v",
               .formula =
                   "v_with_bias[b,h,l,i] = l < Lt ? v[b,h, l + 0, i] : bias_v[0,0, h*d_v + i]",
               .torch =
                   "v = torch.cat([v, bias_v.view(1, H, 1, d_v).expand(B, -1, -1, -1)], dim=2)",
               .reads = {SLOT("v", "B G Lt d_v"), SLOT("bias_v", "1 1 Gv")},
               .writes = {NAMED_SLOT("v", "v_with_bias", "B G Lb d_v")}}},
    .options = OPTION(add_bias_kv),
    .needs = OPTION(add_bias_kv),
    .run = append_bias_run,
    .origin = append_bias_origin,
};

// --- append_zeros
//
// Append zeros: appends one more key and one more value, all zeros. Its score is 0 for every query,
// and its weight adds nothing to the result: a query can choose to attend to nothing.
//
//   k_with_zeros[b,h,l,i] = l < Lb ? k[b,h,l,i] : 0
//
// in    k [B, H, Lb, d_k]: of the text, plus the bias if there is one; same for v
// out   k_with_zeros [B, H, Lb + 1, d_k]; no mask covers the last key
// cost  B * H * (Lb + 1) * d_k copies
// from  PyTorch: nn.MultiheadAttention, add_zero_attn

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

RUN_ON_ONE(append_zeros)

static void append_zeros_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *k = &terms->args->in[0];
    if (at[2] == k->shape[2]) {
        term_rule(terms, TELL(APPENDED_ZEROS), 0.0f, 0.0f);
        return;
    }
    term_copy(terms, TERM_COPY, NULL, SOURCE(0, at[0], at[1], at[2], at[3]));
}

const Stage stage_append_zeros = {
    .name = "append_zeros",
    .formula = "k_with_zeros[b,h,l,i] = l < Lb ? k[b,h, l + 0, i] : 0",
    .torch = "k = torch.cat([k, torch.zeros(B, H, 1, d_k)], dim=2)",
    .source = "PyTorch: nn.MultiheadAttention, add_zero_attn",
    .rounds_once = true,
    .calls = {{.label = "k",
               .reads = {SLOT("k", "B G Lb d_k")},
               .writes = {NAMED_SLOT("k", "k_with_zeros", "B G Lk d_k")}},
              {.label = "v",
               .formula = "v_with_zeros[b,h,l,i] = l < Lb ? v[b,h, l + 0, i] : 0",
               .torch = "v = torch.cat([v, torch.zeros(B, H, 1, d_v)], dim=2)",
               .reads = {SLOT("v", "B G Lb d_v")},
               .writes = {NAMED_SLOT("v", "v_with_zeros", "B G Lk d_v")}}},
    .options = OPTION(add_zero_attn),
    .needs = OPTION(add_zero_attn),
    .run = append_zeros_run,
    .origin = append_zeros_origin,
};

// --- append_backward
//
// Append, backward: drops the gradients of the appended rows; the other keys and values keep
// theirs.
//
//   grad.k[b,h,l,i] = grad.k_with_bias[b,h,l,i]     for the keys before the appended one
//
// in    grad.k_with_bias [B, H, Lb, d_k], or grad.k_with_zeros [B, H, Lk, d_k]; same for v
// out   grad.k [B, H, Lb - 1, d_k]  a view: the same storage, one row less of each head
// cost  nothing: no element is read or written
// from  PyTorch: the gradient of torch.cat

static void append_backward(const Tensor *grad_appended, Tensor *grad_k)
{
    // Each head loses its last row; the
    // strides do not change.
    *grad_k = tensor_narrow(grad_appended, 2, 0, grad_appended->shape[2] - 1);
}

RUN_ON_ONE(append_backward)

#define CALL(letter, stage, name, width, before, behind) \
    { \
        .label = letter, .of = stage, \
        .formula = "grad_" letter "[b,h,l,i] = grad_" letter name "[b,h, l + 0, i]", \
        .remark = REMARK_NO_NUMBER_MOVES, \
        .torch = "grad_" letter " = grad_" letter name "[:, :, :-1]", \
        .reads = {SLOT("grad." letter, "B G " behind " " width, .alias = "grad_" letter name)}, \
        .writes = { \
            {.role = "grad." letter, \
             .tensor = "grad." letter, \
             .axes = "B G " before " " width, \
             .is_view = true} \
        } \
    }

const Stage stage_append_backward = {
    .name = "append_backward",
    .formula = "grad_k[b,h,l,i] = grad_k_with_bias[b,h, l + 0, i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_k = grad_k_with_bias[:, :, :-1]",
    .source = "PyTorch: torch.cat",
    .rounds_once = true,
    .calls = {CALL("k", "append_bias", "_with_bias", "d_k", "Lt", "Lb"),
              CALL("v", "append_bias", "_with_bias", "d_v", "Lt", "Lb"),
              CALL("k", "append_zeros", "_with_zeros", "d_k", "Lb", "Lk"),
              CALL("v", "append_zeros", "_with_zeros", "d_v", "Lb", "Lk")},
    .run = append_backward_run,
    .origin = origin_same_place,
};

// --- append_backward_bias
//
// Append bias, backward: the gradient of the appended key and value.
//
//   grad.bias_k[0,0,o] = sum over b of grad.k_with_bias[b, o / d_k, Lt, o % d_k]
//
// in    grad.k_with_bias [B, H, Lt + 1, d_k]; same for v
// out   grad.bias_k [1, 1, H*d_k]
// cost  B * H*d_k additions
// from  Goodfellow et al. 2016, section 6.5.6: every sequence uses the bias, so each adds to its
//       gradient

static void append_backward_bias(const Tensor *grad_k, Tensor *grad_bias)
{
    ptrdiff_t d_k = grad_k->shape[3], last = grad_k->shape[2] - 1;
    for (ptrdiff_t o = 0; o < grad_bias->shape[2]; o++) {
        float sum = 0.0f;
        // The last row of each sequence, which
        // holds the bias.
        for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
            sum = sum + *tensor_at4(grad_k, b, o / d_k, last, o % d_k);
        *tensor_at3(grad_bias, 0, 0, o) = sum;
    }
}

RUN_ON_ONE(append_backward_bias)

static void append_backward_bias_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *grad_k = &terms->args->in[0];
    ptrdiff_t h = at[2] / grad_k->shape[3], last = grad_k->shape[2] - 1,
              i = at[2] % grad_k->shape[3];
    for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
        term_add(terms, TELL(APPENDED_GRADIENT), SOURCE(0, b, h, last, i));
}

const Stage stage_append_backward_bias = {
    .name = "append_backward_bias",
    .formula = "grad_bias_k[0,0,o] = sum_b grad_k_with_bias[b, o / d_k, Lt, o % d_k]",
    .torch = "grad_bias_k = grad_k[:, :, -1].sum(0).flatten()",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .calls =
        {
            {.label = "k",
             .of = "append_bias",
             .reads = {SLOT("grad.k", "B G Lb d_k", .alias = "grad_k_with_bias")},
             .writes = {NAMED_SLOT("grad.bias_k", "grad.bias_k", "1 1 Gk")}},
            {.label = "v",
             .of = "append_bias",
             .formula = "grad_bias_v[0,0,o] = sum_b grad_v_with_bias[b, o / d_v, Lt, o % d_v]",
             .torch = "grad_bias_v = grad_v[:, :, -1].sum(0).flatten()",
             .reads = {SLOT("grad.v", "B G Lb d_v", .alias = "grad_v_with_bias")},
             .writes = {NAMED_SLOT("grad.bias_v", "grad.bias_v", "1 1 Gv")}},
        },
    .terms = {[TERM_ADD] = "sum + "},
    .run = append_backward_bias_run,
    .origin = append_backward_bias_origin,
};

// --- repeat
//
// Repeat: copies each head of keys and values for several heads of queries (grouped-query
// attention; with one for all, multi-query attention).
//
//   k_repeated[b,h,l,i] = k[b, h / (H/G), l,i]     integer division
//
// in    k [B, G, L, d_k]  a head for each of G groups
// out   k_repeated [B, H, L, d_k]  a copy for each head of queries
// cost  B * H * L * d_k copies; the point: a key-value cache is H/G times smaller
// from  Ainslie et al. 2023 (GQA), section 2.2; Shazeer 2019 (multi-query); PyTorch:
//       Tensor.repeat_interleave

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

RUN_ON_ONE(repeat)

static void repeat_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, TELL(REPEAT_SETTINGS), options->kv_heads,
             options->heads / options->kv_heads);
}

// Several outputs have the same source: changing a key changes all heads of its group.
static void repeat_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t share = args->out[0].shape[1] / args->in[0].shape[1];
    term_copy(terms, TERM_COPY, NULL, SOURCE(0, at[0], at[1] / share, at[2], at[3]));
}

const Stage stage_repeat = {
    .name = "repeat",
    .formula = "k_repeated[b,h,l,i] = k[b, h / (H/G), l,i]",
    .remark = REMARK_A_COPY,
    .torch = "k = k.repeat_interleave(num_heads // num_kv_heads, dim=1)",
    .source = "Ainslie et al. 2023 (GQA), section 2.2",
    .rounds_once = true,
    .calls = {{.label = "k",
               .reads = {SLOT("k", "B G Lk d_k")},
               .writes = {NAMED_SLOT("k", "k_repeated", "B H Lk d_k")}},
              {.label = "v",
               .formula = "v_repeated[b,h,l,i] = v[b, h / (H/G), l,i]",
               .remark = REMARK_A_COPY,
               .torch = "v = v.repeat_interleave(num_heads // num_kv_heads, dim=1)",
               .reads = {SLOT("v", "B G Lk d_v")},
               .writes = {NAMED_SLOT("v", "v_repeated", "B H Lk d_v")}}},
    .options = OPTION(kv_heads) | OPTION(heads),
    .needs = OPTION(kv_heads),
    .settings = repeat_settings,
    .run = repeat_run,
    .origin = repeat_origin,
};

// --- repeat_backward
//
// Repeat, backward: a key head that several query heads read sums the gradients of its copies.
//
//   grad.k[b,g,l,i] = sum over the H/G heads h of group g of grad.k_repeated[b,h,l,i]
//
// in    grad.k_repeated [B, H, Lk, d_k]; same for v
// out   grad.k [B, G, Lk, d_k]
// cost  B * H * Lk * d_k additions
// from  Ainslie et al. 2023 (GQA); PyTorch: the gradient of Tensor.repeat_interleave

static void repeat_backward(const Tensor *grad_repeated, Tensor *grad_k)
{
    ptrdiff_t share = grad_repeated->shape[1] / grad_k->shape[1];
    for (ptrdiff_t b = 0; b < grad_k->shape[0]; b++)
        for (ptrdiff_t g = 0; g < grad_k->shape[1]; g++)
            for (ptrdiff_t l = 0; l < grad_k->shape[2]; l++)
                for (ptrdiff_t i = 0; i < grad_k->shape[3]; i++) {
                    // One key served `share` query
                    // heads, so it learns from all of
                    // them at once.
                    float sum = 0.0f;
                    for (ptrdiff_t n = 0; n < share; n++)
                        sum += *tensor_at4(grad_repeated, b, g * share + n, l, i);
                    *tensor_at4(grad_k, b, g, l, i) = sum;
                }
}

RUN_ON_ONE(repeat_backward)

static void repeat_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t share = args->in[0].shape[1] / args->out[0].shape[1];
    for (ptrdiff_t n = 0; n < share; n++)
        term_add(terms, TELL(REPEAT_GRADIENT), SOURCE(0, at[0], at[1] * share + n, at[2], at[3]));
}

const Stage stage_repeat_backward = {
    .name = "repeat_backward",
    .formula = "grad_k[b,g,l,i] = sum_h grad_k_repeated[b,h,l,i] * [floor(h / (H/G)) = g]",
    .torch = "grad_k = grad_k_repeated.unflatten(1, (num_kv_heads, -1)).sum(2)",
    .source = "Ainslie et al. 2023 (GQA)",
    .calls = {{.label = "k",
               .of = "repeat",
               .reads = {SLOT("grad.k", "B H Lk d_k", .alias = "grad_k_repeated")},
               .writes = {NAMED_SLOT("grad.k", "grad.k", "B G Lk d_k")}},
              {.label = "v",
               .of = "repeat",
               .formula =
                   "grad_v[b,g,l,i] = sum_h grad_v_repeated[b,h,l,i] * [floor(h / (H/G)) = g]",
               .torch = "grad_v = grad_v_repeated.unflatten(1, (num_kv_heads, -1)).sum(2)",
               .reads = {SLOT("grad.v", "B H Lk d_v", .alias = "grad_v_repeated")},
               .writes = {NAMED_SLOT("grad.v", "grad.v", "B G Lk d_v")}}},
    .options = OPTION(kv_heads) | OPTION(heads),
    .settings = repeat_settings,
    .terms = {[TERM_ADD] = "sum += "},
    .run = repeat_backward_run,
    .origin = repeat_backward_origin,
};
