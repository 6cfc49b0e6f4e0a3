// Splits the residual stream by writer, and shows what each part adds to the logits and how a patched
// head changes them.
#include <math.h>
#include "describe.h"
#include "fast.h"
#include "stage.h"
#include "stages_words.def"

// --- patch
//
// Patch: replaces a head's result by one from elsewhere, to see how the answer changes: from another
// text, zeros, or the mean over this text (ablation).
//
//   context_patched[b,h,l,i] = patched[h,l] ? values[b,h,l,i] : context[b,h,l,i]  a copy
//
// in    context [B, H, Lq, d_v]
//       values  [B, H, Lq, d_v]  from another run
//       patched [H, Lq]  which heads at which tokens
// out   context_patched [B, H, Lq, d_v]
// cost  B * H * Lq * d_v copies
// from  Meng et al. 2022 (causal tracing); Wang et al. 2022 (mean ablation, path patching)

enum { PATCH_IN_CONTEXT, PATCH_IN_VALUES, PATCH_IN_HEADS };

static void patch(const Tensor *context, const Tensor *values, const Tensor *patched, Tensor *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(out) > 0; more; more = tensor_next(out, at)) {
        // A head is patched at all tokens or
        // at one. Its weights there do not
        // change, but nothing reads them any
        // more.
        ptrdiff_t b = at[0], h = at[1], l = at[2], i = at[3];
        bool is_patched = *tensor_flag2(patched, h, l);
        *tensor_at4(out, b, h, l, i) = *tensor_at4(is_patched ? values : context, b, h, l, i);
    }
}

RUN_ON_THREE(patch)

static void patch_origin(Terms *terms, const ptrdiff_t at[])
{
    bool is_patched = *tensor_flag2(&terms->args->in[PATCH_IN_HEADS], at[1], at[2]);
    Source from = term_here(terms, is_patched ? PATCH_IN_VALUES : PATCH_IN_CONTEXT, at);
    float value = term_number(terms, from);
    term_two(terms, TERM_RULE, is_patched ? TELL(PATCHED) : TELL(NOT_PATCHED),
             (SourcePair){from, SOURCE(PATCH_IN_HEADS, at[1], at[2])}, value, value);
}

const Stage stage_patch = {
    .name = "patch",
    .formula = "context_patched[b,h,l,i] = patched[h,l] ? values[b,h,l,i] : context[b,h,l,i]",
    .torch = "context = torch.where(patched[..., None], values, context)",
    .source = "Meng et al. 2022; Wang et al. 2022",
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "context", .axes = "B H Lq d_v"},
                  {.role = "patch.values", .axes = "B H Lq d_v"},
                  {.role = "patch.heads", .axes = "H Lq", .alias = "patched", .dtype = DTYPE_BOOL}},
        .writes = {{.role = "context", .tensor = "context_patched", .axes = "B H Lq d_v"}},
    }},
    .options = OPTION(patched),
    .needs = OPTION(patched),
    .run = patch_run,
    .origin = patch_origin,
};

#define PARTS_BEFORE \
    { \
        .role = "stream", .alias = "before", .axes = "B parts Lq Dout", .broadcasts = true \
    }
#define PARTS_AFTER(name) \
    { \
        .role = "stream", .tensor = name, .axes = "B parts Lq Dout", .alias = "stream" \
    }

// --- first_part
//
// First part: the residual stream before any layer adds to it.
//
//   parts[b,0,l,d] = x[b,l,d]  a copy
//
// in    x     [B, Lq, Dout]  embeddings, with their positions
// out   parts [B, 1, Lq, Dout]
// error the input and output widths differ
// cost  B * Lq * Dout copies
// from  Elhage et al. 2021, Residual stream

static void first_part(const Tensor *x, Tensor *out)
{
    // One part so far. Every head will append
    // its own.
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at4(out, b, 0, l, d) = *tensor_at3(x, b, l, d);
}

RUN_ON_ONE(first_part)

static bool first_part_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t *shape = args->out[0].shape;
    if (args->in[0].shape[2] != shape[3])
        return error_set(err, TELL(RESIDUAL_WIDTH), shape[3], args->in[0].shape[2]);
    shape[1] = 1;
    args->out[0] = tensor_over(args->out[0].storage.bytes, DTYPE_F32, 4, shape);
    return true;
}

static void first_part_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_COPY, NULL, SOURCE(0, at[0], at[2], at[3]));
}

