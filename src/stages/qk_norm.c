// The norm of queries and keys, and its gradients.
#include <math.h>
#include <stdio.h>
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- qk_norm
//
// QK norm: brings queries and keys to a mean square of 1, then to a learned scale. However long they
// grow, their scores stay small.
//
//   q_normed[b,h,l,i] = q[b,h,l,i] / sqrt(sum over e of q[b,h,l,e]^2 / d_k + norm_epsilon) * weight[i]
//                                                                      1 + weight[i] with norm_plus_one
//
// in    q [B, H, L, d_k]   weight [d_k]   each head separately
//       or, with qk_norm_across, before heads are split:
//       q [B, L, Dk]       weight [Dk]    all heads of a token together
// out   q_normed, as q
// cost  B * L * Dk * 3
// from  Dehghani et al. 2023 (ViT-22B), section 2; per head: Qwen3, Gemma 3; across heads: OLMo 2

enum { QK_NORM_IN_Q, QK_NORM_IN_WEIGHT };

// Of one token, in one head or in all: q[i] lies at row[i * stride].
static float qk_root_mean_square(const float *row, ptrdiff_t stride, ptrdiff_t width, float epsilon)
{
    // The query's length, whatever its
    // direction.
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < width; i++)
        sum = fmaf(row[i * stride], row[i * stride], sum);
    return sqrtf(sum / (float)width + epsilon);
}

static float qk_factor(const Tensor *weight, ptrdiff_t i, bool plus_one)
{
    return plus_one ? 1.0f + *tensor_at1(weight, i) : *tensor_at1(weight, i);
}

static ptrdiff_t qk_heads(const Tensor *q)
{
    return q->rank == 4 ? q->shape[1] : 1;
}

// The number that a row has: its root, or how much it would stretch.
static float *qk_of_row(const Tensor *rows, ptrdiff_t b, ptrdiff_t h, ptrdiff_t l)
{
    return rows->rank == 3 ? tensor_at3(rows, b, h, l) : tensor_at2(rows, b, l);
}

static float *qk_at(const Tensor *q, ptrdiff_t b, ptrdiff_t h, ptrdiff_t l, ptrdiff_t i)
{
    return q->rank == 4 ? tensor_at4(q, b, h, l, i) : tensor_at3(q, b, l, i);
}

static void qk_norm(const Tensor *q, const Tensor *weight, float epsilon, bool plus_one,
                    Tensor *q_normed)
{
    int last = q->rank - 1;
    ptrdiff_t heads = qk_heads(q), width = q->shape[last];
    ptrdiff_t stride = q->stride[last], out_stride = q_normed->stride[last];
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < heads; h++)
            for (ptrdiff_t l = 0; l < q->shape[last - 1]; l++) {
                const float *row = qk_at(q, b, h, l, 0);
                float *normed = qk_at(q_normed, b, h, l, 0);
                float rms = qk_root_mean_square(row, stride, width, epsilon);
                // A score is now a cosine, times
                // d_k, if the weight is the same
                // for all numbers.
                for (ptrdiff_t i = 0; i < width; i++)
                    normed[i * out_stride] = row[i * stride] / rms * qk_factor(weight, i, plus_one);
            }
}

static bool qk_norm_run(StageArgs *args, Error *err)
{
    qk_norm(&args->in[QK_NORM_IN_Q], &args->in[QK_NORM_IN_WEIGHT], args->options->norm_epsilon,
            args->options->norm_plus_one, &args->out[0]);
    return true;
}

static void qk_norm_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, "norm_epsilon = %g, norm_plus_one = %d",
             (double)options->norm_epsilon, options->norm_plus_one);
}

// Element `i` of the row that `at` lies in.
static Source source_of(const Tensor *q, const ptrdiff_t at[], ptrdiff_t i)
{
    Source source = {QK_NORM_IN_Q, {0}};
    for (int axis = 0; axis < q->rank - 1; axis++)
        source.at[axis] = at[axis];
    source.at[q->rank - 1] = i;
    return source;
}

