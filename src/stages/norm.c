// Norms of every token.
#include <math.h>
#include "describe.h"
#include "norms.h"
#include "stage.h"
#include "stages_words.def"

// --- layer_norm
//
// Layer norm: brings each token's numbers to mean 0 and variance 1, then to a learned scale, so
// that they neither explode nor vanish in deep models.
//
//   mean     = sum over d of x[b,l,d] / Din
//   variance = sum over d of (x[b,l,d] - mean)^2 / Din
//   x_normed[b,l,d] = (x[b,l,d] - mean) / sqrt(variance + norm_epsilon) * weight[d] + bias[d]
//
// in    x [B, L, Din]   weight [Din]   bias [Din] or none
// out   x_normed   [B, L, Din]
//       x_residual [B, L, Din]  x itself, for the residual: a view; not after a residual (post_norm)
//                               or on embeddings
// cost  B * L * Din * 5
// from  Ba, Kiros, Hinton 2016; before attention: Radford et al. 2019 (GPT-2); PyTorch: nn.LayerNorm

enum { LAYER_NORM_IN_X, LAYER_NORM_IN_WEIGHT, LAYER_NORM_IN_BIAS };
enum { LAYER_NORM_OUT_NORMED, LAYER_NORM_OUT_RESIDUAL };

// Of one token: x[d] lies at row[d * stride].
static float mean_of(const float *row, ptrdiff_t stride, ptrdiff_t width)
{
    // Neighbours lie `stride` numbers apart:
    // 1, or more where x is a view.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < width; d++)
        sum += row[d * stride];
    return sum / (float)width;
}

static float deviation_of(const float *row, ptrdiff_t stride, ptrdiff_t width, float mean,
                          float epsilon)
{
    // A second pass, since the mean must be
    // known first. Squares, so that above and
    // below do not cancel.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < width; d++) {
        float apart = row[d * stride] - mean;
        sum = fmaf(apart, apart, sum);
    }
    // epsilon keeps the root above 0 when all
    // numbers of a token are equal.
    return sqrtf(sum / (float)width + epsilon);
}

static void layer_norm(const Tensor *x, const Tensor *weight, const Tensor *bias, float epsilon,
                       Tensor *x_normed)
{
    ptrdiff_t width = x->shape[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            // Once for each token. No other
            // token matters: a batch of one
            // gives the same.
            const float *row = tensor_at3(x, b, l, 0);
            float mean = mean_of(row, x->stride[2], width);
            float deviation = deviation_of(row, x->stride[2], width, mean, epsilon);
            for (ptrdiff_t d = 0; d < width; d++) {
                // `weight` and `bias` have a
                // number for each d: training can
                // undo the norm where it harms.
                float scaled =
                    (*tensor_at3(x, b, l, d) - mean) / deviation * *tensor_at1(weight, d);
                *tensor_at3(x_normed, b, l, d) = bias ? scaled + *tensor_at1(bias, d) : scaled;
            }
        }
}

static bool layer_norm_run(StageArgs *args, Error *err)
{
    args->out[LAYER_NORM_OUT_RESIDUAL] = args->in[LAYER_NORM_IN_X];
    layer_norm(&args->in[LAYER_NORM_IN_X], &args->in[LAYER_NORM_IN_WEIGHT],
               stage_given(args, LAYER_NORM_IN_BIAS), args->options->norm_epsilon,
               &args->out[LAYER_NORM_OUT_NORMED]);
    return true;
}

// Of all stages in this file.
SHOW_OPTION(norm_settings, norm_epsilon, "%g", double)

// The sums over the token, which every output number depends on.
static void emit_sums(Terms *terms, const ptrdiff_t at[], float mean)
{
    ptrdiff_t width = terms->args->in[LAYER_NORM_IN_X].shape[2];
    for (ptrdiff_t d = 0; d < width; d++)
        term_add(terms, TELL(NORM_SUM), SOURCE(LAYER_NORM_IN_X, at[0], at[1], d));
    term_rule(terms, TELL(NORM_MEAN), mean, mean);
    float squares = 0.0f;
    for (ptrdiff_t d = 0; d < width; d++) {
        Source own = SOURCE(LAYER_NORM_IN_X, at[0], at[1], d);
        float apart = term_number(terms, own) - mean;
        squares = fmaf(apart, apart, squares);
        term_one(terms, TERM_ADD, TELL(NORM_SQUARE_APART), own, apart * apart, squares);
    }
}

