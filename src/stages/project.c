// Queries, keys and values from x. First transposes or splits weights that a model stores in another
// form.
#include <math.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"

// --- turn
//
// Turn: transposes a weight that GPT-2's Conv1D stores as (in, out), without moving a number.
//
//   in_proj.weight[o,d] = conv1d.weight[d,o]
//
// in    conv1d.weight [Din, Dout]  a column for each output
// out   weight        [Dout, Din]  a row for each output, as in nn.Linear: a view, strides swapped
// cost  nothing: no element is read or written
// from  Radford et al. 2019 (GPT-2), whose code multiplies x by an (in, out) matrix

static Tensor turn(const Tensor *conv1d)
{
    // x W with W (in, out) equals x W^T with
    // W (out, in). Later stages see only the
    // second form.
    return tensor_transpose(conv1d, 0, 1);
}

static bool turn_run(StageArgs *args, Error *err)
{
    args->out[0] = turn(&args->in[0]);
    return true;
}

static void turn_origin(Terms *terms, const ptrdiff_t at[])
{
    term_copy(terms, TERM_PLACE, NULL, SOURCE(0, at[1], at[0]));
}

const Stage stage_turn = {
    .name = "turn",
    .formula = "in_proj.weight[o,d] = conv1d.in_proj.weight[d,o]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "in_proj_weight = c_attn.weight.T",
    .source = "Radford et al. 2019; Conv1D in its code",
    .rounds_once = true,
    .calls =
        {
            {.label = "in_proj",
             .reads = {SLOT("conv1d.in_proj.weight", "Din Dqkv")},
             .writes = {NAMED_SLOT("in_proj.weight", "in_proj.weight", "Dqkv Din",
                                   .is_view = true)}},
            {.label = "out_proj",
             .formula = "out_proj.weight[o,d] = conv1d.out_proj.weight[d,o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "out_proj_weight = c_proj.weight.T",
             .reads = {SLOT("conv1d.out_proj.weight", "Dv Dout")},
             .writes = {NAMED_SLOT("out_proj.weight", "out_proj.weight", "Dout Dv",
                                   .is_view = true)}},
            {.label = "expand",
             .formula = "expand.weight[f,d] = conv1d.expand.weight[d,f]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "expand_weight = c_fc.weight.T",
             .reads = {SLOT("conv1d.expand.weight", "Dout Dff")},
             .writes = {NAMED_SLOT("expand.weight", "expand.weight", "Dff Dout", .is_view = true)}},
            {.label = "contract",
             .formula = "contract.weight[d,f] = conv1d.contract.weight[f,d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "contract_weight = c_proj.weight.T",
             .reads = {SLOT("conv1d.contract.weight", "Dff Dout")},
             .writes = {NAMED_SLOT("contract.weight", "contract.weight", "Dout Dff",
                                   .is_view = true)}},
        },
    .run = turn_run,
    .origin = turn_origin,
};

// --- split
//
// Split: splits one weight for q, k and v together into three, without moving a number.
//
//   q_proj.weight[o,d] = in_proj.weight[o, d]
//   k_proj.weight[o,d] = in_proj.weight[rows of q + o, d]
//   v_proj.weight[o,d] = in_proj.weight[rows of q and k + o, d]
//
// in    in_proj.weight [Dk + Dk + Dv, Din]  a row for each output: q's, then k's, then v's
//       (or in_proj.bias [Dk + Dk + Dv]), and for k and v the parts before it, to count their rows
// out   the weight [Dk, Din] (or bias [Dk]) of one of the three: a view of some rows
// cost  nothing: no element is read or written
// from  PyTorch: nn.MultiheadAttention (in_proj_weight), Tensor.chunk

enum { SPLIT_IN_FUSED, SPLIT_IN_BEFORE };

// The number of rows before this part.
static ptrdiff_t first_row(const StageArgs *args)
{
    ptrdiff_t row = 0;
    // k begins where q ends, and v where k
    // ends.
    for (int i = SPLIT_IN_BEFORE; i < STAGE_READS_MAX && args->in[i].storage.bytes; i++)
        row += args->in[i].shape[0];
    return row;
}

static Tensor split(const Tensor *fused, ptrdiff_t first, ptrdiff_t rows)
{
    // Only the first row's position is new.
    // The strides stay, so no row moves.
    return tensor_narrow(fused, 0, first, rows);
}