// All numbers of the row that `at` lies in, or whose root is there; returns the root.
static float emit_root(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *q = &terms->args->in[QK_NORM_IN_Q];
    const float *row =
        q->rank == 4 ? qk_at(q, at[0], at[1], at[2], 0) : qk_at(q, at[0], 0, at[1], 0);
    ptrdiff_t stride = q->stride[q->rank - 1], width = q->shape[q->rank - 1];
    for (ptrdiff_t i = 0; i < width; i++) {
        float number = row[i * stride];
        term_one(terms, TERM_ADD, TELL(NORM_SQUARE), source_of(q, at, i), number * number,
                 fmaf(number, number, terms->running));
    }
    float rms = qk_root_mean_square(row, stride, width, terms->args->options->norm_epsilon);
    term_rule(terms, TELL(NORM_ROOT), rms, rms);
    return rms;
}

// First the root of the row; then the element's own input is divided by it.
static void qk_norm_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t i = at[args->in[QK_NORM_IN_Q].rank - 1];
    Source source = term_here(terms, QK_NORM_IN_Q, at);
    float rms = emit_root(terms, at);
    float own = term_number(terms, source) / rms;
    term_one(terms, TERM_RULE, TELL(NORM_DIVIDED), source, own, own);
    float factor = qk_factor(&args->in[QK_NORM_IN_WEIGHT], i, args->options->norm_plus_one);
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), SOURCE(QK_NORM_IN_WEIGHT, i), own,
             own * factor);
}

const Stage stage_qk_norm = {
    .name = "qk_norm",
    .formula = "q_normed[b,h,l,i] = q[b,h,l,i] / sqrt(mean_e q[b,h,l,e]^2 + norm_epsilon) * "
               "(norm_plus_one + weight[i])",
    .torch =
        "q = q * torch.rsqrt(q.pow(2).mean(-1, keepdim=True) + eps) * (norm_plus_one + weight)",
    .source = "Dehghani et al. 2023 (ViT-22B), section 2",
    .calls = {{.label = "q",
               .turn = 1,
               .reads = {SLOT("q", "B H Lq d_k"), SLOT("q_norm.weight", "d_k")},
               .writes = {NAMED_SLOT("q", "q_normed", "B H Lq d_k")}},
              {.label = "k",
               .formula =
                   "k_normed[b,h,l,i] = k[b,h,l,i] / sqrt(mean_e k[b,h,l,e]^2 + norm_epsilon) * "
                   "(norm_plus_one + weight[i])",
               .torch = "k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + eps) * "
                        "(norm_plus_one + weight)",
               .turn = 1,
               .reads = {SLOT("k", "B G Lt d_k"), SLOT("k_norm.weight", "d_k")},
               .writes = {NAMED_SLOT("k", "k_normed", "B G Lt d_k")}},
              {.label = "q_across",
               .formula = "q_normed[b,l,i] = q[b,l,i] / sqrt(mean_e q[b,l,e]^2 + norm_epsilon) * "
                          "(norm_plus_one + weight[i])",
               .reads = {SLOT("q", "B Lq Dk"), SLOT("q_norm.across", "Dk", .alias = "weight")},
               .writes = {NAMED_SLOT("q", "q_normed", "B Lq Dk")}},
              {.label = "k_across",
               .formula = "k_normed[b,l,i] = k[b,l,i] / sqrt(mean_e k[b,l,e]^2 + norm_epsilon) * "
                          "(norm_plus_one + weight[i])",
               .torch = "k = k * torch.rsqrt(k.pow(2).mean(-1, keepdim=True) + eps) * "
                        "(norm_plus_one + weight)",
               .reads = {SLOT("k", "B Lt Gk"), SLOT("k_norm.across", "Gk", .alias = "weight")},
               .writes = {NAMED_SLOT("k", "k_normed", "B Lt Gk")}}},
    .options =
        OPTION(qk_norm) | OPTION(qk_norm_across) | OPTION(norm_epsilon) | OPTION(norm_plus_one),
    .needs = OPTION(qk_norm),
    .settings = qk_norm_settings,
    .loop = "qk_root_mean_square",
    .terms = {[TERM_ADD] = "sum = fmaf(", [TERM_FACTOR] = "/ rms *"},
    .run = qk_norm_run,
    .origin = qk_norm_origin,
};