const Stage stage_first_part = {
    .name = "first_part",
    .formula = "stream[b,p,l,d] = x[b,l,d]",
    .torch = "stream = x[:, None]",
    .source = "Elhage et al. 2021, Residual stream",
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "residual", .axes = "B Lq Dq", .alias = "x"}},
        .writes = {PARTS_AFTER("parts_embedding")},
    }},
    .options = OPTION(parts),
    .needs = OPTION(parts) | OPTION(residual),
    .shapes = first_part_shapes,
    .run = first_part_run,
    .origin = first_part_origin,
};

// --- parts
//
// Parts: the residual stream as a list of what was added to it, one part for each writer.
//
//   parts[b,p,l,d] = sum over i of context[b,l, h*d_v+i] * weight[d, h*d_v+i]  one for each head h
//   parts[b,p,l,d] = bias[d]                                       one for the bias of the heads,
//                                                 and one for the bias of each norm of the stream
//                                                 itself
//
// in    before  [B, parts so far, Lq, Dout]
//       context [B, Lq, H*d_v]   weight [Dout, H*d_v]   bias [Dout]
// out   parts   [B, parts, Lq, Dout]  the earlier parts, then the new ones
// error the input and output widths differ
// cost  B * Lq * Dout * H*d_v multiply-adds in each layer
// from  Elhage et al. 2021 (A Mathematical Framework for Transformer Circuits): every layer adds to
//       the residual stream, each head separately

enum { PARTS_IN_BEFORE, PARTS_IN_NEW, PARTS_IN_WEIGHT };

// One number of a new part.
typedef struct PartPlace {
    ptrdiff_t b, part, l, d; // `part` counts from the first new one
} PartPlace;

static float new_part(const StageArgs *args, PartPlace at)
{
    const Tensor *from = &args->in[PARTS_IN_NEW], *weight = &args->in[PARTS_IN_WEIGHT];
    if (!weight->storage.bytes)
        return *tensor_at1(from, at.d);
    // A head uses its own columns of the
    // output projection. All heads together
    // write the sum of these sums.
    ptrdiff_t d_v = from->shape[2] / args->options->heads;
    float sum = 0.0f;
    for (ptrdiff_t c = at.part * d_v; c < (at.part + 1) * d_v; c++)
        sum = fmaf(*tensor_at3(from, at.b, at.l, c), *tensor_at2(weight, at.d, c), sum);
    return sum;
}

static void parts(const StageArgs *args, Tensor *out)
{
    const Tensor *before = &args->in[PARTS_IN_BEFORE];
    ptrdiff_t known = before->shape[1];
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t p = 0; p < out->shape[1]; p++)
            for (ptrdiff_t l = 0; l < out->shape[2]; l++)
                for (ptrdiff_t d = 0; d < out->shape[3]; d++)
                    *tensor_at4(out, b, p, l, d) =
                        p < known ? *tensor_at4(before, b, p, l, d)
                                  : new_part(args, (PartPlace){b, p - known, l, d});
}

static bool parts_run(StageArgs *args, Error *err)
{
    parts(args, &args->out[0]);
    return true;
}

static bool parts_shapes(StageArgs *args, Error *err)
{
    bool of_heads = args->in[PARTS_IN_WEIGHT].storage.bytes != NULL;
    ptrdiff_t *shape = args->out[0].shape;
    shape[1] = args->in[PARTS_IN_BEFORE].shape[1] + (of_heads ? args->options->heads : 1);
    args->out[0] = tensor_over(args->out[0].storage.bytes, DTYPE_F32, 4, shape);
    return true;
}

// The products along one head; or the one number of a bias.
static void parts_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], l = at[2], d = at[3], known = args->in[PARTS_IN_BEFORE].shape[1];
    if (at[1] < known) {
        term_copy(terms, TERM_COPY, NULL, SOURCE(PARTS_IN_BEFORE, b, at[1], l, d));
        return;
    }
    if (!args->in[PARTS_IN_WEIGHT].storage.bytes) {
        float bias = new_part(args, (PartPlace){b, 0, l, d});
        term_one(terms, TERM_COPY, NULL, SOURCE(PARTS_IN_NEW, d), bias, bias);
        return;
    }
    ptrdiff_t d_v = args->in[PARTS_IN_NEW].shape[2] / args->options->heads;
    for (ptrdiff_t c = (at[1] - known) * d_v; c < (at[1] - known + 1) * d_v; c++)
        term_product(terms, SOURCE(PARTS_IN_NEW, b, l, c), SOURCE(PARTS_IN_WEIGHT, d, c));
}

