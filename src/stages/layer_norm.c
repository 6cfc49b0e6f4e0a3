// Layer norm: brings the numbers of every token to mean 0 and variance 1, then to a scale that was
// learned, so that depth neither blows them up nor lets them vanish.
//
//   mean     = sum over d of x[b,l,d] / Din
//   variance = sum over d of (x[b,l,d] - mean)^2 / Din
//   x_normed[b,l,d] = (x[b,l,d] - mean) / sqrt(variance + norm_epsilon) * weight[d] + bias[d]
//
// in    x [B, L, Din]   weight [Din]   bias [Din] or none
// out   x_normed   [B, L, Din]
//       x_residual [B, L, Din]  x itself, which goes on beside: a view; not where the norm stands
//                               behind a residual (post_norm), or on embeddings
// cost  B * L * Din * 5
// from  Ba, Kiros, Hinton 2016; before attention: Radford et al. 2019 (GPT-2); PyTorch: nn.LayerNorm
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

enum { IN_X, IN_WEIGHT, IN_BIAS };
enum { OUT_NORMED, OUT_RESIDUAL };

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
    // A second walk, since the mean must be
    // known first. Squares, so that above
    // and below do not cancel.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < width; d++) {
        float apart = row[d * stride] - mean;
        sum = fmaf(apart, apart, sum);
    }
    // epsilon keeps the root above 0 where
    // all numbers of a token are equal.
    return sqrtf(sum / (float)width + epsilon);
}

static void layer_norm(const Tensor *x, const Tensor *weight, const Tensor *bias, float epsilon,
                       Tensor *x_normed)
{
    ptrdiff_t width = x->shape[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
            // Once for a token, not for a number
            // of it. No other token has a say: a
            // batch of one gives the same.
            const float *row = tensor_at3(x, b, l, 0);
            float mean = mean_of(row, x->stride[2], width);
            float deviation = deviation_of(row, x->stride[2], width, mean, epsilon);
            for (ptrdiff_t d = 0; d < width; d++) {
                // `weight` and `bias` have a
                // number for each d: training can
                // take back what the norm does
                // where it harms.
                float scaled =
                    (*tensor_at3(x, b, l, d) - mean) / deviation * *tensor_at1(weight, d);
                *tensor_at3(x_normed, b, l, d) = bias ? scaled + *tensor_at1(bias, d) : scaled;
            }
        }
}

static bool layer_norm_run(StageArgs *args, Error *err)
{
    (void)err;
    args->out[OUT_RESIDUAL] = args->in[IN_X];
    layer_norm(&args->in[IN_X], &args->in[IN_WEIGHT], stage_given(args, IN_BIAS),
               args->options->norm_epsilon, &args->out[OUT_NORMED]);
    return true;
}

static void layer_norm_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "norm_epsilon = %g", (double)options->norm_epsilon);
}

// The sums over the token, which every number of it is made of.
static void tell_sums(const StageArgs *args, const ptrdiff_t at[], float mean, TermVisit *visit,
                      void *context)
{
    float sum = 0.0f, squares = 0.0f;
    ptrdiff_t width = args->in[IN_X].shape[2];
    for (ptrdiff_t d = 0; d < width; d++) {
        float x = *tensor_at3(&args->in[IN_X], at[0], at[1], d);
        sum += x;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(NORM_SUM),
                               .source_count = 1,
                               .sources = {{IN_X, {at[0], at[1], d}}},
                               .value = x,
                               .running = sum});
    }
    visit(context, &(Term){.what = TELL(NORM_MEAN), .value = mean, .running = mean});
    for (ptrdiff_t d = 0; d < width; d++) {
        float apart = *tensor_at3(&args->in[IN_X], at[0], at[1], d) - mean;
        squares = fmaf(apart, apart, squares);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(NORM_SQUARE_APART),
                               .source_count = 1,
                               .sources = {{IN_X, {at[0], at[1], d}}},
                               .value = apart * apart,
                               .running = squares});
    }
}

// The learned part of the formula: ... * weight[d] + bias[d].
static void tell_learned(const StageArgs *args, const ptrdiff_t at[], float normed,
                         TermVisit *visit, void *context)
{
    const Tensor *bias = stage_given(args, IN_BIAS);
    float scaled = normed * *tensor_at1(&args->in[IN_WEIGHT], at[2]);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(NORM_WEIGHT),
                           .source_count = 1,
                           .sources = {{IN_WEIGHT, {at[2]}}},
                           .value = normed,
                           .running = scaled});
    if (bias)
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(BIAS),
                               .source_count = 1,
                               .sources = {{IN_BIAS, {at[2]}}},
                               .value = *tensor_at1(bias, at[2]),
                               .running = scaled + *tensor_at1(bias, at[2])});
}