static bool split_run(StageArgs *args, Error *err)
{
    args->out[0] = split(&args->in[SPLIT_IN_FUSED], first_row(args), args->out[0].shape[0]);
    return true;
}

// The same column, that many rows further down. A bias has no columns.
static void split_origin(Terms *terms, const ptrdiff_t at[])
{
    bool is_weight = terms->args->in[SPLIT_IN_FUSED].rank == 2;
    term_copy(terms, TERM_PLACE, NULL,
              SOURCE(SPLIT_IN_FUSED, first_row(terms->args) + at[0], is_weight ? at[1] : 0));
}

const Stage stage_split = {
    .name = "split",
    .formula = "q_proj.weight[o,d] = in_proj.weight[0 + o, d]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "q_proj_weight, k_proj_weight, v_proj_weight = in_proj_weight.chunk(3)",
    .source = "PyTorch: nn.MultiheadAttention, Tensor.chunk",
    .rounds_once = true,
    .calls =
        {
            {.label = "q",
             .torch = "q_proj_weight = in_proj_weight.chunk(3)[0]",
             .reads = {SLOT("in_proj.weight", "Dqkv Din")},
             .writes = {NAMED_SLOT("q_proj.weight", "q_proj.weight", "Dk Din", .is_view = true)}},
            {.label = "k",
             .formula = "k_proj.weight[o,d] = in_proj.weight[Dk + o, d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k_proj_weight = in_proj_weight.chunk(3)[1]",
             .reads = {SLOT("in_proj.weight", "Dqkv Din"), SLOT("q_proj.weight", "Dk Din")},
             .writes = {NAMED_SLOT("k_proj.weight", "k_proj.weight", "Gk Din", .is_view = true)}},
            {.label = "v",
             .formula = "v_proj.weight[o,d] = in_proj.weight[Dk + Gk + o, d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v_proj_weight = in_proj_weight.chunk(3)[2]",
             .reads = {SLOT("in_proj.weight", "Dqkv Din"), SLOT("q_proj.weight", "Dk Din"),
                       SLOT("k_proj.weight", "Gk Din")},
             .writes = {NAMED_SLOT("v_proj.weight", "v_proj.weight", "Gv Din", .is_view = true)}},
            {.label = "q bias",
             .formula = "q_proj.bias[o] = in_proj.bias[0 + o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "q_proj_bias = in_proj_bias.chunk(3)[0]",
             .reads = {SLOT("in_proj.bias", "Dqkv")},
             .writes = {NAMED_SLOT("q_proj.bias", "q_proj.bias", "Dk", .is_view = true)}},
            {.label = "k bias",
             .formula = "k_proj.bias[o] = in_proj.bias[Dk + o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k_proj_bias = in_proj_bias.chunk(3)[1]",
             .reads = {SLOT("in_proj.bias", "Dqkv"), SLOT("q_proj.bias", "Dk")},
             .writes = {NAMED_SLOT("k_proj.bias", "k_proj.bias", "Gk", .is_view = true)}},
            {.label = "v bias",
             .formula = "v_proj.bias[o] = in_proj.bias[Dk + Gk + o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v_proj_bias = in_proj_bias.chunk(3)[2]",
             .reads = {SLOT("in_proj.bias", "Dqkv"), SLOT("q_proj.bias", "Dk"),
                       SLOT("k_proj.bias", "Gk")},
             .writes = {NAMED_SLOT("v_proj.bias", "v_proj.bias", "Gv", .is_view = true)}},
        },
    .run = split_run,
    .origin = split_origin,
};

// --- project
//
// Project: makes queries, keys and values from the input, each with its own linear layer.
//
//   q[b,l,o] = sum over d of x[b,l,d] * weight[o,d]  + bias[o]
//
// in    x      [B, L, Din]  (in cross-attention, queries have their own input)
//       weight [Dout, Din]  as in nn.Linear: a row for each output
//              or [H, Din, d_k]: a matrix for each head, whose column i makes output h*d_k + i
//       bias   [Dout]       or none
// out   q, k or v [B, L, H*d_k]
// loops b: each sequence; l: each token; o: each number of its query (key, value). The innermost
//       loop runs along the token's numbers d and row o of the weight and adds the products: one
//       output is one dot product. Every token uses the same weight
// cost  B * L * Din * H*d_k multiply-adds for each of the three
// from  Vaswani et al. 2017, section 3.2.2 (W^Q, W^K, W^V of all heads side by side)