const Stage stage_parts = {
    .name = "parts",
    .formula = "stream[b,p,l,d] = p < parts - 1 ? before[b, p + 0, l,d] : bias[d]",
    .torch = "stream = torch.cat((stream, bias.expand(B, 1, L, D)), dim=1)",
    .source = "Elhage et al. 2021, Residual stream",
    .calls = {{
                  .label = "heads",
                  .formula = "stream[b,p,l,d] = p < parts - heads ? before[b, p + 0, l,d] : sum_c "
                             "[floor(c / d_v) = p - parts + heads] * context[b,l,c] * weight[d,c]",
                  .torch =
                      "heads = torch.einsum('blhi,dhi->bhld', context.view(B, L, H, d_v), "
                      "out_proj.weight.view(D, H, d_v)); stream = torch.cat((stream, heads), 1)",
                  .reads = {PARTS_BEFORE,
                            {.role = "context", .axes = "B Lq Dv"},
                            {.role = "out_proj.weight", .axes = "Dout Dv"}},
                  .writes = {PARTS_AFTER("parts_heads")},
              },
              {
                  .label = "bias",
                  .reads = {PARTS_BEFORE, {.role = "out_proj.bias", .axes = "Dout"}},
                  .writes = {PARTS_AFTER("parts_bias")},
              },
              {
                  .label = "norm_bias_behind_attention",
                  .turn = 1,
                  .reads = {PARTS_BEFORE, {.role = "post_norm.bias", .axes = "Dout"}},
                  .writes = {PARTS_AFTER("parts_attended_bias")},
              },
              {
                  .label = "norm_bias_behind_feed_forward",
                  .turn = 2,
                  .reads = {PARTS_BEFORE, {.role = "post_norm_2.bias", .axes = "Dout"}},
                  .writes = {PARTS_AFTER("parts_output_bias")},
              },
              {
                  .label = "norm_bias",
                  .turn = 3,
                  .reads = {PARTS_BEFORE, {.role = "final_norm.bias", .axes = "Dout"}},
                  .writes = {PARTS_AFTER("parts_norm_bias")},
              }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .loop = "new_part",
    .options = OPTION(heads) | OPTION(parts),
    .needs = OPTION(parts) | OPTION(residual),
    .shapes = parts_shapes,
    .run = parts_run,
    .origin = parts_origin,
};

// --- feed_part
//
// Feed part: appends what feed-forward adds to the residual stream as one more part.
//
//   parts[b,p,l,d] = output[b,l,d]  of the new part; the others unchanged
//
// in    before [B, parts so far, Lq, Dout]   output [B, Lq, Dout]
// out   parts  [B, parts, Lq, Dout]
// cost  B * parts * Lq * Dout copies
// from  Elhage et al. 2021, Residual stream

static void feed_part(const Tensor *before, const Tensor *output, Tensor *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, known = before->shape[1];
    for (bool more = tensor_count(out) > 0; more; more = tensor_next(out, at)) {
        // Feed-forward has no heads: it writes
        // a single part.
        ptrdiff_t b = at[0], p = at[1], l = at[2], d = at[3];
        *tensor_at4(out, b, p, l, d) =
            p < known ? *tensor_at4(before, b, p, l, d) : *tensor_at3(output, b, l, d);
    }
}

RUN_ON_TWO(feed_part)

static bool feed_part_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t *shape = args->out[0].shape;
    shape[1] = args->in[PARTS_IN_BEFORE].shape[1] + 1;
    args->out[0] = tensor_over(args->out[0].storage.bytes, DTYPE_F32, 4, shape);
    return true;
}

static void feed_part_origin(Terms *terms, const ptrdiff_t at[])
{
    bool is_new = at[1] >= terms->args->in[PARTS_IN_BEFORE].shape[1];
    term_copy(terms, TERM_COPY, NULL,
              is_new ? SOURCE(PARTS_IN_NEW, at[0], at[2], at[3])
                     : term_here(terms, PARTS_IN_BEFORE, at));
}