// --- qk_norm_again
//
// QK norm again: the backward pass needs queries and keys at a mean square of 1, and what they were divided
// by. The forward pass kept neither; both are made once more.
//
//   normed[b,h,l,i] = q[b,h,l,i] / rms[b,h,l]
//   rms[b,h,l]      = sqrt(sum over e of q[b,h,l,e]^2 / d_k + norm_epsilon)
//
// in    q [B, H, L, d_k]; with qk_norm_across [B, L, Dk], and so below: all without h
// out   normed [B, H, L, d_k]   rms [B, H, L]
// cost  B * L * Dk * 2
// from  Zhang, Sennrich 2019; Dehghani et al. 2023 (ViT-22B), section 2

enum { QK_NORM_AGAIN_OUT_NORMED, QK_NORM_AGAIN_OUT_RMS };

static void qk_norm_again(const Tensor *q, float epsilon, Tensor *normed, Tensor *roots)
{
    ptrdiff_t width = q->shape[q->rank - 1], stride = q->stride[q->rank - 1];
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < qk_heads(q); h++)
            for (ptrdiff_t l = 0; l < q->shape[q->rank - 2]; l++) {
                float rms = qk_root_mean_square(qk_at(q, b, h, l, 0), stride, width, epsilon);
                *qk_of_row(roots, b, h, l) = rms;
                // Before the learned weight: after
                // it, a weight of 0 would hide the
                // number.
                for (ptrdiff_t i = 0; i < width; i++)
                    *qk_at(normed, b, h, l, i) = *qk_at(q, b, h, l, i) / rms;
            }
}

static bool qk_norm_again_run(StageArgs *args, Error *err)
{
    qk_norm_again(&args->in[QK_NORM_IN_Q], args->options->norm_epsilon,
                  &args->out[QK_NORM_AGAIN_OUT_NORMED], &args->out[QK_NORM_AGAIN_OUT_RMS]);
    return true;
}

// As in the forward pass, without the learned part; the root ends where the element would follow.
static void qk_norm_again_origin(Terms *terms, const ptrdiff_t at[])
{
    float rms = emit_root(terms, at);
    if (terms->slot == QK_NORM_AGAIN_OUT_RMS)
        return;
    Source own = term_here(terms, QK_NORM_IN_Q, at);
    float divided = term_number(terms, own) / rms;
    term_one(terms, TERM_RULE, TELL(NORM_DIVIDED), own, divided, divided);
}

// The calls: label, role, the axes of rows and of what is in one, the weight, and the index of a row, forwards
// and backwards.
#define QK_CALLS(CALL) \
    CALL("q", "q", "B H Lq", "d_k", "q_norm.weight", "b,h,l", "l,h,b") \
    CALL("k", "k", "B G Lt", "d_k", "k_norm.weight", "b,h,l", "l,h,b") \
    CALL("q_across", "q", "B Lq", "Dk", "q_norm.across", "b,l", "l,b") \
    CALL("k_across", "k", "B Lt", "Gk", "k_norm.across", "b,l", "l,b")