// Every number of the token is a source, by way of mean and deviation. The one that is asked
// about comes again at the end, as what is divided.
static void layer_norm_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                              TermVisit *visit, void *context)
{
    const Tensor *x = &args->in[IN_X];
    Source own = {IN_X, {at[0], at[1], at[2]}};
    float value = *tensor_at3(x, at[0], at[1], at[2]);
    if (slot == OUT_RESIDUAL) {
        visit(context, &(Term){.kind = TERM_PLACE,
                               .source_count = 1,
                               .sources = {own},
                               .value = value,
                               .running = value});
        return;
    }
    const float *row = tensor_at3(x, at[0], at[1], 0);
    float mean = mean_of(row, x->stride[2], x->shape[2]);
    float deviation =
        deviation_of(row, x->stride[2], x->shape[2], mean, args->options->norm_epsilon);
    float normed = (value - mean) / deviation;
    tell_sums(args, at, mean, visit, context);
    visit(context, &(Term){.what = TELL(NORM_DEVIATION), .value = deviation, .running = deviation});
    visit(context, &(Term){.what = TELL(NORM_APART),
                           .source_count = 1,
                           .sources = {own},
                           .value = normed,
                           .running = normed});
    tell_learned(args, at, normed, visit, context);
}

const Stage stage_layer_norm = {
    .name = "layer_norm",
    .formula = "x_normed[b,l,d] = "
               "(x[b,l,d] - mean) / sqrt(variance + norm_epsilon) * weight[d]  (+ bias[d])",
    .where =
        "mean = mean_e x[b,l,e]; variance = mean_e (x[b,l,e] - mean)^2; residual[b,l,d] = x[b,l,d]",
    .torch = "residual, x = x, layer_norm(x)",
    .source = "Ba, Kiros, Hinton 2016; Radford et al. 2019 (before attention)",
    .main_output = OUT_NORMED,
    .calls = {{
                  .label = "embeddings",
                  .torch = "x = layer_norm(x)",
                  .reads = {{.role = "x", .axes = "B L Din"},
                            {.role = "embedding_norm.weight", .axes = "Din"},
                            {.role = "embedding_norm.bias", .axes = "Din", .optional = true}},
                  .writes = {{.role = "x", .tensor = "embeddings_normed", .axes = "B L Din"}},
              },
              {
                  .turn = 1,
                  .reads = {{.role = "x", .axes = "B L Din"},
                            {.role = "norm.weight", .axes = "Din"},
                            {.role = "norm.bias", .axes = "Din", .optional = true}},
                  .writes = {{.role = "x", .tensor = "x_normed", .axes = "B L Din"},
                             {.role = "residual",
                              .tensor = "x_residual",
                              .axes = "B L Din",
                              .is_view = true}},
              },
              {
                  .label = "queries",
                  .turn = 1,
                  .torch = "residual, x_query = x_query, layer_norm(x_query)",
                  .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                            {.role = "query_norm.weight", .axes = "Dq"},
                            {.role = "query_norm.bias", .axes = "Dq", .optional = true}},
                  .writes = {{.role = "x_query", .tensor = "x_query_normed", .axes = "B Lq Dq"},
                             {.role = "residual",
                              .tensor = "x_query_residual",
                              .axes = "B Lq Dq",
                              .is_view = true}},
              },
              {
                  .label = "feed_forward",
                  .turn = 2,
                  .torch = "residual, x = output, layer_norm(output)",
                  .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "norm_2.weight", .axes = "Dout"},
                            {.role = "norm_2.bias", .axes = "Dout", .optional = true}},
                  .writes = {{.role = "feed", .tensor = "ff_normed", .axes = "B Lq Dout"},
                             {.role = "residual",
                              .tensor = "ff_residual",
                              .axes = "B Lq Dout",
                              .is_view = true}},
              },
              {
                  .label = "behind_attention",
                  .turn = 2,
                  .torch = "output = layer_norm(output)",
                  .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "post_norm.weight", .axes = "Dout"},
                            {.role = "post_norm.bias", .axes = "Dout", .optional = true}},
                  .writes = {{.role = "output", .tensor = "x_attended", .axes = "B Lq Dout"}},
              },
              {
                  .label = "behind_feed_forward",
                  .turn = 3,
                  .torch = "output = layer_norm(output)",
                  .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "post_norm_2.weight", .axes = "Dout"},
                            {.role = "post_norm_2.bias", .axes = "Dout", .optional = true}},
                  .writes = {{.role = "output", .tensor = "output_normed", .axes = "B Lq Dout"}},
              },
              {
                  .label = "final",
                  .turn = 4,
                  .torch = "output = layer_norm(output)",
                  .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "final_norm.weight", .axes = "Dout"},
                            {.role = "final_norm.bias", .axes = "Dout", .optional = true}},
                  .writes = {{.role = "output", .tensor = "final_normed", .axes = "B Lq Dout"}},
              }},
    .options = OPTION(layer_norm) | OPTION(norm_epsilon) | OPTION(post_norm),
    .needs = OPTION(layer_norm),
    .settings = layer_norm_settings,
    .loop = "mean_of",
    .terms = {[TERM_ADD] = "sum += row", [TERM_FACTOR] = "/ deviation *"},
    .run = layer_norm_run,
    .origin = layer_norm_origin,
};
