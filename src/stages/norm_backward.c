// The gradients of norms, on their way from the normed numbers to the token and to the learned weights.
#include <math.h>
#include "describe.h"
#include "norms.h"
#include "stage.h"
#include "stages_words.def"

// --- norm_backward_weight
//
// Norms, backward: the gradient of the learned scale.
//
//   grad.weight[d] = sum over b, then l, of grad.out[b,l,d] * normed[b,l,d]
//
// in    grad.out [B, L, Din]  of the norm's output   normed [B, L, Din]  of layer_norm_again or rms_norm_again
// out   grad.weight [Din]
// cost  B * L * Din multiply-adds
// from  Ba, Kiros, Hinton 2016; d (n * w) / dw = n

static void norm_backward_weight(const Tensor *grad_out, const Tensor *normed, Tensor *grad_weight)
{
    for (ptrdiff_t d = 0; d < grad_weight->shape[0]; d++) {
        // All tokens share weight[d], and each
        // used it with its own normed number.
        float sum = 0.0f;
        for (ptrdiff_t b = 0; b < normed->shape[0]; b++)
            for (ptrdiff_t l = 0; l < normed->shape[1]; l++)
                sum = fmaf(*tensor_at3(grad_out, b, l, d), *tensor_at3(normed, b, l, d), sum);
        *tensor_at1(grad_weight, d) = sum;
    }
}

RUN_ON_TWO(norm_backward_weight)

#define NORM_WEIGHT_CALL(norm_of, name, in, out, norm, rows, width) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT("grad." out, rows " " width, .alias = "grad_out"), \
               SLOT("normed", rows " " width)}, \
     .writes = {NAMED_SLOT("grad." norm ".weight", "grad." norm ".weight", width)}},

const Stage stage_norm_backward_weight = {
    .name = "norm_backward_weight",
    .formula = "grad_weight[d] = sum_l,b grad_out[b,l,d] * normed[b,l,d]",
    .torch = "grad_weight = (grad_out * normed).sum((0, 1))",
    .source = "Ba, Kiros, Hinton 2016",
    .influence = INFLUENCE_BY_AXES,
    .calls = {LAYER_NORMS(NORM_WEIGHT_CALL) RMS_NORMS(NORM_WEIGHT_CALL)},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = norm_backward_weight_run,
};

// --- norm_backward_normed
//
// Norms, backward: the gradient before the learned scale.
//
//   grad_normed[b,l,d] = grad.out[b,l,d] * weight[d]                    1 + weight[d] with norm_plus_one
//
// in    grad.out [B, L, Din]  of the norm's output   weight [Din]
// out   grad_normed [B, L, Din]
// cost  B * L * Din multiplications
// from  Ba, Kiros, Hinton 2016; d (n * w) / dn = w

enum { NORM_BACKWARD_NORMED_IN_GRAD, NORM_BACKWARD_NORMED_IN_WEIGHT };

static void norm_backward_normed(const Tensor *grad_out, const Tensor *weight, bool plus_one,
                                 Tensor *grad_normed)
{
    for (ptrdiff_t b = 0; b < grad_out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_out->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_out->shape[2]; d++) {
                // The scale that stretched number d
                // stretches its gradient. The
                // learned bias added the same to
                // all: it does not count.
                float factor = plus_one ? 1.0f + *tensor_at1(weight, d) : *tensor_at1(weight, d);
                *tensor_at3(grad_normed, b, l, d) = *tensor_at3(grad_out, b, l, d) * factor;
            }
}

// Layer norm knows no norm_plus_one.
static bool adds_one(const StageOptions *options)
{
    return options->rms_norm && options->norm_plus_one;
}

static bool norm_backward_normed_run(StageArgs *args, Error *err)
{
    norm_backward_normed(&args->in[NORM_BACKWARD_NORMED_IN_GRAD],
                         &args->in[NORM_BACKWARD_NORMED_IN_WEIGHT], adds_one(args->options),
                         &args->out[0]);
    return true;
}

