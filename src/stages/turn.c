// Turn: exchanges the axes of a weight that GPT-2's Conv1D keeps as (in, out), without moving a number.
//
//   in_proj.weight[o,d] = conv1d.weight[d,o]
//
// in    conv1d.weight [Din, Dout]  a column for each output
// out   weight        [Dout, Din]  a row for each output, as nn.Linear keeps it: a view, two strides
//                                  exchanged
// cost  nothing: no element is read or written
// from  Radford et al. 2019 (GPT-2), whose code multiplies x by a matrix (in, out)
#include "stage.h"

static Tensor turn(const Tensor *conv1d)
{
    // x W with W (in, out) is what x W^T is
    // with W (out, in). Now every later
    // stage meets one form alone.
    return tensor_transpose(conv1d, 0, 1);
}

static bool turn_run(StageArgs *args, Error *err)
{
    (void)err;
    args->out[0] = turn(&args->in[0]);
    return true;
}

static void turn_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    (void)slot;
    float value = *tensor_at2(&args->in[0], at[1], at[0]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {{0, {at[1], at[0]}}},
                           .value = value,
                           .running = value});
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
             .reads = {{.role = "conv1d.in_proj.weight", .axes = "Din Dqkv"}},
             .writes = {{.role = "in_proj.weight",
                         .tensor = "in_proj.weight",
                         .axes = "Dqkv Din",
                         .is_view = true}}},
            {.label = "out_proj",
             .formula = "out_proj.weight[o,d] = conv1d.out_proj.weight[d,o]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "out_proj_weight = c_proj.weight.T",
             .reads = {{.role = "conv1d.out_proj.weight", .axes = "Dv Dout"}},
             .writes = {{.role = "out_proj.weight",
                         .tensor = "out_proj.weight",
                         .axes = "Dout Dv",
                         .is_view = true}}},
            {.label = "expand",
             .formula = "expand.weight[f,d] = conv1d.expand.weight[d,f]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "expand_weight = c_fc.weight.T",
             .reads = {{.role = "conv1d.expand.weight", .axes = "Dout Dff"}},
             .writes = {{.role = "expand.weight",
                         .tensor = "expand.weight",
                         .axes = "Dff Dout",
                         .is_view = true}}},
            {.label = "contract",
             .formula = "contract.weight[d,f] = conv1d.contract.weight[f,d]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "contract_weight = c_proj.weight.T",
             .reads = {{.role = "conv1d.contract.weight", .axes = "Dff Dout"}},
             .writes = {{.role = "contract.weight",
                         .tensor = "contract.weight",
                         .axes = "Dout Dff",
                         .is_view = true}}},
        },
    .run = turn_run,
    .origin = turn_origin,
};
