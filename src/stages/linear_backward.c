// The gradients of all linear layers, and the sum of a tensor's gradients.
#include <math.h>
#include "fast.h"
#include "describe.h"
#include "norms.h"
#include "stage.h"
#include "stages_words.def"

// --- linear_backward_weight
//
// Linear layers, backward: the gradient of a weight.
//
//   grad.weight[o,d] = sum over b, then l, of grad.q[b,l,o] * x[b,l,d]
//
// in    grad.q [B, Lq, H*d_k]   x [B, Lq, Din]; same for k, v, the output projection and feed-forward
// out   grad.weight [H*d_k, Din]
// cost  H*d_k * Din * B * Lq multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = x W^T gives dW = dy^T x

static void linear_backward_weight(const Tensor *grad_q, const Tensor *x, Tensor *grad_weight)
{
    // The result has the shape of the
    // weight: B and L are summed away.
    for (ptrdiff_t o = 0; o < grad_weight->shape[0]; o++)
        for (ptrdiff_t d = 0; d < grad_weight->shape[1]; d++) {
            // Every token used weight[o,d], so
            // each adds a term: the gradient of
            // output o times input d. Where the
            // input is 0, the weight had no
            // effect.
            float sum = 0.0f;
            for (ptrdiff_t b = 0; b < x->shape[0]; b++)
                for (ptrdiff_t l = 0; l < x->shape[1]; l++)
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at3(x, b, l, d), sum);
            *tensor_at2(grad_weight, o, d) = sum;
        }
}

RUN_ON_TWO(linear_backward_weight)

// `made`: what the layer wrote; `read`: what it read.
#define WEIGHT_CALL(name, forward, layer, made, read, from, rows, out, in) \
    { \
        .label = name, .of = forward, \
        .formula = "grad_weight[o,d] = sum_l,b grad_" made "[b,l,o] * " read "[b,l,d]", \
        .torch = "grad_weight = torch.einsum('blo,bld->od', grad_" made ", " read ")", \
        .reads = {SLOT("grad." made, rows " " out), \
                  SLOT(from, rows " " in, .alias = read, .factor = FACTOR_STACKED)}, \
        .writes = { \
            NAMED_SLOT("grad." layer ".weight", "grad." layer ".weight", out " " in) \
        } \
    }

const Stage stage_linear_backward_weight = {
    .name = "linear_backward_weight",
    .formula = "grad_weight[o,d] = sum_l,b grad_q[b,l,o] * x[b,l,d]",
    .torch = "grad_weight = torch.einsum('blo,bld->od', grad_q, x)",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls =
        {
            WEIGHT_CALL("q", "project", "q_proj", "q", "x", "x_query", "B Lq", "Dk", "Dq"),
            WEIGHT_CALL("k", "project", "k_proj", "k", "x", "x", "B Lt", "Gk", "Din"),
            WEIGHT_CALL("v", "project", "v_proj", "v", "x", "x", "B Lt", "Gv", "Din"),
            WEIGHT_CALL("out", "output_projection", "out_proj", "output", "context", "context",
                        "B Lq", "Dout", "Dv"),
            WEIGHT_CALL("gate", "expand", "gate", "gate", "x", "feed", "B Lq", "Dff", "Dout"),
            WEIGHT_CALL("expand", "expand", "expand", "hidden", "x", "feed", "B Lq", "Dff", "Dout"),
            WEIGHT_CALL("contract", "contract", "contract", "output", "hidden", "hidden", "B Lq",
                        "Dout", "Dff"),
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = linear_backward_weight_run,
    .fast = fast_linear_backward_weight,
    .sums_sequences = true,
};

// --- linear_backward_per_head
//
// Linear layers with a matrix for each head, backward: the gradient of such a matrix.
//
//   grad.per_head[h,d,i] = sum over b, then l, of x[b,l,d] * grad.q[b,l, h*d_k + i]
//
// in    x [B, Lq, Din]   grad.q [B, Lq, H*d_k]; same for k and v
// out   grad.per_head [H, Din, d_k]
// cost  H*d_k * Din * B * Lq multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = x W gives dW = x^T dy

enum { LINEAR_BACKWARD_PER_HEAD_IN_X, LINEAR_BACKWARD_PER_HEAD_IN_GRAD };

static void linear_backward_per_head(const Tensor *x, const Tensor *grad_q, Tensor *grad_per_head)
{
    ptrdiff_t d_k = grad_per_head->shape[2];
    // The loops follow [H, Din, d_k], the
    // shape of the matrices; the gradient of
    // q has the heads side by side.
    for (ptrdiff_t h = 0; h < grad_per_head->shape[0]; h++)
        for (ptrdiff_t d = 0; d < grad_per_head->shape[1]; d++)
            for (ptrdiff_t i = 0; i < d_k; i++) {
                // Column h * d_k + i of grad_q is
                // what head h made with its column
                // i. Other columns do not involve
                // this number of the matrix.
                float sum = 0.0f;
                for (ptrdiff_t b = 0; b < x->shape[0]; b++)
                    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
                        sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at3(grad_q, b, l, h * d_k + i),
                                   sum);
                *tensor_at3(grad_per_head, h, d, i) = sum;
            }
}