static void norm_backward_normed_origin(Terms *terms, const ptrdiff_t at[])
{
    Source weight = SOURCE(NORM_BACKWARD_NORMED_IN_WEIGHT, at[2]);
    float factor = term_number(terms, weight) + (adds_one(terms->args->options) ? 1.0f : 0.0f);
    term_copy(terms, TERM_COPY, TELL(NORM_GRADIENT),
              term_here(terms, NORM_BACKWARD_NORMED_IN_GRAD, at));
    term_one(terms, TERM_FACTOR, TELL(NORM_WEIGHT), weight, factor, terms->running * factor);
}

#define NORMED_CALL(norm_of, name, text, line, out, norm, shape, width) \
    {.label = name, \
     .of = norm_of, \
     .formula = text, \
     .torch = line, \
     .reads = {SLOT("grad." out, shape, .alias = "grad_out"), SLOT(norm ".weight", width)}, \
     .writes = {NAMED_SLOT("grad_normed", "grad." norm ".normed", shape)}},
#define LAYER_NORMED(norm_of, name, in, out, norm, rows, width) \
    NORMED_CALL(norm_of, name, "grad_normed[b,l,d] = grad_out[b,l,d] * weight[d]", \
                "grad_normed = grad_out * weight", out, norm, rows " " width, width)
#define RMS_NORMED(norm_of, name, in, out, norm, rows, width) \
    NORMED_CALL(norm_of, name, NULL, NULL, out, norm, rows " " width, width)

const Stage stage_norm_backward_normed = {
    .name = "norm_backward_normed",
    .formula = "grad_normed[b,l,d] = grad_out[b,l,d] * weight[d]",
    .torch = "grad_normed = grad_out * weight",
    .form = {.option = OPTION(norm_plus_one),
             .formula = "grad_normed[b,l,d] = grad_out[b,l,d] * (1 + weight[d])",
             .torch = "grad_normed = grad_out * (1 + weight)"},
    .source = "Ba, Kiros, Hinton 2016",
    .influence = INFLUENCE_BY_AXES,
    .calls = {LAYER_NORMS(LAYER_NORMED) RMS_NORMS(RMS_NORMED)},
    .options = OPTION(rms_norm) | OPTION(norm_plus_one),
    .terms = {[TERM_FACTOR] = "* factor"},
    .run = norm_backward_normed_run,
    .origin = norm_backward_normed_origin,
};

// --- norm_backward_shift
//
// Layer norm, backward: how much the gradients of a token would move all its numbers alike. The norm
// subtracts the mean, so that has no effect.
//
//   shift[b,l] = sum over d of grad_normed[b,l,d] / Din
//
// in    grad_normed [B, L, Din]
// out   shift [B, L]
// cost  B * L * Din additions
// from  Ba, Kiros, Hinton 2016, section 5.1: invariant when all numbers of a token move alike

static void norm_backward_shift(const Tensor *grad_normed, Tensor *shift)
{
    ptrdiff_t width = grad_normed->shape[2];
    for (ptrdiff_t b = 0; b < shift->shape[0]; b++)
        for (ptrdiff_t l = 0; l < shift->shape[1]; l++) {
            // The mean of the token's gradients.
            float sum = 0.0f;
            for (ptrdiff_t d = 0; d < width; d++)
                sum += *tensor_at3(grad_normed, b, l, d);
            *tensor_at2(shift, b, l) = sum / (float)width;
        }
}

RUN_ON_ONE(norm_backward_shift)

static void norm_backward_shift_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t width = terms->args->in[0].shape[2];
    for (ptrdiff_t d = 0; d < width; d++)
        term_add(terms, TELL(NORM_GRADIENT), SOURCE(0, at[0], at[1], d));
    term_none(terms, TERM_DIVIDE, TELL(NORM_MEAN), (float)width, terms->running / (float)width);
}

#define SHIFT_CALL(norm_of, name, in, out, norm, rows, width) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT("grad_normed", rows " " width)}, \
     .writes = {NAMED_SLOT("shift", norm ".shift", rows)}},

const Stage stage_norm_backward_shift = {
    .name = "norm_backward_shift",
    .formula = "shift[b,l] = mean_d grad_normed[b,l,d]",
    .torch = "shift = grad_normed.mean(-1)",
    .source = "Ba, Kiros, Hinton 2016, section 5.1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {LAYER_NORMS(SHIFT_CALL)},
    .terms = {[TERM_ADD] = "sum += ", [TERM_DIVIDE] = "/ (float)width"},
    .run = norm_backward_shift_run,
    .origin = norm_backward_shift_origin,
};