// The learned part of the formula: ... * weight[d] + bias[d].
static void emit_learned(Terms *terms, const ptrdiff_t at[], float normed)
{
    Source weight = SOURCE(LAYER_NORM_IN_WEIGHT, at[2]);
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), weight, normed,
             normed * term_number(terms, weight));
    term_bias(terms, SOURCE(LAYER_NORM_IN_BIAS, at[2]));
}

// Every number of the token is a source, through mean and deviation. The element's own input comes
// again at the end, to be divided.
static void layer_norm_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *x = &terms->args->in[LAYER_NORM_IN_X];
    Source own = term_here(terms, LAYER_NORM_IN_X, at);
    if (terms->slot == LAYER_NORM_OUT_RESIDUAL) {
        term_copy(terms, TERM_PLACE, NULL, own);
        return;
    }
    const float *row = tensor_at3(x, at[0], at[1], 0);
    float mean = mean_of(row, x->stride[2], x->shape[2]);
    float deviation =
        deviation_of(row, x->stride[2], x->shape[2], mean, terms->args->options->norm_epsilon);
    float normed = (term_number(terms, own) - mean) / deviation;
    emit_sums(terms, at, mean);
    term_rule(terms, TELL(NORM_DEVIATION), deviation, deviation);
    term_one(terms, TERM_RULE, TELL(NORM_APART), own, normed, normed);
    emit_learned(terms, at, normed);
}

// The calls of both norms, from turn `first` on. LEARNED: the slots of the weights of a norm.
#define NORM_CALLS(function, first, LEARNED) \
    {.turn = first, \
     .reads = {SLOT("x", "B L Din"), LEARNED("norm", "Din")}, \
     .writes = {NAMED_SLOT("x", "x_normed", "B L Din"), \
                NAMED_SLOT("residual", "x_residual", "B L Din", .is_view = true)}}, \
        {.label = "queries", \
         .turn = first, \
         .torch = "residual, x_query = x_query, " function "(x_query)", \
         .reads = {SLOT("x_query", "B Lq Dq"), LEARNED("query_norm", "Dq")}, \
         .writes = {NAMED_SLOT("x_query", "x_query_normed", "B Lq Dq"), \
                    NAMED_SLOT("residual", "x_query_residual", "B Lq Dq", .is_view = true)}}, \
        {.label = "feed_forward", \
         .turn = first + 1, \
         .torch = "residual, x = output, " function "(output)", \
         .reads = {SLOT("output", "B Lq Dout", .alias = "x"), LEARNED("norm_2", "Dout")}, \
         .writes = {NAMED_SLOT("feed", "ff_normed", "B Lq Dout"), \
                    NAMED_SLOT("residual", "ff_residual", "B Lq Dout", .is_view = true)}}, \
        BEHIND_CALL("behind_attention", function, first + 1, LEARNED, "post_norm", "x_attended"), \
        BEHIND_CALL("behind_feed_forward", function, first + 2, LEARNED, "post_norm_2", \
                    "output_normed"), \
        BEHIND_CALL("final", function, first + 3, LEARNED, "final_norm", "final_normed")
#define BEHIND_CALL(name, function, place, LEARNED, norm, made) \
    { \
        .label = name, .turn = place, .torch = "output = " function "(output)", \
        .reads = {SLOT("output", "B Lq Dout", .alias = "x"), LEARNED(norm, "Dout")}, .writes = { \
            NAMED_SLOT("output", made, "B Lq Dout") \
        } \
    }
#define LAYER_NORM_LEARNED(norm, width) \
    SLOT(norm ".weight", width), SLOT(norm ".bias", width, .optional = true)