#define QK_AGAIN_CALL(name, q, rows, width, weight_, row, sum) \
    {.label = name, \
     .of = "qk_norm", \
     .formula = \
         "normed[" row ",i] = " q "[" row ",i] / sqrt(mean_e " q "[" row ",e]^2 + norm_epsilon)", \
     .where = "rms[" row "] = sqrt(mean_e " q "[" row ",e]^2 + norm_epsilon)", \
     .torch = "rms = (" q ".pow(2).mean(-1) + eps).sqrt(); normed = " q " / rms[..., None]", \
     .reads = {SLOT(q, rows " " width, .from_before = true)}, \
     .writes = {NAMED_SLOT("normed", q "_norm.normed", rows " " width), \
                NAMED_SLOT("rms", q "_norm.rms", rows)}},

SHOW_OPTION(qk_norm_again_settings, norm_epsilon, "%g", double)

const Stage stage_qk_norm_again = {
    .name = "qk_norm_again",
    .formula = "normed[b,h,l,i] = q[b,h,l,i] / sqrt(mean_e q[b,h,l,e]^2 + norm_epsilon)",
    .source = "Zhang, Sennrich 2019",
    .calls = {QK_CALLS(QK_AGAIN_CALL)},
    .options = OPTION(norm_epsilon),
    .settings = qk_norm_again_settings,
    .terms = {[TERM_ADD] = "qk_root_mean_square("},
    .run = qk_norm_again_run,
    .origin = qk_norm_again_origin,
};

// --- qk_norm_backward_weight
//
// QK norm, backward: the gradient of the learned scale.
//
//   grad.weight[i] = sum over b, then h, then l, of grad.q_normed[b,h,l,i] * normed[b,h,l,i]
//
// in    grad.q_normed [B, H, L, d_k]   normed [B, H, L, d_k]  of qk_norm_again
// out   grad.weight [d_k]  heads share it; of grouped keys each group counts once
// cost  B * L * Dk multiply-adds
// from  d (n * w) / dw = n

static void qk_norm_backward_weight(const Tensor *grad_out, const Tensor *normed,
                                    Tensor *grad_weight)
{
    for (ptrdiff_t i = 0; i < grad_weight->shape[0]; i++) {
        // All tokens share weight[i], and so do
        // all heads.
        float sum = 0.0f;
        for (ptrdiff_t b = 0; b < normed->shape[0]; b++)
            for (ptrdiff_t h = 0; h < qk_heads(normed); h++)
                for (ptrdiff_t l = 0; l < normed->shape[normed->rank - 2]; l++)
                    sum = fmaf(*qk_at(grad_out, b, h, l, i), *qk_at(normed, b, h, l, i), sum);
        *tensor_at1(grad_weight, i) = sum;
    }
}

RUN_ON_TWO(qk_norm_backward_weight)

// An element of a row, in a tensor of either rank.
static Source qk_source(const Tensor *q, int slot, const ptrdiff_t row[3], ptrdiff_t i)
{
    return q->rank == 4 ? SOURCE(slot, row[0], row[1], row[2], i) : SOURCE(slot, row[0], row[2], i);
}

#define QK_WEIGHT_CALL(name, q, rows, width, weight_, row, sum) \
    {.label = name, \
     .of = "qk_norm", \
     .formula = "grad_weight[i] = sum_" sum " grad_out[" row ",i] * normed[" row ",i]", \
     .reads = {SLOT("grad." q, rows " " width, .alias = "grad_out"), \
               SLOT("normed", rows " " width)}, \
     .writes = { \
         NAMED_SLOT("grad." weight_, "grad." q "_norm.weight", width, .alias = "grad_weight")}},

const Stage stage_qk_norm_backward_weight = {
    .name = "qk_norm_backward_weight",
    .formula = "grad_weight[i] = sum_l,h,b grad_out[b,h,l,i] * normed[b,h,l,i]",
    .torch = "grad_weight = (grad_out * normed).flatten(0, -2).sum(0)",
    .source = "Dehghani et al. 2023 (ViT-22B), section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {QK_CALLS(QK_WEIGHT_CALL)},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = qk_norm_backward_weight_run,
};