// --- norm_backward_stretch
//
// Norms, backward: how much the gradients of a token would stretch it as a whole. The norm brings every
// token to the same length, so that has no effect.
//
//   stretch[b,l] = sum over d of grad_normed[b,l,d] * normed[b,l,d] / Din
//
// in    grad_normed [B, L, Din]   normed [B, L, Din]
// out   stretch [B, L]
// cost  B * L * Din multiply-adds
// from  Ba, Kiros, Hinton 2016, section 5.1: invariant when a token is scaled as a whole

enum { NORM_BACKWARD_STRETCH_IN_GRAD, NORM_BACKWARD_STRETCH_IN_NORMED };

static void norm_backward_stretch(const Tensor *grad_normed, const Tensor *normed, Tensor *stretch)
{
    ptrdiff_t width = normed->shape[2];
    for (ptrdiff_t b = 0; b < stretch->shape[0]; b++)
        for (ptrdiff_t l = 0; l < stretch->shape[1]; l++) {
            // How far the gradient points along
            // the token itself.
            float sum = 0.0f;
            for (ptrdiff_t d = 0; d < width; d++)
                sum = fmaf(*tensor_at3(grad_normed, b, l, d), *tensor_at3(normed, b, l, d), sum);
            *tensor_at2(stretch, b, l) = sum / (float)width;
        }
}

RUN_ON_TWO(norm_backward_stretch)

static void norm_backward_stretch_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t width = terms->args->in[NORM_BACKWARD_STRETCH_IN_NORMED].shape[2];
    for (ptrdiff_t d = 0; d < width; d++)
        term_product(terms, SOURCE(NORM_BACKWARD_STRETCH_IN_GRAD, at[0], at[1], d),
                     SOURCE(NORM_BACKWARD_STRETCH_IN_NORMED, at[0], at[1], d));
    term_none(terms, TERM_DIVIDE, TELL(NORM_MEAN), (float)width, terms->running / (float)width);
}

#define STRETCH_CALL(norm_of, name, in, out, norm, rows, width) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT("grad_normed", rows " " width), SLOT("normed", rows " " width)}, \
     .writes = {NAMED_SLOT("stretch", norm ".stretch", rows)}},

const Stage stage_norm_backward_stretch = {
    .name = "norm_backward_stretch",
    .formula = "stretch[b,l] = mean_d grad_normed[b,l,d] * normed[b,l,d]",
    .torch = "stretch = (grad_normed * normed).mean(-1)",
    .source = "Ba, Kiros, Hinton 2016, section 5.1",
    .influence = INFLUENCE_BY_AXES,
    .calls = {LAYER_NORMS(STRETCH_CALL) RMS_NORMS(STRETCH_CALL)},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_DIVIDE] = "/ (float)width"},
    .run = norm_backward_stretch_run,
    .origin = norm_backward_stretch_origin,
};

// --- norm_backward_residual
//
// Norm, backward: the residual took the token from before the norm, so its gradient goes there too,
// past the norm, without moving a number.
//
//   grad.x[b,l,d] = grad.x_residual[b,l,d]
//
// in    grad.x_residual [B, L, Din]
// out   grad.x [B, L, Din]  the same storage
// cost  nothing: no element is read or written
// from  He et al. 2016: the identity beside every layer

static void norm_backward_residual(const Tensor *grad_residual, Tensor *grad_x)
{
    // This path skips the norm: however it
    // scales, what the residual learns comes
    // back whole.
    *grad_x = *grad_residual;
}

RUN_ON_ONE(norm_backward_residual)

#define RESIDUAL_CALL(norm_of, name, in, out, norm, rows, width) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT("grad.residual", rows " " width)}, \
     .writes = { \
         NAMED_SLOT("grad." in, "grad.x", rows " " width, .place = "residual", .is_view = true)}},