const Stage stage_layer_norm = {
    .name = "layer_norm",
    .formula = "x_normed[b,l,d] = "
               "(x[b,l,d] - mean) / sqrt(variance + norm_epsilon) * weight[d]  (+ bias[d])",
    .where =
        "mean = mean_e x[b,l,e]; variance = mean_e (x[b,l,e] - mean)^2; residual[b,l,d] = x[b,l,d]",
    .torch = "residual, x = x, layer_norm(x)",
    .source = "Ba, Kiros, Hinton 2016; Radford et al. 2019 (before attention)",
    .main_output = LAYER_NORM_OUT_NORMED,
    .calls = {{
                  .label = "embeddings",
                  .torch = "x = layer_norm(x)",
                  .reads = {SLOT("x", "B L Din"), LAYER_NORM_LEARNED("embedding_norm", "Din")},
                  .writes = {NAMED_SLOT("x", "embeddings_normed", "B L Din")},
              },
              NORM_CALLS("layer_norm", 1, LAYER_NORM_LEARNED)},
    .options = OPTION(layer_norm) | OPTION(norm_epsilon) | OPTION(post_norm),
    .needs = OPTION(layer_norm),
    .settings = norm_settings,
    .loop = "mean_of",
    .terms = {[TERM_ADD] = "sum += row", [TERM_FACTOR] = "/ deviation *"},
    .run = layer_norm_run,
    .origin = layer_norm_origin,
};

// --- layer_norm_again
//
// Layer norm again: the backward pass needs each token's numbers at mean 0 and variance 1, and what they
// were divided by. The forward pass kept neither; both are made from x once more.
//
//   normed[b,l,d]  = (x[b,l,d] - mean) / deviation[b,l]
//   deviation[b,l] = sqrt(variance + norm_epsilon)               mean and variance as in layer_norm
//
// in    x [B, L, Din]
// out   normed [B, L, Din]   deviation [B, L]
// cost  B * L * Din * 4
// from  Ba, Kiros, Hinton 2016; what PyTorch keeps as mean and rstd

enum { LAYER_NORM_AGAIN_OUT_NORMED, LAYER_NORM_AGAIN_OUT_DEVIATION };

static void layer_norm_again(const Tensor *x, float epsilon, Tensor *normed, Tensor *deviations)
{
    ptrdiff_t width = x->shape[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            const float *row = tensor_at3(x, b, l, 0);
            float mean = mean_of(row, x->stride[2], width);
            float deviation = deviation_of(row, x->stride[2], width, mean, epsilon);
            *tensor_at2(deviations, b, l) = deviation;
            // Before the learned weight: after
            // it, a weight of 0 would hide the
            // number.
            for (ptrdiff_t d = 0; d < width; d++)
                *tensor_at3(normed, b, l, d) = (*tensor_at3(x, b, l, d) - mean) / deviation;
        }
}

static bool layer_norm_again_run(StageArgs *args, Error *err)
{
    layer_norm_again(&args->in[LAYER_NORM_IN_X], args->options->norm_epsilon,
                     &args->out[LAYER_NORM_AGAIN_OUT_NORMED],
                     &args->out[LAYER_NORM_AGAIN_OUT_DEVIATION]);
    return true;
}

// As in the forward pass, without the learned part; the deviation ends where the element would follow.
static void layer_norm_again_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *x = &terms->args->in[LAYER_NORM_IN_X];
    const float *row = tensor_at3(x, at[0], at[1], 0);
    float mean = mean_of(row, x->stride[2], x->shape[2]);
    float deviation =
        deviation_of(row, x->stride[2], x->shape[2], mean, terms->args->options->norm_epsilon);
    emit_sums(terms, at, mean);
    term_rule(terms, TELL(NORM_DEVIATION), deviation, deviation);
    if (terms->slot == LAYER_NORM_AGAIN_OUT_DEVIATION)
        return;
    Source own = term_here(terms, LAYER_NORM_IN_X, at);
    float normed = (term_number(terms, own) - mean) / deviation;
    term_one(terms, TERM_RULE, TELL(NORM_APART), own, normed, normed);
}

