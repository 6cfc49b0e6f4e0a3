// Split: cuts one weight that makes q, k and v together into the three, without moving a number.
//
//   q_proj.weight[o,d] = in_proj.weight[o, d]
//   k_proj.weight[o,d] = in_proj.weight[rows of q + o, d]
//   v_proj.weight[o,d] = in_proj.weight[rows of q and k + o, d]
//
// in    in_proj.weight [Dk + Dk + Dv, Din]  a row for each output: first those of q, then k, then v
//       (or in_proj.bias [Dk + Dk + Dv]), and for k and v what was cut off before, whose rows count
// out   the weight [Dk, Din] (or bias [Dk]) of one of the three: a view of some of the rows
// cost  nothing: no element is read or written
// from  PyTorch: nn.MultiheadAttention (in_proj_weight), Tensor.chunk
#include "stage.h"

enum { IN_FUSED, IN_BEFORE };

// How many rows have been cut off before.
static ptrdiff_t first_row(const StageArgs *args)
{
    ptrdiff_t row = 0;
    // k begins where q ends, v where k ends.
    for (int i = IN_BEFORE; i < STAGE_READS_MAX && args->in[i].storage.bytes; i++)
        row += args->in[i].shape[0];
    return row;
}

static Tensor split(const Tensor *fused, ptrdiff_t first, ptrdiff_t rows)
{
    // Only the place of the first row is
    // new. The strides stay, so no row
    // moves.
    return tensor_narrow(fused, 0, first, rows);
}

static bool split_run(StageArgs *args, Error *err)
{
    (void)err;
    args->out[0] = split(&args->in[IN_FUSED], first_row(args), args->out[0].shape[0]);
    return true;
}

// The same column, so many rows further down. A bias has no columns.
static void split_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                         void *context)
{
    (void)slot;
    const Tensor *fused = &args->in[IN_FUSED];
    Source source = {IN_FUSED, {first_row(args) + at[0], fused->rank == 2 ? at[1] : 0}};
    float value = fused->storage.f32[tensor_place(fused, source.at)];
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {source},
                           .value = value,
                           .running = value});
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
             .formula = "q_proj.weight[o,d] = in_proj.weight[0 + o, d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "q_proj_weight = in_proj_weight.chunk(3)[0]",
             .reads = {{.role = "in_proj.weight", .axes = "Dqkv Din"}},
             .writes = {{.role = "q_proj.weight",
                         .tensor = "q_proj.weight",
                         .axes = "Dk Din",
                         .is_view = true}}},
            {.label = "k",
             .formula = "k_proj.weight[o,d] = in_proj.weight[Dk + o, d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k_proj_weight = in_proj_weight.chunk(3)[1]",
             .reads = {{.role = "in_proj.weight", .axes = "Dqkv Din"},
                       {.role = "q_proj.weight", .axes = "Dk Din"}},
             .writes = {{.role = "k_proj.weight",
                         .tensor = "k_proj.weight",
                         .axes = "Gk Din",
                         .is_view = true}}},
            {.label = "v",
             .formula = "v_proj.weight[o,d] = in_proj.weight[Dk + Gk + o, d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v_proj_weight = in_proj_weight.chunk(3)[2]",
             .reads = {{.role = "in_proj.weight", .axes = "Dqkv Din"},
                       {.role = "q_proj.weight", .axes = "Dk Din"},
                       {.role = "k_proj.weight", .axes = "Gk Din"}},
             .writes = {{.role = "v_proj.weight",
                         .tensor = "v_proj.weight",
                         .axes = "Gv Din",
                         .is_view = true}}},
            {.label = "q bias",
             .formula = "q_proj.bias[o] = in_proj.bias[0 + o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "q_proj_bias = in_proj_bias.chunk(3)[0]",
             .reads = {{.role = "in_proj.bias", .axes = "Dqkv"}},
             .writes =
                 {{.role = "q_proj.bias", .tensor = "q_proj.bias", .axes = "Dk", .is_view = true}}},
            {.label = "k bias",
             .formula = "k_proj.bias[o] = in_proj.bias[Dk + o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k_proj_bias = in_proj_bias.chunk(3)[1]",
             .reads = {{.role = "in_proj.bias", .axes = "Dqkv"},
                       {.role = "q_proj.bias", .axes = "Dk"}},
             .writes =
                 {{.role = "k_proj.bias", .tensor = "k_proj.bias", .axes = "Gk", .is_view = true}}},
            {.label = "v bias",
             .formula = "v_proj.bias[o] = in_proj.bias[Dk + Gk + o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v_proj_bias = in_proj_bias.chunk(3)[2]",
             .reads = {{.role = "in_proj.bias", .axes = "Dqkv"},
                       {.role = "q_proj.bias", .axes = "Dk"},
                       {.role = "k_proj.bias", .axes = "Gk"}},
             .writes =
                 {{.role = "v_proj.bias", .tensor = "v_proj.bias", .axes = "Gv", .is_view = true}}},
        },
    .run = split_run,
    .origin = split_origin,
};