const Stage stage_norm_backward_residual = {
    .name = "norm_backward_residual",
    .formula = "grad_x[b,l,d] = grad_residual[b,l,d]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_x = grad_residual",
    .source = "He et al. 2016",
    .rounds_once = true,
    .calls = {NORMS_BEFORE("layer_norm", RESIDUAL_CALL) NORMS_BEFORE("rms_norm", RESIDUAL_CALL)},
    .run = norm_backward_residual_run,
    .origin = origin_same_place,
};

// --- layer_norm_backward
//
// Layer norm, backward: the gradient of the token. What would only shift or stretch it is taken away;
// what is left grows as the token shrinks.
//
//   grad.x[b,l,d] = (grad_normed[b,l,d] - shift[b,l] - normed[b,l,d] * stretch[b,l]) / deviation[b,l]
//
// in    grad_normed [B, L, Din]   shift [B, L]   normed [B, L, Din]   stretch [B, L]   deviation [B, L]
// out   grad.x [B, L, Din]  of each token, the sum is 0 but for rounding
// cost  B * L * Din * 4
// from  Ba, Kiros, Hinton 2016; derived as in Ioffe, Szegedy 2015, section 3

enum {
    LAYER_NORM_BACKWARD_IN_GRAD,
    LAYER_NORM_BACKWARD_IN_SHIFT,
    LAYER_NORM_BACKWARD_IN_NORMED,
    LAYER_NORM_BACKWARD_IN_STRETCH,
    LAYER_NORM_BACKWARD_IN_DEVIATION
};

static void layer_norm_backward(const StageArgs *args, Tensor *grad_x)
{
    const Tensor *in = args->in;
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++) {
            float shift = *tensor_at2(&in[LAYER_NORM_BACKWARD_IN_SHIFT], b, l);
            float stretch = *tensor_at2(&in[LAYER_NORM_BACKWARD_IN_STRETCH], b, l);
            float deviation = *tensor_at2(&in[LAYER_NORM_BACKWARD_IN_DEVIATION], b, l);
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                float along = *tensor_at3(&in[LAYER_NORM_BACKWARD_IN_NORMED], b, l, d) * stretch;
                float grad = *tensor_at3(&in[LAYER_NORM_BACKWARD_IN_GRAD], b, l, d);
                // The norm divided by it, so the
                // gradient is divided too: to move
                // a short token takes little.
                *tensor_at3(grad_x, b, l, d) = (grad - shift - along) / deviation;
            }
        }
}

static bool layer_norm_backward_run(StageArgs *args, Error *err)
{
    layer_norm_backward(args, &args->out[0]);
    return true;
}

// Takes away the part of the gradient along the token, then divides by what the norm divided by.
static void emit_along(Terms *terms, SourcePair along, Source divisor)
{
    float product = term_number(terms, along.first) * term_number(terms, along.second);
    float by = term_number(terms, divisor);
    term_two(terms, TERM_SUBTRACT, TELL(NORM_MINUS_STRETCH), along, product,
             terms->running - product);
    term_one(terms, TERM_DIVIDE, TELL(NORM_DIVIDED_ALIKE), divisor, by, terms->running / by);
}

static void layer_norm_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    Source shift = SOURCE(LAYER_NORM_BACKWARD_IN_SHIFT, at[0], at[1]);
    float taken = term_number(terms, shift);
    term_copy(terms, TERM_COPY, TELL(NORM_GRADIENT),
              term_here(terms, LAYER_NORM_BACKWARD_IN_GRAD, at));
    term_one(terms, TERM_SUBTRACT, TELL(NORM_MINUS_SHIFT), shift, taken, terms->running - taken);
    emit_along(terms,
               (SourcePair){term_here(terms, LAYER_NORM_BACKWARD_IN_NORMED, at),
                            SOURCE(LAYER_NORM_BACKWARD_IN_STRETCH, at[0], at[1])},
               SOURCE(LAYER_NORM_BACKWARD_IN_DEVIATION, at[0], at[1]));
}

#define LAYER_NORM_CALL(norm_of, name, in, out, norm, rows, width) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT("grad_normed", rows " " width), SLOT("shift", rows), \
               SLOT("normed", rows " " width), SLOT("stretch", rows), SLOT("deviation", rows)}, \
     .writes = {NAMED_SLOT("grad." in, "grad.x", rows " " width, .place = norm)}},