// --- qk_norm_backward_normed
//
// QK norm, backward: the gradient before the learned scale.
//
//   grad_normed[b,h,l,i] = grad.q_normed[b,h,l,i] * weight[i]           1 + weight[i] with norm_plus_one
//
// in    grad.q_normed [B, H, L, d_k]   weight [d_k]
// out   grad_normed [B, H, L, d_k]
// cost  B * L * Dk multiplications
// from  d (n * w) / dn = w

enum { QK_NORM_BACKWARD_NORMED_IN_GRAD, QK_NORM_BACKWARD_NORMED_IN_WEIGHT };

static void qk_norm_backward_normed(const Tensor *grad_out, const Tensor *weight, bool plus_one,
                                    Tensor *grad_normed)
{
    const Tensor *q = grad_out;
    for (ptrdiff_t b = 0; b < q->shape[0]; b++)
        for (ptrdiff_t h = 0; h < qk_heads(q); h++)
            for (ptrdiff_t l = 0; l < q->shape[q->rank - 2]; l++)
                for (ptrdiff_t i = 0; i < weight->shape[0]; i++)
                    // The scale that stretched number
                    // i stretches its gradient.
                    *qk_at(grad_normed, b, h, l, i) =
                        *qk_at(grad_out, b, h, l, i) * qk_factor(weight, i, plus_one);
}

static bool qk_norm_backward_normed_run(StageArgs *args, Error *err)
{
    qk_norm_backward_normed(&args->in[QK_NORM_BACKWARD_NORMED_IN_GRAD],
                            &args->in[QK_NORM_BACKWARD_NORMED_IN_WEIGHT],
                            args->options->norm_plus_one, &args->out[0]);
    return true;
}

static void qk_norm_backward_normed_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *weight = &terms->args->in[QK_NORM_BACKWARD_NORMED_IN_WEIGHT];
    ptrdiff_t i = at[terms->args->out[0].rank - 1];
    float factor = qk_factor(weight, i, terms->args->options->norm_plus_one);
    term_copy(terms, TERM_COPY, TELL(NORM_GRADIENT),
              term_here(terms, QK_NORM_BACKWARD_NORMED_IN_GRAD, at));
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), SOURCE(QK_NORM_BACKWARD_NORMED_IN_WEIGHT, i),
             factor, terms->running * factor);
}

#define QK_NORMED_CALL(name, q, rows, width, weight_, row, sum) \
    {.label = name, \
     .of = "qk_norm", \
     .formula = "grad_normed[" row ",i] = grad_out[" row ",i] * (norm_plus_one + weight[i])", \
     .reads = {SLOT("grad." q, rows " " width, .alias = "grad_out"), \
               SLOT(weight_, width, .alias = "weight")}, \
     .writes = {NAMED_SLOT("grad_normed", "grad." q "_norm.normed", rows " " width)}},

SHOW_OPTION(qk_norm_backward_normed_settings, norm_plus_one, "%d", int)

const Stage stage_qk_norm_backward_normed = {
    .name = "qk_norm_backward_normed",
    .formula = "grad_normed[b,h,l,i] = grad_out[b,h,l,i] * (norm_plus_one + weight[i])",
    .torch = "grad_normed = grad_out * (norm_plus_one + weight)",
    .source = "Dehghani et al. 2023 (ViT-22B), section 2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {QK_CALLS(QK_NORMED_CALL)},
    .options = OPTION(norm_plus_one),
    .settings = qk_norm_backward_normed_settings,
    .terms = {[TERM_FACTOR] = "* qk_factor("},
    .run = qk_norm_backward_normed_run,
    .origin = qk_norm_backward_normed_origin,
};