RUN_ON_TWO(linear_backward_per_head)

// `o` is the column of grad_q that belongs to head at[0] and its output at[2].
static void linear_backward_per_head_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *x = &terms->args->in[LINEAR_BACKWARD_PER_HEAD_IN_X];
    ptrdiff_t o = at[0] * terms->args->out[0].shape[2] + at[2];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            term_product(terms, SOURCE(LINEAR_BACKWARD_PER_HEAD_IN_X, b, l, at[1]),
                         SOURCE(LINEAR_BACKWARD_PER_HEAD_IN_GRAD, b, l, o));
}

#define PER_HEAD_GRADIENT(q, x, rows, width, in, d_k) \
    { \
        .label = q, .of = "project", \
        .formula = "grad_per_head[h,d,i] = sum_l,b x[b,l,d] * grad_" q "[b,l, h*" d_k " + i]", \
        .torch = \
            "grad_per_head = torch.einsum('bld,blhi->hdi', x, grad_" q ".view(B, L, H, " d_k "))", \
        .reads = {SLOT(x, rows " " in), SLOT("grad." q, rows " " width)}, .writes = { \
            NAMED_SLOT("grad." q "_proj.per_head", "grad." q "_proj.per_head", "H " in " " d_k) \
        } \
    }

const Stage stage_linear_backward_per_head = {
    .name = "linear_backward_per_head",
    .formula = "grad_per_head[h,d,i] = sum_l,b x[b,l,d] * grad_q[b,l, h*d_k + i]",
    .torch = "grad_per_head = torch.einsum('bld,blhi->hdi', x, grad_q.view(B, L, H, d_k))",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .calls =
        {
            PER_HEAD_GRADIENT("q", "x_query", "B Lq", "Dk", "Dq", "d_k"),
            PER_HEAD_GRADIENT("k", "x", "B Lt", "Gk", "Din", "d_k"),
            PER_HEAD_GRADIENT("v", "x", "B Lt", "Gv", "Din", "d_v"),
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = linear_backward_per_head_run,
    .origin = linear_backward_per_head_origin,
};

// --- linear_backward_bias
//
// Linear layers, backward: the gradient of a bias.
//
//   grad.bias[o] = sum over b, then l, of grad.q[b,l,o]
//
// in    grad.q    [B, Lq, H*d_k]; same for k, v, the output, feed-forward, norms and token types
// out   grad.bias [H*d_k]
// cost  B * Lq * H*d_k additions
// from  Goodfellow et al. 2016, section 6.5.6: the bias is added in every row, so every row counts

static void linear_backward_bias(const Tensor *grad_q, Tensor *grad_bias)
{
    for (ptrdiff_t o = 0; o < grad_bias->shape[0]; o++) {
        // Every token got the same bias, so
        // the gradients of all tokens add up.
        // The sum begins before b, not before
        // l: it spans all sequences.
        float sum = 0.0f;
        for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
            for (ptrdiff_t l = 0; l < grad_q->shape[1]; l++)
                // First token to last: in another
                // order floats may round to other
                // bits.
                sum = sum + *tensor_at3(grad_q, b, l, o);
        *tensor_at1(grad_bias, o) = sum;
    }
}

RUN_ON_ONE(linear_backward_bias)

// A term for each token of each sequence; x has no influence on a bias.
static void linear_backward_bias_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *grad_q = &terms->args->in[0];
    for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_q->shape[1]; l++)
            term_add(terms, TELL(BIAS_ROW), SOURCE(0, b, l, at[0]));
}

#define BIAS_CALL(name, forward, made, layer, rows, width) \
    { \
        .label = name, .of = forward, .formula = "grad_bias[o] = sum_l,b grad_" made "[b,l,o]", \
        .torch = "grad_bias = grad_" made ".sum((0, 1))", \
        .reads = {SLOT("grad." made, rows " " width)}, .writes = { \
            NAMED_SLOT("grad." layer ".bias", "grad." layer ".bias", width) \
        } \
    }

#define NORM_BIAS(norm_of, name, in, out, norm, rows, width) \
    BIAS_CALL(name, norm_of, out, norm, rows, width),