#define NORM_AGAIN_CALL(norm_of, name, in, norm, rows, width, divisor) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT(in, rows " " width, .alias = "x", .from_before = true)}, \
     .writes = {NAMED_SLOT("normed", norm ".normed", rows " " width), \
                NAMED_SLOT(divisor, norm "." divisor, rows)}},
#define LAYER_NORM_AGAIN(norm_of, name, in, out, norm, rows, width) \
    NORM_AGAIN_CALL(norm_of, name, in, norm, rows, width, "deviation")

const Stage stage_layer_norm_again = {
    .name = "layer_norm_again",
    .formula = "normed[b,l,d] = (x[b,l,d] - mean) / sqrt(variance + norm_epsilon)",
    .where = "deviation[b,l] = sqrt(variance + norm_epsilon); mean = mean_e x[b,l,e]; "
             "variance = mean_e (x[b,l,e] - mean)^2",
    .torch = "deviation = (x.var(-1, unbiased=False) + eps).sqrt(); "
             "normed = (x - x.mean(-1, keepdim=True)) / deviation[..., None]",
    .source = "Ba, Kiros, Hinton 2016",
    .calls = {LAYER_NORMS(LAYER_NORM_AGAIN)},
    .options = OPTION(norm_epsilon),
    .settings = norm_settings,
    .terms = {[TERM_ADD] = "mean_of("},
    .run = layer_norm_again_run,
    .origin = layer_norm_again_origin,
};

// --- part_layer_norm
//
// Part layer norm: applies a norm of the residual stream to each part of it: the norm after the last layer, or
// with post_norm those after attention and feed-forward. All parts are divided by the deviation of the whole
// stream, so the normed parts still add up to the normed stream.
//
//   own      = sum over d of before[b,p,l,d] / Dout
//   parts[b,p,l,d] = (before[b,p,l,d] - own) / sqrt(variance of x[b,l] + norm_epsilon) * weight[d]
//
// in    x [B, Lq, Dout]  the whole stream   weight [Dout]   before [B, parts, Lq, Dout]
// out   parts  [B, parts, Lq, Dout]  the bias of the norm becomes one more part (stage parts)
// cost  B * parts * Lq * Dout * 4
// from  Elhage et al. 2021, Handling Layer Normalization; TransformerLens: apply_ln_to_stack

enum { PART_NORM_IN_X, PART_NORM_IN_WEIGHT, PART_NORM_IN_BEFORE };

static float part_mean(const Tensor *before, ptrdiff_t b, ptrdiff_t p, ptrdiff_t l)
{
    // The parts' means add up to the stream's
    // mean, so each part can subtract its
    // own.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < before->shape[3]; d++)
        sum += *tensor_at4(before, b, p, l, d);
    return sum / (float)before->shape[3];
}

static void part_layer_norm(const Tensor *x, const Tensor *weight, const Tensor *before,
                            float epsilon, Tensor *parts)
{
    ptrdiff_t width = x->shape[2], stride = x->stride[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            // Deviations of parts do not add up:
            // all parts use that of the whole
            // stream.
            const float *row = tensor_at3(x, b, l, 0);
            float mean = mean_of(row, stride, width);
            float deviation = deviation_of(row, stride, width, mean, epsilon);
            for (ptrdiff_t p = 0; p < parts->shape[1]; p++) {
                float own = part_mean(before, b, p, l);
                for (ptrdiff_t d = 0; d < width; d++) {
                    float apart = *tensor_at4(before, b, p, l, d) - own;
                    *tensor_at4(parts, b, p, l, d) = apart / deviation * *tensor_at1(weight, d);
                }
            }
        }
}

static bool part_layer_norm_run(StageArgs *args, Error *err)
{
    part_layer_norm(&args->in[PART_NORM_IN_X], &args->in[PART_NORM_IN_WEIGHT],
                    &args->in[PART_NORM_IN_BEFORE], args->options->norm_epsilon, &args->out[0]);
    return true;
}

static bool part_norm_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t *shape = args->out[0].shape;
    shape[1] = args->in[PART_NORM_IN_BEFORE].shape[1];
    args->out[0] = tensor_over(args->out[0].storage.bytes, DTYPE_F32, 4, shape);
    return true;
}

