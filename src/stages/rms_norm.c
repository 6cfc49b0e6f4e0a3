// RMS norm: brings the numbers of every token to a mean square of 1, then to a scale that was learned:
// layer norm without its mean and bias.
//
//   x_normed[b,l,d] = x[b,l,d] / sqrt(sum over e of x[b,l,e]^2 / Din + norm_epsilon) * weight[d]
//                                                                     1 + weight[d] with norm_plus_one
//
// in    x [B, L, Din]   weight [Din]
// out   x_normed   [B, L, Din]
//       x_residual [B, L, Din]  x itself, which goes on beside: a view
// cost  B * L * Din * 3
// from  Zhang, Sennrich 2019; before attention: Touvron et al. 2023 (LLaMA), section 2.2
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

enum { IN_X, IN_WEIGHT };
enum { OUT_NORMED, OUT_RESIDUAL };

// Of one token: x[d] lies at row[d * stride].
static float root_mean_square(const float *row, ptrdiff_t stride, ptrdiff_t width, float epsilon)
{
    // A square has no sign: this measures
    // how long the token is.
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < width; d++)
        sum = fmaf(row[d * stride], row[d * stride], sum);
    return sqrtf(sum / (float)width + epsilon);
}

// With norm_plus_one, a weight of 0 leaves all as it is.
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
            // No mean is taken away, so all
            // numbers shrink or grow alike, and
            // before the weight the token keeps
            // its direction.
            for (ptrdiff_t d = 0; d < width; d++)
                *tensor_at3(x_normed, b, l, d) =
                    *tensor_at3(x, b, l, d) / rms * factor_of(weight, d, plus_one);
        }
}

static bool rms_norm_run(StageArgs *args, Error *err)
{
    (void)err;
    args->out[OUT_RESIDUAL] = args->in[IN_X];
    rms_norm(&args->in[IN_X], &args->in[IN_WEIGHT], args->options->norm_epsilon,
             args->options->norm_plus_one, &args->out[OUT_NORMED]);
    return true;
}

static void rms_norm_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "norm_epsilon = %g", (double)options->norm_epsilon);
}

static void tell_squares(const StageArgs *args, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    float squares = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_X].shape[2]; d++) {
        float x = *tensor_at3(&args->in[IN_X], at[0], at[1], d);
        squares = fmaf(x, x, squares);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(NORM_SQUARE),
                               .source_count = 1,
                               .sources = {{IN_X, {at[0], at[1], d}}},
                               .value = x * x,
                               .running = squares});
    }
}

// All numbers of the token first, for the root; then the one that is asked about is divided
// by it.
static void rms_norm_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                            void *context)
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
    float rms = root_mean_square(tensor_at3(x, at[0], at[1], 0), x->stride[2], x->shape[2],
                                 args->options->norm_epsilon);
    tell_squares(args, at, visit, context);
    visit(context, &(Term){.what = TELL(NORM_ROOT), .value = rms, .running = rms});
    visit(context, &(Term){.what = TELL(NORM_DIVIDED),
                           .source_count = 1,
                           .sources = {own},
                           .value = value / rms,
                           .running = value / rms});
    visit(context,
          &(Term){.kind = TERM_FACTOR,
                  .what = TELL(NORM_WEIGHT),
                  .source_count = 1,
                  .sources = {{IN_WEIGHT, {at[2]}}},
                  .value = value / rms,
                  .running = value / rms *
                             factor_of(&args->in[IN_WEIGHT], at[2], args->options->norm_plus_one)});
}

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
    .main_output = OUT_NORMED,
    .calls =
        {{
             .reads = {{.role = "x", .axes = "B L Din"}, {.role = "norm.weight", .axes = "Din"}},
             .writes =
                 {{.role = "x", .tensor = "x_normed", .axes = "B L Din"},
                  {.role = "residual", .tensor = "x_residual", .axes = "B L Din", .is_view = true}},
         },
         {
             .label = "queries",
             .torch = "residual, x_query = x_query, rms_norm(x_query)",
             .reads = {{.role = "x_query", .axes = "B Lq Dq"},
                       {.role = "query_norm.weight", .axes = "Dq"}},
             .writes = {{.role = "x_query", .tensor = "x_query_normed", .axes = "B Lq Dq"},
                        {.role = "residual",
                         .tensor = "x_query_residual",
                         .axes = "B Lq Dq",
                         .is_view = true}},
         },
         {
             .label = "feed_forward",
             .turn = 1,
             .torch = "residual, x = output, rms_norm(output)",
             .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                       {.role = "norm_2.weight", .axes = "Dout"}},
             .writes = {{.role = "feed", .tensor = "ff_normed", .axes = "B Lq Dout"},
                        {.role = "residual",
                         .tensor = "ff_residual",
                         .axes = "B Lq Dout",
                         .is_view = true}},
         },
         {
             .label = "behind_attention",
             .turn = 1,
             .torch = "output = rms_norm(output)",
             .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                       {.role = "post_norm.weight", .axes = "Dout"}},
             .writes = {{.role = "output", .tensor = "x_attended", .axes = "B Lq Dout"}},
         },
         {
             .label = "behind_feed_forward",
             .turn = 2,
             .torch = "output = rms_norm(output)",
             .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                       {.role = "post_norm_2.weight", .axes = "Dout"}},
             .writes =
                 {{.role = "output", .tensor = "output_normed", .axes = "B Lq Dout", .alias = "x"}},
         },
         {
             .label = "final",
             .turn = 3,
             .torch = "output = rms_norm(output)",
             .reads = {{.role = "output", .axes = "B Lq Dout", .alias = "x"},
                       {.role = "final_norm.weight", .axes = "Dout"}},
             .writes = {{.role = "output", .tensor = "final_normed", .axes = "B Lq Dout"}},
         }},
    .options = OPTION(rms_norm) | OPTION(norm_epsilon) | OPTION(norm_plus_one) | OPTION(post_norm),
    .needs = OPTION(rms_norm),
    .settings = rms_norm_settings,
    .loop = "root_mean_square",
    .terms = {[TERM_ADD] = "sum = fmaf(", [TERM_FACTOR] = "/ rms *"},
    .run = rms_norm_run,
    .origin = rms_norm_origin,
};