const Stage stage_layer_norm_backward = {
    .name = "layer_norm_backward",
    .formula = "grad_x[b,l,d] = (grad_normed[b,l,d] - shift[b,l] - normed[b,l,d] * stretch[b,l]) "
               "/ deviation[b,l]",
    .torch = "grad_x = (grad_normed - shift[..., None] - normed * stretch[..., None]) / "
             "deviation[..., None]",
    .source = "Ba, Kiros, Hinton 2016; Ioffe, Szegedy 2015, section 3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {LAYER_NORMS(LAYER_NORM_CALL)},
    .terms = {[TERM_SUBTRACT] = "- shift", [TERM_DIVIDE] = "/ deviation"},
    .run = layer_norm_backward_run,
    .origin = layer_norm_backward_origin,
};

// --- rms_norm_backward
//
// RMS norm, backward: the gradient of the token. What would only stretch it is taken away; what is left
// grows as the token shrinks.
//
//   grad.x[b,l,d] = (grad_normed[b,l,d] - normed[b,l,d] * stretch[b,l]) / rms[b,l]
//
// in    grad_normed [B, L, Din]   normed [B, L, Din]   stretch [B, L]   rms [B, L]
// out   grad.x [B, L, Din]  at a right angle to the token but for rounding and norm_epsilon
// cost  B * L * Din * 3
// from  Zhang, Sennrich 2019, section 4.2

enum {
    RMS_NORM_BACKWARD_IN_GRAD,
    RMS_NORM_BACKWARD_IN_NORMED,
    RMS_NORM_BACKWARD_IN_STRETCH,
    RMS_NORM_BACKWARD_IN_RMS
};

static void rms_norm_backward(const StageArgs *args, Tensor *grad_x)
{
    const Tensor *in = args->in;
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++) {
            float stretch = *tensor_at2(&in[RMS_NORM_BACKWARD_IN_STRETCH], b, l);
            float rms = *tensor_at2(&in[RMS_NORM_BACKWARD_IN_RMS], b, l);
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                // No mean was subtracted, so moving
                // all numbers alike has an effect,
                // and no shift is taken away.
                float along = *tensor_at3(&in[RMS_NORM_BACKWARD_IN_NORMED], b, l, d) * stretch;
                *tensor_at3(grad_x, b, l, d) =
                    (*tensor_at3(&in[RMS_NORM_BACKWARD_IN_GRAD], b, l, d) - along) / rms;
            }
        }
}

static bool rms_norm_backward_run(StageArgs *args, Error *err)
{
    rms_norm_backward(args, &args->out[0]);
    return true;
}

static void rms_norm_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_COPY, TELL(NORM_GRADIENT),
              term_here(terms, RMS_NORM_BACKWARD_IN_GRAD, at));
    emit_along(terms,
               (SourcePair){term_here(terms, RMS_NORM_BACKWARD_IN_NORMED, at),
                            SOURCE(RMS_NORM_BACKWARD_IN_STRETCH, at[0], at[1])},
               SOURCE(RMS_NORM_BACKWARD_IN_RMS, at[0], at[1]));
}

#define RMS_NORM_CALL(norm_of, name, in, out, norm, rows, width) \
    {.label = name, \
     .of = norm_of, \
     .reads = {SLOT("grad_normed", rows " " width), SLOT("normed", rows " " width), \
               SLOT("stretch", rows), SLOT("rms", rows)}, \
     .writes = {NAMED_SLOT("grad." in, "grad.x", rows " " width, .place = norm)}},

const Stage stage_rms_norm_backward = {
    .name = "rms_norm_backward",
    .formula = "grad_x[b,l,d] = (grad_normed[b,l,d] - normed[b,l,d] * stretch[b,l]) / rms[b,l]",
    .torch = "grad_x = (grad_normed - normed * stretch[..., None]) / rms[..., None]",
    .source = "Zhang, Sennrich 2019, section 4.2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {RMS_NORMS(RMS_NORM_CALL)},
    .terms = {[TERM_SUBTRACT] = "- along", [TERM_DIVIDE] = "/ rms"},
    .run = rms_norm_backward_run,
    .origin = rms_norm_backward_origin,
};