// The norm's divisor, the part's own mean, then the element itself.
static void part_layer_norm_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], p = at[1], l = at[2], d = at[3];
    const Tensor *x = &args->in[PART_NORM_IN_X], *before = &args->in[PART_NORM_IN_BEFORE];
    const float *row = tensor_at3(x, b, l, 0);
    ptrdiff_t width = x->shape[2], stride = x->stride[2];
    float mean = mean_of(row, stride, width);
    float deviation = deviation_of(row, stride, width, mean, args->options->norm_epsilon);
    emit_sums(terms, (ptrdiff_t[]){b, l}, mean);
    term_rule(terms, TELL(NORM_DEVIATION), deviation, deviation);
    terms->running = 0.0f;
    for (ptrdiff_t e = 0; e < width; e++)
        term_add(terms, TELL(NORM_PART_SUM), SOURCE(PART_NORM_IN_BEFORE, b, p, l, e));
    float own = terms->running / (float)width;
    float normed = (*tensor_at4(before, b, p, l, d) - own) / deviation;
    float weight = *tensor_at1(&args->in[PART_NORM_IN_WEIGHT], d);
    term_rule(terms, TELL(NORM_MEAN), own, own);
    term_one(terms, TERM_RULE, TELL(NORM_PART_APART), SOURCE(PART_NORM_IN_BEFORE, b, p, l, d),
             normed, normed);
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), SOURCE(PART_NORM_IN_WEIGHT, d), normed,
             normed * weight);
}

#define PART_NORM_CALL(name, place, scale, made) \
    { \
        .label = name, .turn = place, \
        .reads = {SLOT("output", "B Lq Dout", .alias = "x"), SLOT(scale, "Dout"), \
                  SLOT("stream", "B parts Lq Dout", .alias = "before", .broadcasts = true)}, \
        .writes = {NAMED_SLOT("stream", made, "B parts Lq Dout", .alias = "stream")}, \
    }
#define PART_NORM_CALLS \
    { \
        PART_NORM_CALL("behind_attention", 0, "post_norm.weight", "parts_attended"), \
            PART_NORM_CALL("behind_feed_forward", 1, "post_norm_2.weight", "parts_output_normed"), \
            PART_NORM_CALL("final", 2, "final_norm.weight", "parts_normed"), \
    }

const Stage stage_part_layer_norm = {
    .name = "part_layer_norm",
    .formula =
        "stream[b,p,l,d] = (before[b,p,l,d] - own) / sqrt(variance + norm_epsilon) * weight[d]",
    .where = "own = mean_e before[b,p,l,e]; mean = mean_e x[b,l,e]; "
             "variance = mean_e (x[b,l,e] - mean)^2",
    .torch = "stream = (stream - stream.mean(-1, keepdim=True)) / "
             "(x.var(-1, unbiased=False) + eps).sqrt()[:, None, :, None] * weight",
    .source = "Elhage et al. 2021, Handling Layer Normalization",
    .calls = PART_NORM_CALLS,
    .options = OPTION(parts) | OPTION(layer_norm) | OPTION(norm_epsilon),
    .needs = OPTION(parts) | OPTION(residual) | OPTION(layer_norm),
    .settings = norm_settings,
    .loop = "part_mean",
    .terms = {[TERM_ADD] = "sum += ", [TERM_FACTOR] = "/ deviation *"},
    .shapes = part_norm_shapes,
    .run = part_layer_norm_run,
    .origin = part_layer_norm_origin,
};

// --- rms_norm
//
// RMS norm: brings each token's numbers to a mean square of 1, then to a learned scale: layer norm
// without mean and bias.
//
//   x_normed[b,l,d] = x[b,l,d] / sqrt(sum over e of x[b,l,e]^2 / Din + norm_epsilon) * weight[d]
//                                                                     1 + weight[d] with norm_plus_one
//
// in    x [B, L, Din]   weight [Din]
// out   x_normed   [B, L, Din]
//       x_residual [B, L, Din]  x itself, for the residual: a view
// cost  B * L * Din * 3
// from  Zhang, Sennrich 2019; before attention: Touvron et al. 2023 (LLaMA), section 2.2