// --- qk_norm_backward_stretch
//
// QK norm, backward: how much the gradients of a query or key would stretch it as a whole. The norm brings
// all of them to the same length, so that has no effect.
//
//   stretch[b,h,l] = sum over i of grad_normed[b,h,l,i] * normed[b,h,l,i] / d_k
//
// in    grad_normed [B, H, L, d_k]   normed [B, H, L, d_k]
// out   stretch [B, H, L]
// cost  B * L * Dk multiply-adds
// from  Ba, Kiros, Hinton 2016, section 5.1: invariant when a row is scaled as a whole

enum { QK_NORM_BACKWARD_STRETCH_IN_GRAD, QK_NORM_BACKWARD_STRETCH_IN_NORMED };

static void qk_norm_backward_stretch(const Tensor *grad_normed, const Tensor *normed,
                                     Tensor *stretch)
{
    ptrdiff_t width = normed->shape[normed->rank - 1];
    for (ptrdiff_t b = 0; b < normed->shape[0]; b++)
        for (ptrdiff_t h = 0; h < qk_heads(normed); h++)
            for (ptrdiff_t l = 0; l < normed->shape[normed->rank - 2]; l++) {
                // How far the gradient points along
                // the query itself.
                float sum = 0.0f;
                for (ptrdiff_t i = 0; i < width; i++)
                    sum = fmaf(*qk_at(grad_normed, b, h, l, i), *qk_at(normed, b, h, l, i), sum);
                *qk_of_row(stretch, b, h, l) = sum / (float)width;
            }
}

RUN_ON_TWO(qk_norm_backward_stretch)

static void qk_norm_backward_stretch_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *normed = &terms->args->in[QK_NORM_BACKWARD_STRETCH_IN_NORMED];
    ptrdiff_t width = normed->shape[normed->rank - 1];
    bool has_heads = normed->rank == 4;
    const ptrdiff_t row[3] = {at[0], has_heads ? at[1] : 0, has_heads ? at[2] : at[1]};
    for (ptrdiff_t i = 0; i < width; i++)
        term_product(terms, qk_source(normed, QK_NORM_BACKWARD_STRETCH_IN_GRAD, row, i),
                     qk_source(normed, QK_NORM_BACKWARD_STRETCH_IN_NORMED, row, i));
    term_none(terms, TERM_DIVIDE, TELL(NORM_MEAN), (float)width, terms->running / (float)width);
}

#define QK_STRETCH_CALL(name, q, rows, width, weight_, row, sum) \
    {.label = name, \
     .of = "qk_norm", \
     .formula = "stretch[" row "] = mean_i grad_normed[" row ",i] * normed[" row ",i]", \
     .reads = {SLOT("grad_normed", rows " " width), SLOT("normed", rows " " width)}, \
     .writes = {NAMED_SLOT("stretch", q "_norm.stretch", rows)}},

const Stage stage_qk_norm_backward_stretch = {
    .name = "qk_norm_backward_stretch",
    .formula = "stretch[b,h,l] = mean_i grad_normed[b,h,l,i] * normed[b,h,l,i]",
    .torch = "stretch = (grad_normed * normed).mean(-1)",
    .source = "Ba, Kiros, Hinton 2016, section 5.1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {QK_CALLS(QK_STRETCH_CALL)},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_DIVIDE] = "/ (float)width"},
    .run = qk_norm_backward_stretch_run,
    .origin = qk_norm_backward_stretch_origin,
};

// --- qk_norm_backward
//
// QK norm, backward: the gradient of queries and keys. What would only stretch one is taken away; what is
// left grows as it shrinks.
//
//   grad.q[b,h,l,i] = (grad_normed[b,h,l,i] - normed[b,h,l,i] * stretch[b,h,l]) / rms[b,h,l]
//
// in    grad_normed [B, H, L, d_k]   normed [B, H, L, d_k]   stretch [B, H, L]   rms [B, H, L]
// out   grad.q [B, H, L, d_k]  at a right angle to the query but for rounding and norm_epsilon
// cost  B * L * Dk * 3
// from  Zhang, Sennrich 2019, section 4.2