const Stage stage_linear_backward_bias = {
    .name = "linear_backward_bias",
    .formula = "grad_bias[o] = sum_l,b grad_q[b,l,o]",
    .torch = "grad_bias = grad_q.sum((0, 1))",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls = {BIAS_CALL("q", "project", "q", "q_proj", "B Lq", "Dk"),
              BIAS_CALL("k", "project", "k", "k_proj", "B Lt", "Gk"),
              BIAS_CALL("v", "project", "v", "v_proj", "B Lt", "Gv"),
              BIAS_CALL("out", "output_projection", "output", "out_proj", "B Lq", "Dout"),
              BIAS_CALL("gate", "expand", "gate", "gate", "B Lq", "Dff"),
              BIAS_CALL("expand", "expand", "hidden", "expand", "B Lq", "Dff"),
              BIAS_CALL("contract", "contract", "output", "contract", "B Lq", "Dout"),
              {.label = "token_type",
               .of = "learned_position",
               .formula = "grad_token_type[o] = sum_l,b grad_x[b,l,o]",
               .torch = "grad_token_type = grad_x.sum((0, 1))",
               .reads = {SLOT("grad.x", "B L Din")},
               .writes = {NAMED_SLOT("grad.token_type", "grad.token_type", "Din")}},
              LAYER_NORMS(NORM_BIAS)},
    .terms = {[TERM_ADD] = "sum + "},
    .run = linear_backward_bias_run,
    .origin = linear_backward_bias_origin,
};

// --- linear_backward
//
// Linear layers, backward: the gradient of a layer's input.
//
//   grad.x[b,l,d] = sum over o of grad.q[b,l,o] * weight[o,d]
//
// in    grad.q [B, Lq, H*d_k]; same for k, v, the output and feed-forward
//       weight [H*d_k, Din], or per_head [H, Din, d_k], whose column i made output h*d_k + i
// out   grad.x [B, Lq, Din]: one each from q, k and v; gradient_sum adds them
// cost  B * Lq * Din * H*d_k multiply-adds
// from  Goodfellow et al. 2016, section 6.5.6: y = x W^T gives dx = dy W

enum { LINEAR_BACKWARD_IN_GRAD, LINEAR_BACKWARD_IN_WEIGHT };

static void linear_backward(const Tensor *grad_q, const Tensor *weight, Tensor *grad_x)
{
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                // Forward, x[d] fed every output,
                // so every output adds a term. The
                // sum runs over o, down column d
                // of the weight; forward it ran
                // along row o.
                float sum = 0.0f;
                for (ptrdiff_t o = 0; o < weight->shape[0]; o++)
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at2(weight, o, d), sum);
                *tensor_at3(grad_x, b, l, d) = sum;
            }
}

static void linear_backward_through_heads(const Tensor *grad_q, const Tensor *per_head,
                                          Tensor *grad_x)
{
    ptrdiff_t d_k = per_head->shape[2];
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                float sum = 0.0f;
                // One sum over the outputs of all
                // heads: all were made from the
                // same x.
                for (ptrdiff_t o = 0; o < grad_q->shape[2]; o++) {
                    // Output o came from column i of
                    // head h's matrix.
                    ptrdiff_t h = o / d_k, i = o % d_k;
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at3(per_head, h, d, i), sum);
                }
                *tensor_at3(grad_x, b, l, d) = sum;
            }
}

static bool weight_is_per_head(const StageArgs *args)
{
    return args->in[LINEAR_BACKWARD_IN_WEIGHT].rank == 3;
}

static bool linear_backward_run(StageArgs *args, Error *err)
{
    (weight_is_per_head(args) ? linear_backward_through_heads : linear_backward)(
        &args->in[LINEAR_BACKWARD_IN_GRAD], &args->in[LINEAR_BACKWARD_IN_WEIGHT], &args->out[0]);
    return true;
}

// `into` is the role of the layer's input, `x` its name in the formula.
#define INPUT_CALL(name, forward, made, layer, into, x, rows, out, in) \
    { \
        .label = name, .of = forward, \
        .formula = "grad_" x "[b,l,d] = sum_o grad_" made "[b,l,o] * weight[o,d]", \
        .torch = "grad_" x " = grad_" made " @ weight", \
        .reads = {SLOT("grad." made, rows " " out), \
                  SLOT(layer ".weight", out " " in, .factor = FACTOR_COLUMNS)}, \
        .writes = { \
            NAMED_SLOT("grad." into, "grad." x, rows " " in) \
        } \
    }
