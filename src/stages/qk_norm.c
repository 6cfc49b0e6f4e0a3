// QK norm: brings queries and keys to a mean square of 1, then to a scale that was learned. However long
// they have grown, their scores stay small.
//
//   q_normed[b,h,l,i] = q[b,h,l,i] / sqrt(sum over e of q[b,h,l,e]^2 / d_k + norm_epsilon) * weight[i]
//                                                                      1 + weight[i] with norm_plus_one
//
// in    q [B, H, L, d_k]   weight [d_k]   each head by itself
//       or, with qk_norm_across, before heads are split:
//       q [B, L, Dk]       weight [Dk]    all heads of a token together
// out   q_normed, as q
// cost  B * L * Dk * 3
// from  Dehghani et al. 2023 (ViT-22B), section 2; a head by itself: Qwen3, Gemma 3; across: OLMo 2
#include "stage.h"

#include <math.h>
#include <stdio.h>
#include "stages_words.h"

enum { IN_Q, IN_WEIGHT };

// Of one token, in one head or in all: q[i] lies at row[i * stride].
static float root_mean_square(const float *row, ptrdiff_t stride, ptrdiff_t width, float epsilon)
{
    // How long the query is, however it
    // points.
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < width; i++)
        sum = fmaf(row[i * stride], row[i * stride], sum);
    return sqrtf(sum / (float)width + epsilon);
}

static float factor_of(const Tensor *weight, ptrdiff_t i, bool plus_one)
{
    return plus_one ? 1.0f + *tensor_at1(weight, i) : *tensor_at1(weight, i);
}

static float *row_of(const Tensor *q, ptrdiff_t b, ptrdiff_t h, ptrdiff_t l)
{
    return q->rank == 4 ? tensor_at4(q, b, h, l, 0) : tensor_at3(q, b, l, 0);
}

static void qk_norm(const Tensor *q, const Tensor *weight, float epsilon, bool plus_one,
                    Tensor *q_normed)
{
    int last = q->rank - 1;
    ptrdiff_t heads = q->rank == 4 ? q->shape[1] : 1, width = q->shape[last];
    ptrdiff_t stride = q->stride[last], out_stride = q_normed->stride[last];
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < heads; h++)
            for (ptrdiff_t l = 0; l < q->shape[last - 1]; l++) {
                const float *row = row_of(q, b, h, l);
                float *normed = row_of(q_normed, b, h, l);
                float rms = root_mean_square(row, stride, width, epsilon);
                // A score is now a cosine, as far
                // as the weight leaves all numbers
                // alike.
                for (ptrdiff_t i = 0; i < width; i++)
                    normed[i * out_stride] = row[i * stride] / rms * factor_of(weight, i, plus_one);
            }
}

static bool qk_norm_run(StageArgs *args, Error *err)
{
    (void)err;
    qk_norm(&args->in[IN_Q], &args->in[IN_WEIGHT], args->options->norm_epsilon,
            args->options->norm_plus_one, &args->out[0]);
    return true;
}

static void qk_norm_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "norm_epsilon = %g", (double)options->norm_epsilon);
}

// Element `i` of the row that `at` lies in.
static Source source_of(const Tensor *q, const ptrdiff_t at[], ptrdiff_t i)
{
    Source source = {IN_Q, {0}};
    for (int axis = 0; axis < q->rank - 1; axis++)
        source.at[axis] = at[axis];
    source.at[q->rank - 1] = i;
    return source;
}

// All numbers of the row first, for the root; then the one that is asked about is divided by it.
static void qk_norm_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                           void *context)
{
    (void)slot;
    const Tensor *q = &args->in[IN_Q], *weight = &args->in[IN_WEIGHT];
    int last = q->rank - 1;
    const float *row = q->rank == 4 ? row_of(q, at[0], at[1], at[2]) : row_of(q, at[0], 0, at[1]);
    ptrdiff_t stride = q->stride[last], width = q->shape[last];
    float squares = 0.0f, own = row[at[last] * stride];
    for (ptrdiff_t i = 0; i < width; i++) {
        float number = row[i * stride];
        squares = fmaf(number, number, squares);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(NORM_SQUARE),
                               .source_count = 1,
                               .sources = {source_of(q, at, i)},
                               .value = number * number,
                               .running = squares});
    }
    float rms = root_mean_square(row, stride, width, args->options->norm_epsilon);
    visit(context, &(Term){.what = TELL(NORM_ROOT), .value = rms, .running = rms});
    visit(context, &(Term){.what = TELL(NORM_DIVIDED),
                           .source_count = 1,
                           .sources = {source_of(q, at, at[last])},
                           .value = own / rms,
                           .running = own / rms});
    float factor = factor_of(weight, at[last], args->options->norm_plus_one);
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(NORM_WEIGHT),
                           .source_count = 1,
                           .sources = {{IN_WEIGHT, {at[last]}}},
                           .value = own / rms,
                           .running = own / rms * factor});
}

const Stage stage_qk_norm = {
    .name = "qk_norm",
    .formula = "q_normed[b,h,l,i] = q[b,h,l,i] / sqrt(mean_e q[b,h,l,e]^2 + norm_epsilon) * "
               "(norm_plus_one + weight[i])",
    .torch = "q = q * torch.rsqrt(q.pow(2).mean(-1, keepdim=True) + eps) * weight",
    .source = "Dehghani et al. 2023 (ViT-22B), section 2",
    .calls =
        {{.label = "q",
          .turn = 1,
          .reads = {{.role = "q", .axes = "B H Lq d_k"}, {.role = "q_norm.weight", .axes = "d_k"}},
          .writes = {{.role = "q", .tensor = "q_normed", .axes = "B H Lq d_k"}}},
         {.label = "k",
          .formula = "k_normed[b,h,l,i] = k[b,h,l,i] / sqrt(mean_e k[b,h,l,e]^2 + norm_epsilon) * "
                     "(norm_plus_one + weight[i])",
          .torch = "k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + eps) * weight",
          .turn = 1,
          .reads = {{.role = "k", .axes = "B G Lt d_k"}, {.role = "k_norm.weight", .axes = "d_k"}},
          .writes = {{.role = "k", .tensor = "k_normed", .axes = "B G Lt d_k"}}},
         {.label = "q",
          .formula = "q_normed[b,l,i] = q[b,l,i] / sqrt(mean_e q[b,l,e]^2 + norm_epsilon) * "
                     "(norm_plus_one + weight[i])",
          .reads = {{.role = "q", .axes = "B Lq Dk"},
                    {.role = "q_norm.across", .alias = "weight", .axes = "Dk"}},
          .writes = {{.role = "q", .tensor = "q_normed", .axes = "B Lq Dk"}}},
         {.label = "k",
          .formula = "k_normed[b,l,i] = k[b,l,i] / sqrt(mean_e k[b,l,e]^2 + norm_epsilon) * "
                     "(norm_plus_one + weight[i])",
          .torch = "k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + eps) * weight",
          .reads = {{.role = "k", .axes = "B Lt Gk"},
                    {.role = "k_norm.across", .alias = "weight", .axes = "Gk"}},
          .writes = {{.role = "k", .tensor = "k_normed", .axes = "B Lt Gk"}}}},
    .options =
        OPTION(qk_norm) | OPTION(qk_norm_across) | OPTION(norm_epsilon) | OPTION(norm_plus_one),
    .needs = OPTION(qk_norm),
    .settings = qk_norm_settings,
    .loop = "root_mean_square",
    .terms = {[TERM_ADD] = "sum = fmaf(", [TERM_FACTOR] = "/ rms *"},
    .run = qk_norm_run,
    .origin = qk_norm_origin,
};
