// Joins the heads' results into the output of attention.
#include <math.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- concat
//
// Concat: puts each token's head results side by side.
//
//   context_transposed[b,l,h,i]     = context_heads[b,h,l,i]       a view, two strides exchanged
//   context_concat[b,l, h*d_v + i]  = context_transposed[b,l,h,i]  a copy, in this order
//
// in    context_heads [B, H, Lq, d_v]
// out   context_transposed [B, Lq, H, d_v]  not contiguous
//       context_concat     [B, Lq, H*d_v]   contiguous
// loops b: each sequence; l: each token; h: each head; i: each number of that head's result. It
//       goes to column h * d_v + i: head 0 fills the first d_v columns, head 1 the next
// cost  B * Lq * H * d_v copies
// from  Vaswani et al. 2017, section 3.2.2: Concat(head_1, ..., head_h)
//
// The copy is what contiguous() does: after the transpose one token's numbers are no longer
// adjacent in memory, so no stride can join them into one axis. Without the transpose the shape is
// right, but each row mixes slices of different tokens.

enum { CONCAT_OUT_TRANSPOSED, CONCAT_OUT_CONCAT };

static void concat(const Tensor *context_transposed, Tensor *context_concat)
{
    ptrdiff_t d_v = context_transposed->shape[3];
    // [B, Lq, H, d_v] becomes [B, Lq, H*d_v].
    // The loops write the output in order;
    // the reads jump from head to head.
    for (ptrdiff_t b = 0; b < context_transposed->shape[0]; b++)
        for (ptrdiff_t l = 0; l < context_transposed->shape[1]; l++)
            for (ptrdiff_t h = 0; h < context_transposed->shape[2]; h++)
                for (ptrdiff_t i = 0; i < d_v; i++)
                    *tensor_at3(context_concat, b, l, h * d_v + i) =
                        *tensor_at4(context_transposed, b, l, h, i);
}

static bool concat_prepare(StageArgs *args, Error *err)
{
    args->out[CONCAT_OUT_TRANSPOSED] = tensor_transpose(&args->in[0], 1, 2);
    return true;
}

static bool concat_run(StageArgs *args, Error *err)
{
    concat_prepare(args, err);
    concat(&args->out[CONCAT_OUT_TRANSPOSED], &args->out[CONCAT_OUT_CONCAT]);
    return true;
}

const Stage stage_concat = {
    .name = "concat",
    .formula = "context_concat[b,l, h*d_v + i] = context_heads[b,h,l,i]",
    .where = "context_transposed[b,l,h,i] = context_heads[b,h,l,i]",
    .remark = REMARK_A_COPY,
    .torch = "context = context.transpose(1, 2).contiguous().view(batch_size, -1, d_model)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .use = STAGE_WITH_HEADS,
    .rounds_once = true,
    .influence = INFLUENCE_BY_AXES,
    .main_output = CONCAT_OUT_CONCAT,
    .calls = {{
        .reads = {SLOT("context", "B H Lq d_v", .alias = "context_heads")},
        .writes = {NAMED_SLOT("context_transposed", "context_transposed", "B Lq H d_v",
                              .is_view = true),
                   NAMED_SLOT("context", "context_concat", "B Lq Dv")},
    }},
    .run = concat_run,
    .prepare = concat_prepare,
    .fast = fast_concat,
};

// --- concat_backward
//
// Concat, backward: gives each head the gradient of its own columns, without moving a number.
//
//   grad.context_transposed[b,l,h,i] = grad.context_concat[b,l, h*d_v + i]   a view
//   grad.context_heads[b,h,l,i]      = grad.context_transposed[b,l,h,i]      two strides exchanged
//
// in    grad.context_concat [B, Lq, H*d_v]
// out   grad.context_transposed [B, Lq, H, d_v]   grad.context_heads [B, H, Lq, d_v]
// cost  nothing: no element is read or written
// from  PyTorch: the gradients of Tensor.view and Tensor.transpose

enum { CONCAT_BACKWARD_OUT_TRANSPOSED, CONCAT_BACKWARD_OUT_HEADS };

static bool concat_backward(const Tensor *grad_concat, ptrdiff_t heads, Tensor *grad_transposed,
                            Tensor *grad_heads, Error *err)
{
    // Forward, numbers were copied. Here none
    // moves: a token's columns lie head after
    // head, so strides alone can split them.
    ptrdiff_t d_v = grad_concat->shape[2] / heads;
    ptrdiff_t shape[] = {grad_concat->shape[0], grad_concat->shape[1], heads, d_v};
    if (!tensor_view(grad_concat, 4, shape, grad_transposed, err))
        return false;
    // Then the head axis comes before the
    // tokens again.
    *grad_heads = tensor_transpose(grad_transposed, 1, 2);
    return true;
}