enum { RMS_NORM_IN_X, RMS_NORM_IN_WEIGHT };
enum { RMS_NORM_OUT_NORMED, RMS_NORM_OUT_RESIDUAL };

// Of one token: x[d] lies at row[d * stride].
static float root_mean_square(const float *row, ptrdiff_t stride, ptrdiff_t width, float epsilon)
{
    // Squares have no sign: this measures the
    // token's length.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < width; d++)
        sum = fmaf(row[d * stride], row[d * stride], sum);
    return sqrtf(sum / (float)width + epsilon);
}

// With norm_plus_one, a weight of 0 changes nothing.
static float factor_of(const Tensor *weight, ptrdiff_t d, bool plus_one)
{
    return plus_one ? 1.0f + *tensor_at1(weight, d) : *tensor_at1(weight, d);
}

static void rms_norm(const Tensor *x, const Tensor *weight, float epsilon, bool plus_one,
                     Tensor *x_normed)
{
    ptrdiff_t width = x->shape[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            float rms = root_mean_square(tensor_at3(x, b, l, 0), x->stride[2], width, epsilon);
            // No mean is subtracted, so all
            // numbers scale alike: before the
            // weight, the token keeps its
            // direction.
            for (ptrdiff_t d = 0; d < width; d++)
                *tensor_at3(x_normed, b, l, d) =
                    *tensor_at3(x, b, l, d) / rms * factor_of(weight, d, plus_one);
        }
}

static bool rms_norm_run(StageArgs *args, Error *err)
{
    args->out[RMS_NORM_OUT_RESIDUAL] = args->in[RMS_NORM_IN_X];
    rms_norm(&args->in[RMS_NORM_IN_X], &args->in[RMS_NORM_IN_WEIGHT], args->options->norm_epsilon,
             args->options->norm_plus_one, &args->out[RMS_NORM_OUT_NORMED]);
    return true;
}

static void emit_squares(Terms *terms, const ptrdiff_t at[])
{
    for (ptrdiff_t d = 0; d < terms->args->in[RMS_NORM_IN_X].shape[2]; d++) {
        Source own = SOURCE(RMS_NORM_IN_X, at[0], at[1], d);
        float x = term_number(terms, own);
        term_one(terms, TERM_ADD, TELL(NORM_SQUARE), own, x * x, fmaf(x, x, terms->running));
    }
}

// All numbers of the token first, for the root; then the element's own input is divided by it.
static void rms_norm_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    const Tensor *x = &args->in[RMS_NORM_IN_X];
    Source own = term_here(terms, RMS_NORM_IN_X, at);
    if (terms->slot == RMS_NORM_OUT_RESIDUAL) {
        term_copy(terms, TERM_PLACE, NULL, own);
        return;
    }
    float rms = root_mean_square(tensor_at3(x, at[0], at[1], 0), x->stride[2], x->shape[2],
                                 args->options->norm_epsilon);
    float factor = factor_of(&args->in[RMS_NORM_IN_WEIGHT], at[2], args->options->norm_plus_one);
    float divided = term_number(terms, own) / rms;
    emit_squares(terms, at);
    term_rule(terms, TELL(NORM_ROOT), rms, rms);
    term_one(terms, TERM_RULE, TELL(NORM_DIVIDED), own, divided, divided);
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), SOURCE(RMS_NORM_IN_WEIGHT, at[2]), divided,
             divided * factor);
}

#define RMS_NORM_LEARNED(norm, width) SLOT(norm ".weight", width)