enum {
    QK_NORM_BACKWARD_IN_GRAD,
    QK_NORM_BACKWARD_IN_NORMED,
    QK_NORM_BACKWARD_IN_STRETCH,
    QK_NORM_BACKWARD_IN_RMS
};

static void qk_norm_backward(const Tensor in[], Tensor *grad_q)
{
    const Tensor *normed = &in[QK_NORM_BACKWARD_IN_NORMED];
    ptrdiff_t width = normed->shape[normed->rank - 1];
    for (ptrdiff_t b = 0; b < normed->shape[0]; b++)
        for (ptrdiff_t h = 0; h < qk_heads(normed); h++)
            for (ptrdiff_t l = 0; l < normed->shape[normed->rank - 2]; l++) {
                float stretch = *qk_of_row(&in[QK_NORM_BACKWARD_IN_STRETCH], b, h, l);
                float rms = *qk_of_row(&in[QK_NORM_BACKWARD_IN_RMS], b, h, l);
                for (ptrdiff_t i = 0; i < width; i++) {
                    // A longer query has the same
                    // scores after the norm.
                    float along = *qk_at(normed, b, h, l, i) * stretch;
                    *qk_at(grad_q, b, h, l, i) =
                        (*qk_at(&in[QK_NORM_BACKWARD_IN_GRAD], b, h, l, i) - along) / rms;
                }
            }
}

static bool qk_norm_backward_run(StageArgs *args, Error *err)
{
    qk_norm_backward(args->in, &args->out[0]);
    return true;
}

static void qk_norm_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    bool has_heads = terms->args->out[0].rank == 4;
    Source normed = term_here(terms, QK_NORM_BACKWARD_IN_NORMED, at);
    Source stretch = SOURCE(QK_NORM_BACKWARD_IN_STRETCH, at[0], at[1], has_heads ? at[2] : 0);
    Source root = {QK_NORM_BACKWARD_IN_RMS, {at[0], at[1], has_heads ? at[2] : 0}};
    float along = term_number(terms, normed) * term_number(terms, stretch);
    float rms = term_number(terms, root);
    term_copy(terms, TERM_COPY, TELL(NORM_GRADIENT),
              term_here(terms, QK_NORM_BACKWARD_IN_GRAD, at));
    term_two(terms, TERM_SUBTRACT, TELL(NORM_MINUS_STRETCH), (SourcePair){normed, stretch}, along,
             terms->running - along);
    term_one(terms, TERM_DIVIDE, TELL(NORM_DIVIDED_ALIKE), root, rms, terms->running / rms);
}

#define QK_BACKWARD_CALL(name, q, rows, width, weight_, row, sum) \
    {.label = name, \
     .of = "qk_norm", \
     .formula = "grad_" q "[" row ",i] = (grad_normed[" row ",i] - normed[" row \
                ",i] * stretch[" row "]) / rms[" row "]", \
     .torch = "grad_" q " = (grad_normed - normed * stretch[..., None]) / rms[..., None]", \
     .reads = {SLOT("grad_normed", rows " " width), SLOT("normed", rows " " width), \
               SLOT("stretch", rows), SLOT("rms", rows)}, \
     .writes = {NAMED_SLOT("grad." q, "grad." q, rows " " width)}},

const Stage stage_qk_norm_backward = {
    .name = "qk_norm_backward",
    .formula = "grad_q[b,h,l,i] = (grad_normed[b,h,l,i] - normed[b,h,l,i] * stretch[b,h,l]) / "
               "rms[b,h,l]",
    .torch = "grad_q = (grad_normed - normed * stretch[..., None]) / rms[..., None]",
    .source = "Zhang, Sennrich 2019, section 4.2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {QK_CALLS(QK_BACKWARD_CALL)},
    .terms = {[TERM_SUBTRACT] = "- along", [TERM_DIVIDE] = "/ rms"},
    .run = qk_norm_backward_run,
    .origin = qk_norm_backward_origin,
};