static bool concat_backward_run(StageArgs *args, Error *err)
{
    return concat_backward(&args->in[0], args->options->heads,
                           &args->out[CONCAT_BACKWARD_OUT_TRANSPOSED],
                           &args->out[CONCAT_BACKWARD_OUT_HEADS], err);
}

const Stage stage_concat_backward = {
    .name = "concat_backward",
    .formula = "grad_heads[b,h,l,i] = grad_context[b,l, h*d_v + i]",
    .where = "grad.context_transposed[b,l,h,i] = grad_context[b,l, h*d_v + i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_heads = grad_concat.view(batch_size, -1, num_heads, d_v).transpose(1, 2)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .rounds_once = true,
    .main_output = CONCAT_BACKWARD_OUT_HEADS,
    .calls = {{
        .of = "concat",
        .reads = {SLOT("grad.context", "B Lq Dv")},
        .writes = {NAMED_SLOT("grad.context_transposed", "grad.context_transposed", "B Lq H d_v",
                              .is_view = true),
                   NAMED_SLOT("grad.context", "grad.context_heads", "B H Lq d_v", .is_view = true)},
    }},
    .run = concat_backward_run,
};

// --- output_projection
//
// Output projection: a last linear layer mixes the heads' results.
//
//   output[b,l,o] = sum over d of context[b,l,d] * weight[o,d]  + bias[o]
//
// in    context_concat [B, Lq, H*d_v]
//       weight [Dout, H*d_v]   bias [Dout] or none
// out   output [B, Lq, Dout]
// loops b: each sequence; l: each token; o: each number of its output. The innermost loop runs over
//       all columns d, of every head: only here do the results of different heads mix
// cost  B * Lq * H*d_v * Dout multiply-adds
// from  Vaswani et al. 2017, section 3.2.2: W^O

enum { OUTPUT_PROJECTION_IN_CONTEXT, OUTPUT_PROJECTION_IN_WEIGHT, OUTPUT_PROJECTION_IN_BIAS };

static void output_projection(const Tensor *context_concat, const Tensor *weight,
                              const Tensor *bias, Tensor *output)
{
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t o = 0; o < output->shape[2]; o++) {
                // The first d_v terms come from
                // head 0, the next d_v from head
                // 1: one sum adds the parts of all
                // heads.
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < context_concat->shape[2]; d++)
                    sum =
                        fmaf(*tensor_at3(context_concat, b, l, d), *tensor_at2(weight, o, d), sum);
                // The sum is complete: now the
                // bias, once for each output, not
                // once for each head.
                *tensor_at3(output, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static bool output_projection_run(StageArgs *args, Error *err)
{
    output_projection(&args->in[OUTPUT_PROJECTION_IN_CONTEXT],
                      &args->in[OUTPUT_PROJECTION_IN_WEIGHT],
                      stage_given(args, OUTPUT_PROJECTION_IN_BIAS), &args->out[0]);
    return true;
}

const Stage stage_output_projection = {
    .name = "output_projection",
    .formula = "output[b,l,o] = sum_d context[b,l,d] * weight[o,d]  (+ bias[o])",
    .torch = "output = $(context)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .reads = {SLOT("context", "B Lq Dv"),
                  SLOT("out_proj.weight", "Dout Dv", .factor = FACTOR_ROWS),
                  SLOT("out_proj.bias", "Dout", .optional = true)},
        .writes = {NAMED_SLOT("output", "output", "B Lq Dout")},
    }},
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = output_projection_run,
    .fast = fast_linear,
};

// --- residual
//
// Residual: adds the layer's input to its output, so that attention only has to find what is
// missing.
//
//   output_residual[b,l,d] = output[b,l,d] + x[b,l,d]
//
// in    output [B, Lq, Dout]   x [B, Lq, Din]  the input before any norm; Din = Dout
// out   output_residual [B, Lq, Dout]
// error the output and input widths differ
// cost  B * Lq * Dout additions
// from  He et al. 2016; Vaswani et al. 2017, section 3.1

enum { RESIDUAL_IN_OUTPUT, RESIDUAL_IN_X };