#define THROUGH_HEADS_CALL(q, x, rows, width, in, d_k) \
    { \
        .label = q, .of = "project", \
        .formula = "grad_x[b,l,d] = sum_i,h grad_" q "[b,l, h*" d_k " + i] * per_head[h,d,i]", \
        .torch = \
            "grad_x = torch.einsum('blhi,hdi->bld', grad_" q ".view(B, L, H, " d_k "), per_head)", \
        .loop = "linear_backward_through_heads", \
        .reads = {SLOT("grad." q, rows " " width), \
                  SLOT(q "_proj.per_head", "H " in " " d_k, .factor = FACTOR_ROWS)}, \
        .writes = { \
            NAMED_SLOT("grad." x, "grad." x, rows " " in) \
        } \
    }

const Stage stage_linear_backward = {
    .name = "linear_backward",
    .formula = "grad_x[b,l,d] = sum_o grad_q[b,l,o] * weight[o,d]",
    .torch = "grad_x = grad_q @ weight",
    .source = "Goodfellow et al. 2016, section 6.5.6",
    .influence = INFLUENCE_BY_AXES,
    .calls =
        {
            {.label = "q",
             .of = "project",
             .reads = {SLOT("grad.q", "B Lq Dk"),
                       SLOT("q_proj.weight", "Dk Dq", .factor = FACTOR_COLUMNS)},
             .writes = {NAMED_SLOT("grad.x_query", "grad.x_query", "B Lq Dq")}},
            THROUGH_HEADS_CALL("q", "x_query", "B Lq", "Dk", "Dq", "d_k"),
            INPUT_CALL("k", "project", "k", "k_proj", "x", "x", "B Lt", "Gk", "Din"),
            THROUGH_HEADS_CALL("k", "x", "B Lt", "Gk", "Din", "d_k"),
            INPUT_CALL("v", "project", "v", "v_proj", "x", "x", "B Lt", "Gv", "Din"),
            THROUGH_HEADS_CALL("v", "x", "B Lt", "Gv", "Din", "d_v"),
            INPUT_CALL("out", "output_projection", "output", "out_proj", "context", "context",
                       "B Lq", "Dout", "Dv"),
            INPUT_CALL("gate", "expand", "gate", "gate", "feed", "x", "B Lq", "Dff", "Dout"),
            INPUT_CALL("expand", "expand", "hidden", "expand", "feed", "x", "B Lq", "Dff", "Dout"),
            INPUT_CALL("contract", "contract", "output", "contract", "hidden", "hidden", "B Lq",
                       "Dout", "Dff"),
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf("},
    .run = linear_backward_run,
    .fast = fast_linear_backward,
};

// --- gradient_sum
//
// Gradient sum: a tensor read in several places has a gradient from each; this adds them.
//
//   grad.x = grad.x (so far) + grad.x (of one place more)        element by element
//
// in    two gradients of the same tensor: x is read by q, k and v; a weight may make all three
// out   their sum, of the same shape
// cost  an addition an element
// from  Goodfellow et al. 2016, section 6.5.3; in the order of the backward pass, as PyTorch's
//       AccumulateGrad does
//
// The trace adds this step when a tensor gets a second gradient; it has that tensor's axes.

enum { GRADIENT_SUM_IN_SO_FAR, GRADIENT_SUM_IN_MORE };

static void gradient_sum(const Tensor *so_far, const Tensor *more, Tensor *sum)
{
    // One loop for any number of axes:
    // tensor_next counts `at` on, the last
    // axis first. Both inputs may be views,
    // so each is asked for its own place.
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    for (bool next = tensor_count(sum) > 0; next; next = tensor_next(sum, at))
        sum->storage.f32[tensor_place(sum, at)] = so_far->storage.f32[tensor_place(so_far, at)] +
                                                  more->storage.f32[tensor_place(more, at)];
}

RUN_ON_TWO(gradient_sum)

// Two terms: the sum so far, then the new gradient. A third gradient is a separate step, since (a +
// b) + c and a + (b + c) may differ in the last bit.
static void gradient_sum_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_ADD, TELL(GRADIENT_SO_FAR), term_here(terms, GRADIENT_SUM_IN_SO_FAR, at));
    term_add(terms, TELL(GRADIENT_MORE), term_here(terms, GRADIENT_SUM_IN_MORE, at));
}

const Stage stage_gradient_sum = {
    .name = "gradient_sum",
    .formula = "grad[...] = so_far[...] + more[...]",
    .torch = "grad = grad + more",
    .source = "Goodfellow et al. 2016, section 6.5.3",
    .influence = INFLUENCE_BY_AXES,
    .calls = {{
        .of = "",
        .reads = {{.role = "so_far"}, {.role = "more"}},
        .writes = {{.role = "sum", .tensor = "sum"}},
    }},
    .terms = {[TERM_ADD] = "more->storage"},
    .run = gradient_sum_run,
    .fast = fast_sum,
    .origin = gradient_sum_origin,
};