const Stage stage_rms_norm = {
    .name = "rms_norm",
    .formula = "x_normed[b,l,d] = x[b,l,d] / sqrt(mean_e x[b,l,e]^2 + norm_epsilon) * weight[d]",
    .where = "residual[b,l,d] = x[b,l,d]",
    .torch = "residual, x = x, x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight",
    .source = "Zhang, Sennrich 2019; Touvron et al. 2023 (LLaMA), section 2.2",
    .form = {.option = OPTION(norm_plus_one),
             .formula = "x_normed[b,l,d] = x[b,l,d] / sqrt(mean_e x[b,l,e]^2 + norm_epsilon) * (1 "
                        "+ weight[d])",
             .torch = "residual, x = x, x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * "
                      "(1 + weight)"},
    .main_output = RMS_NORM_OUT_NORMED,
    .calls = {NORM_CALLS("rms_norm", 0, RMS_NORM_LEARNED)},
    .options = OPTION(rms_norm) | OPTION(norm_epsilon) | OPTION(norm_plus_one) | OPTION(post_norm),
    .needs = OPTION(rms_norm),
    .settings = norm_settings,
    .loop = "root_mean_square",
    .terms = {[TERM_ADD] = "sum = fmaf(", [TERM_FACTOR] = "/ rms *"},
    .run = rms_norm_run,
    .origin = rms_norm_origin,
};

// --- rms_norm_again
//
// RMS norm again: the backward pass needs each token's numbers at a mean square of 1, and what they were
// divided by. The forward pass kept neither; both are made from x once more.
//
//   normed[b,l,d] = x[b,l,d] / rms[b,l]
//   rms[b,l]      = sqrt(sum over e of x[b,l,e]^2 / Din + norm_epsilon)
//
// in    x [B, L, Din]
// out   normed [B, L, Din]   rms [B, L]
// cost  B * L * Din * 2
// from  Zhang, Sennrich 2019

enum { RMS_NORM_AGAIN_OUT_NORMED, RMS_NORM_AGAIN_OUT_RMS };

static void rms_norm_again(const Tensor *x, float epsilon, Tensor *normed, Tensor *roots)
{
    ptrdiff_t width = x->shape[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            float rms = root_mean_square(tensor_at3(x, b, l, 0), x->stride[2], width, epsilon);
            *tensor_at2(roots, b, l) = rms;
            // Before the learned weight: after
            // it, a weight of 0 would hide the
            // number.
            for (ptrdiff_t d = 0; d < width; d++)
                *tensor_at3(normed, b, l, d) = *tensor_at3(x, b, l, d) / rms;
        }
}

static bool rms_norm_again_run(StageArgs *args, Error *err)
{
    rms_norm_again(&args->in[RMS_NORM_IN_X], args->options->norm_epsilon,
                   &args->out[RMS_NORM_AGAIN_OUT_NORMED], &args->out[RMS_NORM_AGAIN_OUT_RMS]);
    return true;
}

// As in the forward pass, without the learned part; the root ends where the element would follow.
static void rms_norm_again_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *x = &terms->args->in[RMS_NORM_IN_X];
    float rms = root_mean_square(tensor_at3(x, at[0], at[1], 0), x->stride[2], x->shape[2],
                                 terms->args->options->norm_epsilon);
    emit_squares(terms, at);
    term_rule(terms, TELL(NORM_ROOT), rms, rms);
    if (terms->slot == RMS_NORM_AGAIN_OUT_RMS)
        return;
    Source own = term_here(terms, RMS_NORM_IN_X, at);
    float divided = term_number(terms, own) / rms;
    term_one(terms, TERM_RULE, TELL(NORM_DIVIDED), own, divided, divided);
}

#define RMS_NORM_AGAIN(norm_of, name, in, out, norm, rows, width) \
    NORM_AGAIN_CALL(norm_of, name, in, norm, rows, width, "rms")

const Stage stage_rms_norm_again = {
    .name = "rms_norm_again",
    .formula = "normed[b,l,d] = x[b,l,d] / sqrt(mean_e x[b,l,e]^2 + norm_epsilon)",
    .where = "rms[b,l] = sqrt(mean_e x[b,l,e]^2 + norm_epsilon)",
    .torch = "rms = (x.pow(2).mean(-1) + eps).sqrt(); normed = x / rms[..., None]",
    .source = "Zhang, Sennrich 2019",
    .calls = {RMS_NORMS(RMS_NORM_AGAIN)},
    .options = OPTION(norm_epsilon),
    .settings = norm_settings,
    .terms = {[TERM_ADD] = "root_mean_square("},
    .run = rms_norm_again_run,
    .origin = rms_norm_again_origin,
};