enum { PROJECT_IN_X, PROJECT_IN_WEIGHT, PROJECT_IN_BIAS };

static void project(const Tensor *x, const Tensor *weight, const Tensor *bias, Tensor *out)
{
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++) {
                // Each output o has its own sum.
                // Set to 0 outside this loop, it
                // would carry o's terms into o +
                // 1.
                float sum = 0.0f;
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at2(weight, o, d), sum);
                // The bias comes last. As the
                // first term it might change the
                // last bits.
                *tensor_at3(out, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static void project_per_head(const Tensor *x, const Tensor *per_head, const Tensor *bias,
                             Tensor *out)
{
    ptrdiff_t d_k = per_head->shape[2];
    for (ptrdiff_t b = 0; b < out->shape[0]; b++)
        for (ptrdiff_t l = 0; l < out->shape[1]; l++)
            for (ptrdiff_t o = 0; o < out->shape[2]; o++) {
                // The H matrices lie side by side:
                // outputs 0 to d_k - 1 are head 0,
                // the next d_k head 1.
                ptrdiff_t h = o / d_k, i = o % d_k;
                float sum = 0.0f;
                // Here d runs down column i of a
                // matrix [Din, d_k]. Above, it ran
                // along a row.
                for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                    sum = fmaf(*tensor_at3(x, b, l, d), *tensor_at3(per_head, h, d, i), sum);
                *tensor_at3(out, b, l, o) = bias ? sum + *tensor_at1(bias, o) : sum;
            }
}

static bool is_per_head(const StageArgs *args)
{
    return args->in[PROJECT_IN_WEIGHT].rank == 3;
}

static bool project_run(StageArgs *args, Error *err)
{
    (is_per_head(args) ? project_per_head
                       : project)(&args->in[PROJECT_IN_X], &args->in[PROJECT_IN_WEIGHT],
                                  stage_given(args, PROJECT_IN_BIAS), &args->out[0]);
    return true;
}

// '$' in a PyTorch line is replaced by the layer that owns the weight: one layer may make q, k and
// v.
// A layer with one matrix, and one with a matrix for each head.
#define WHOLE_CALL(q, x, rows, out, in) \
    { \
        .label = q, .formula = q "[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])", \
        .torch = q " = $(x)", \
        .reads = {SLOT(x, rows " " in), SLOT(q "_proj.weight", out " " in, .factor = FACTOR_ROWS), \
                  SLOT(q "_proj.bias", out, .optional = true)}, \
        .writes = { \
            NAMED_SLOT(q, q, rows " " out) \
        } \
    }
#define PER_HEAD_CALL(q, x, rows, out, in, d_k) \
    { \
        .label = q, \
        .formula = \
            q "[b,l, h*" d_k " + i] = sum_d x[b,l,d] * per_head[h,d,i]  (+ bias[h*" d_k " + i])", \
        .torch = q " = torch.cat([x @ per_head[h] for h in range(num_heads)], -1)", \
        .loop = "project_per_head", \
        .reads = {SLOT(x, rows " " in), \
                  SLOT(q "_proj.per_head", "H " in " " d_k, .factor = FACTOR_COLUMNS), \
                  SLOT(q "_proj.bias", out, .optional = true)}, \
        .writes = { \
            NAMED_SLOT(q, q, rows " " out) \
        } \
    }

const Stage stage_project = {
    .name = "project",
    .formula = "q[b,l,o] = sum_d x[b,l,d] * weight[o,d]  (+ bias[o])",
    .torch = "q = $(x)",
    .source = "Vaswani et al. 2017, section 3.2.2",
    .influence = INFLUENCE_BY_AXES,
    .calls =
        {
            WHOLE_CALL("q", "x_query", "B Lq", "Dk", "Dq"),
            PER_HEAD_CALL("q", "x_query", "B Lq", "Dk", "Dq", "d_k"),
            WHOLE_CALL("k", "x", "B Lt", "Gk", "Din"),
            PER_HEAD_CALL("k", "x", "B Lt", "Dk", "Din", "d_k"),
            WHOLE_CALL("v", "x", "B Lt", "Gv", "Din"),
            PER_HEAD_CALL("v", "x", "B Lt", "Dv", "Din", "d_v"),
        },
    .terms = {[TERM_MULTIPLY_ADD] = "fmaf(", [TERM_ADD] = "+ *tensor_at"},
    .run = project_run,
    .fast = fast_project,
};