const Stage stage_feed_part = {
    .name = "feed_part",
    .formula = "stream[b,p,l,d] = p < parts - 1 ? before[b, p + 0, l,d] : output[b,l,d]",
    .torch = "stream = torch.cat((stream, output[:, None]), dim=1)",
    .source = "Elhage et al. 2021, Residual stream",
    .rounds_once = true,
    .calls = {{
        .reads = {PARTS_BEFORE, {.role = "output", .axes = "B Lq Dout"}},
        .writes = {PARTS_AFTER("parts_feed_forward")},
    }},
    .options = OPTION(parts),
    .needs = OPTION(parts) | OPTION(residual) | OPTION(feed_forward),
    .shapes = feed_part_shapes,
    .run = feed_part_run,
    .origin = feed_part_origin,
};

// --- part_logits
//
// Part logits: applies the readout to every part alone. It is linear, so the parts' logits add up to the
// stream's: direct attribution.
//
//   part_logits[b,q,l,p,w] = sum over d of parts[b,p,l,d] * weight[q,w,d]
//
// in    parts  [B, parts, Lq, Dout]
//       weight [Q, V, Dout]
// out   part_logits [B, Q, Lq, parts, V]  each part's share of each word's logit
// cost  B * Q * Lq * parts * V * Dout multiply-adds
// from  Elhage et al. 2021, The residual stream as a communication channel; nostalgebraist 2020

// The number at five indices.
static float *at5(const Tensor *t, const ptrdiff_t at[])
{
    return t->storage.f32 + tensor_place(t, at);
}

static void part_logits(const Tensor *parts, const Tensor *weight, Tensor *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(out) > 0; more; more = tensor_next(out, at)) {
        ptrdiff_t b = at[0], q = at[1], l = at[2], p = at[3], w = at[4];
        // The readout's product, with a part
        // in place of the whole stream.
        float sum = 0.0f;
        for (ptrdiff_t d = 0; d < parts->shape[3]; d++)
            sum = fmaf(*tensor_at4(parts, b, p, l, d), *tensor_at3(weight, q, w, d), sum);
        *at5(out, at) = sum;
    }
}

RUN_ON_TWO(part_logits)

const Stage stage_part_logits = {
    .name = "part_logits",
    .formula = "part_logits[b,q,l,p,w] = sum_d stream[b,p,l,d] * weight[q,w,d]",
    .torch = "part_logits = torch.einsum('bpld,qwd->bqlpw', stream, weight)",
    .source = "Elhage et al. 2021",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {{.role = "stream", .axes = "B parts Lq Dout", .alias = "stream"},
                  {.role = "readout.weight", .axes = "Q V Dout", .factor = FACTOR_ROWS}},
        .writes = {{.role = "part_logits", .tensor = "part_logits", .axes = "B Q Lq parts V"}},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = part_logits_run,
    .fast = fast_part_logits,
};

// --- lens
//
// Lens: the logits at each point of the residual stream, as if the model ended after that part.
//
//   lens[b,q,l,p,w] = sum over o = 0 ... p of part_logits[b,q,l,o,w]
//
// in    part_logits [B, Q, Lq, parts, V]
// out   lens        [B, Q, Lq, parts, V]  the last row is the logits, except for rounding
// cost  B * Q * Lq * parts * parts * V additions
// from  nostalgebraist 2020 (interpreting GPT: the logit lens)

static void lens(const Tensor *part_logits, Tensor *out)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(out) > 0; more; more = tensor_next(out, at)) {
        // The stream after part p is the sum
        // of the parts so far.
        ptrdiff_t part[] = {at[0], at[1], at[2], 0, at[4]};
        float sum = 0.0f;
        for (part[3] = 0; part[3] <= at[3]; part[3]++)
            sum += *at5(part_logits, part);
        *at5(out, at) = sum;
    }
}

RUN_ON_ONE(lens)

static void lens_origin(Terms *terms, const ptrdiff_t at[])
{
    for (ptrdiff_t p = 0; p <= at[3]; p++)
        term_add(terms, TELL(PART_ADDED), SOURCE(0, at[0], at[1], at[2], p, at[4]));
}

const Stage stage_lens = {
    .name = "lens",
    .formula = "lens[b,q,l,p,w] = sum_o (o <= p ? part_logits[b,q,l,o,w] : 0)",
    .torch = "lens = part_logits.cumsum(dim=3)",
    .source = "nostalgebraist 2020",
    .calls = {{
        .reads = {{.role = "part_logits", .axes = "B Q Lq parts V"}},
        .writes = {{.role = "lens", .tensor = "lens", .axes = "B Q Lq parts V"}},
    }},
    .terms = {[TERM_ADD] = "sum +="},
    .run = lens_run,
    .fast = fast_lens,
    .origin = lens_origin,
};