static void residual(const Tensor *output, const Tensor *x, Tensor *output_residual)
{
    // If output is 0, x passes unchanged: a
    // layer that finds nothing does no harm.
    // The gradient comes back through this
    // sum undiminished.
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                *tensor_at3(output_residual, b, l, d) =
                    *tensor_at3(output, b, l, d) + *tensor_at3(x, b, l, d);
}

RUN_ON_TWO(residual)

static bool residual_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t out = args->in[RESIDUAL_IN_OUTPUT].shape[2], in = args->in[RESIDUAL_IN_X].shape[2];
    return out == in || error_set(err, TELL(RESIDUAL_WIDTH), out, in);
}

// Two terms: attention's output, then the input.
static void residual_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_ADD, TELL(RESIDUAL_OUTPUT),
              SOURCE(RESIDUAL_IN_OUTPUT, at[0], at[1], at[2]));
    term_add(terms, TELL(RESIDUAL_INPUT), SOURCE(RESIDUAL_IN_X, at[0], at[1], at[2]));
}

const Stage stage_residual = {
    .name = "residual",
    .formula = "output_residual[b,l,d] = output[b,l,d] + x[b,l,d]",
    .torch = "output = residual + output",
    .source = "He et al. 2016; Vaswani et al. 2017, section 3.1",
    .rounds_once = true,
    .calls = {{
                  .reads = {SLOT("output", "B Lq Dout"), SLOT("residual", "B Lq Dq", .alias = "x")},
                  .writes = {NAMED_SLOT("output", "output_residual", "B Lq Dout")},
              },
              {
                  .label = "feed_forward",
                  .turn = 1,
                  .formula = "ff_output[b,l,d] = output[b,l,d] + x[b,l,d]",
                  .reads = {SLOT("output", "B Lq Dout"),
                            SLOT("residual", "B Lq Dout", .alias = "x"),
                            SLOT("contract.weight", "Dout Dff")},
                  .writes = {NAMED_SLOT("output", "ff_output", "B Lq Dout")},
              }},
    .options = OPTION(residual),
    .needs = OPTION(residual),
    .terms = {[TERM_ADD] = "+ *tensor_at"},
    .run = residual_run,
    .fast = fast_sum,
    .shapes = residual_shapes,
    .origin = residual_origin,
};

// --- residual_backward
//
// Residual, backward: both terms of the sum share its gradient, without moving a number.
//
//   grad.output[b,l,d] = grad.x[b,l,d] = grad.output_residual[b,l,d]
//
// in    grad.output_residual [B, Lq, Dout]
// out   grad.output [B, Lq, Dout]   grad.x [B, Lq, Dout]  the same storage, twice
// cost  nothing: no element is read or written
// from  d (a + b) / da = d (a + b) / db = 1; He et al. 2016

enum { RESIDUAL_BACKWARD_OUT_OUTPUT, RESIDUAL_BACKWARD_OUT_X };

static void residual_backward(const Tensor *grad_sum, Tensor *grad_output, Tensor *grad_x)
{
    // Through however many layers, the last
    // sum's gradient reaches the embedding
    // undiminished along this path.
    *grad_output = *grad_sum;
    *grad_x = *grad_sum;
}

static bool residual_backward_run(StageArgs *args, Error *err)
{
    residual_backward(&args->in[0], &args->out[RESIDUAL_BACKWARD_OUT_OUTPUT],
                      &args->out[RESIDUAL_BACKWARD_OUT_X]);
    return true;
}

#define RESIDUAL_BACKWARD_CALL(name) \
    { \
        .label = name, .of = "residual", \
        .reads = {SLOT("grad.output", "B Lq Dout", .alias = "grad_sum")}, \
        .writes = {NAMED_SLOT("grad.output", "grad.output", "B Lq Dout", .place = "output", \
                              .is_view = true), \
                   NAMED_SLOT("grad.residual", "grad.x", "B Lq Dout", .place = "residual", \
                              .is_view = true)}, \
    }

const Stage stage_residual_backward = {
    .name = "residual_backward",
    .formula = "grad_output[b,l,d] = grad_sum[b,l,d]",
    .where = "grad_x[b,l,d] = grad_sum[b,l,d]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_output, grad_x = grad_sum, grad_sum",
    .source = "He et al. 2016",
    .rounds_once = true,
    .calls = {RESIDUAL_BACKWARD_CALL(NULL), RESIDUAL_BACKWARD_CALL("feed_forward")},
    .run = residual_backward_run,
    .origin = origin_same_place,
};