// --- part_rms_norm
//
// Part RMS norm: the same for RMS norm: divides every part by the root mean square of the whole stream.
//
//   parts[b,p,l,d] = before[b,p,l,d] / sqrt(sum over e of x[b,l,e]^2 / Dout + norm_epsilon) * weight[d]
//                                                                     1 + weight[d] with norm_plus_one
//
// in    x [B, Lq, Dout]  the whole stream   weight [Dout]   before [B, parts, Lq, Dout]
// out   parts  [B, parts, Lq, Dout]
// cost  B * parts * Lq * Dout * 3
// from  Elhage et al. 2021, Handling Layer Normalization; TransformerLens: apply_ln_to_stack

// The divisor of all parts of a token: the root mean square of the whole stream.
static float stream_root(const Tensor *x, ptrdiff_t b, ptrdiff_t l, float epsilon)
{
    // The length of the whole stream, with
    // all parts in it.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < x->shape[2]; d++)
        sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at3(x, b, l, d), sum);
    return sqrtf(sum / (float)x->shape[2] + epsilon);
}

static void part_rms_norm(const Tensor *x, const Tensor *weight, const Tensor *before,
                          const StageOptions *options, Tensor *parts)
{
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            float rms = stream_root(x, b, l, options->norm_epsilon);
            // Nothing is subtracted: all parts
            // scale alike.
            for (ptrdiff_t p = 0; p < parts->shape[1]; p++)
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    *tensor_at4(parts, b, p, l, d) = *tensor_at4(before, b, p, l, d) / rms *
                                                     factor_of(weight, d, options->norm_plus_one);
        }
}

static bool part_rms_norm_run(StageArgs *args, Error *err)
{
    part_rms_norm(&args->in[PART_NORM_IN_X], &args->in[PART_NORM_IN_WEIGHT],
                  &args->in[PART_NORM_IN_BEFORE], args->options, &args->out[0]);
    return true;
}

static void part_rms_norm_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t b = at[0], p = at[1], l = at[2], d = at[3];
    float rms = stream_root(&args->in[PART_NORM_IN_X], b, l, args->options->norm_epsilon);
    float own = *tensor_at4(&args->in[PART_NORM_IN_BEFORE], b, p, l, d) / rms;
    float factor = factor_of(&args->in[PART_NORM_IN_WEIGHT], d, args->options->norm_plus_one);
    emit_squares(terms, (ptrdiff_t[]){b, l});
    term_rule(terms, TELL(NORM_ROOT), rms, rms);
    term_one(terms, TERM_RULE, TELL(NORM_PART_DIVIDED), SOURCE(PART_NORM_IN_BEFORE, b, p, l, d),
             own, own);
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), SOURCE(PART_NORM_IN_WEIGHT, d), own,
             own * factor);
}

const Stage stage_part_rms_norm = {
    .name = "part_rms_norm",
    .formula = "stream[b,p,l,d] = before[b,p,l,d] / sqrt(mean_e x[b,l,e]^2 + norm_epsilon) * "
               "(norm_plus_one + weight[d])",
    .torch = "stream = stream * torch.rsqrt(x.pow(2).mean(-1) + eps)[:, None, :, None] * weight",
    .source = "Elhage et al. 2021, Handling Layer Normalization",
    .calls = PART_NORM_CALLS,
    .options = OPTION(parts) | OPTION(rms_norm) | OPTION(norm_epsilon) | OPTION(norm_plus_one),
    .needs = OPTION(parts) | OPTION(residual) | OPTION(rms_norm),
    .settings = norm_settings,
    .loop = "stream_root",
    .terms = {[TERM_ADD] = "sum = fmaf(", [TERM_FACTOR] = "/ rms *"},
    .shapes = part_norm_shapes,
    .run = part_rms_norm_run,
    .origin = part_rms_norm_origin,
};