// --- attribution
//
// Attribution: the shares of all parts, added in order, give the logit. A float sum over parts rounds
// differently from the readout's sum over features; the last term is the difference.
//
//   rounding[b,q,l,w]   = logits[b,q,l,w] - sum over p of part_logits[b,q,l,p,w]
//   attributed[b,q,l,w] = sum over p of part_logits[b,q,l,p,w] + rounding[b,q,l,w]
//
// in    part_logits [B, Q, Lq, parts, V]
//       logits      [B, Q, Lq, V]
// out   rounding    [B, Q, Lq, V]  a few millionths of the largest share
//       attributed  [B, Q, Lq, V]  the logits, bit for bit, unless a logit is smaller than its rounding
// cost  2 * B * Q * Lq * parts * V additions
// from  Elhage et al. 2021

enum { ATTRIBUTION_IN_PARTS, ATTRIBUTION_IN_LOGITS };
enum { ATTRIBUTION_OUT_ROUNDING, ATTRIBUTION_OUT_SUM };

static void attribution(const Tensor *part_logits, const Tensor *logits, Tensor *rounding,
                        Tensor *attributed)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool more = tensor_count(logits) > 0; more; more = tensor_next(logits, at)) {
        ptrdiff_t b = at[0], q = at[1], l = at[2], w = at[3];
        ptrdiff_t part[] = {b, q, l, 0, w};
        float sum = 0.0f;
        for (part[3] = 0; part[3] < part_logits->shape[3]; part[3]++)
            sum += *at5(part_logits, part);
        // The logit and the sum are close, so
        // their difference is exact; adding it
        // back gives the logit's bits.
        float rest = *tensor_at4(logits, b, q, l, w) - sum;
        *tensor_at4(rounding, b, q, l, w) = rest;
        *tensor_at4(attributed, b, q, l, w) = sum + rest;
    }
}

static bool attribution_run(StageArgs *args, Error *err)
{
    attribution(&args->in[ATTRIBUTION_IN_PARTS], &args->in[ATTRIBUTION_IN_LOGITS],
                &args->out[ATTRIBUTION_OUT_ROUNDING], &args->out[ATTRIBUTION_OUT_SUM]);
    return true;
}

// Part by part; then the rounding difference.
static void attribution_origin(Terms *terms, const ptrdiff_t at[])
{
    for (ptrdiff_t p = 0; p < terms->args->in[ATTRIBUTION_IN_PARTS].shape[3]; p++)
        term_add(terms, TELL(PART_ADDED),
                 SOURCE(ATTRIBUTION_IN_PARTS, at[0], at[1], at[2], p, at[3]));
    Source whole = SOURCE(ATTRIBUTION_IN_LOGITS, at[0], at[1], at[2], at[3]);
    float logit = term_number(terms, whole), sum = terms->running;
    if (terms->slot == ATTRIBUTION_OUT_ROUNDING)
        term_one(terms, TERM_RULE, TELL(PART_REST), whole, logit, logit - sum);
    else
        term_one(terms, TERM_ADD, TELL(PART_ROUNDING), whole, logit - sum, sum + (logit - sum));
}

const Stage stage_attribution = {
    .name = "attribution",
    .formula = "rounding[b,q,l,w] = logits[b,q,l,w] - sum_p part_logits[b,q,l,p,w]; "
               "attributed[b,q,l,w] = (sum_p part_logits[b,q,l,p,w]) + rounding[b,q,l,w]",
    .torch = "shares = part_logits.sum(dim=3); attributed = shares + (logits - shares)",
    .source = "Elhage et al. 2021",
    .main_output = ATTRIBUTION_OUT_SUM,
    .calls = {{
        .reads = {{.role = "part_logits", .axes = "B Q Lq parts V"},
                  {.role = "logits", .axes = "B Q Lq V"}},
        .writes = {{.role = "rounding", .tensor = "rounding", .axes = "B Q Lq V"},
                   {.role = "attributed", .tensor = "attributed", .axes = "B Q Lq V"}},
    }},
    .terms = {[TERM_ADD] = "sum +="},
    .run = attribution_run,
    .origin = attribution_origin,
};
