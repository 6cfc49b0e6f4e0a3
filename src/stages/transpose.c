// Transpose: puts the head axis before the tokens, so that each head sees a matrix of its own.
//
//   q_heads[b,h,l,i] = q_view[b,l,h,i]
//
// in    q_view  [B, L, H, d_k]
// out   q_heads [B, H, L, d_k]  a view: the same storage, two strides exchanged; not contiguous
// loops none: the strides of two axes change places, and with them what lies "next" to a number
// cost  nothing: no element is read or written
// from  PyTorch: Tensor.transpose
//
// Cutting the heads with view(B, H, L, d_k) alone would give the right shape with the wrong
// numbers: heads would be made of runs of tokens instead of slices of every token.
#include "stage.h"

static Tensor transpose(const Tensor *q_view)
{
    // Lengths and strides of axes 1 and 2
    // change places. A head is a matrix [L,
    // d_k] now, but its rows still lie H *
    // d_k apart in memory.
    return tensor_transpose(q_view, 1, 2);
}

static bool transpose_run(StageArgs *args, Error *err)
{
    (void)err;
    args->out[0] = transpose(&args->in[0]);
    return true;
}

// The number that is [b,h,l,i] now was [b,l,h,i] before.
static void transpose_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                             TermVisit *visit, void *context)
{
    (void)slot;
    float value = *tensor_at4(&args->in[0], at[0], at[2], at[1], at[3]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[2], at[1], at[3]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_transpose = {
    .name = "transpose",
    .formula = "q_heads[b,h,l,i] = q_view[b,l,h,i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "q = q.transpose(1, 2)",
    .source = "PyTorch: Tensor.transpose",
    .use = STAGE_WITH_HEADS,
    .rounds_once = true,
    .calls =
        {
            {.label = "q",
             .reads = {{.role = "q", .axes = "B Lq H d_k"}},
             .writes = {{.role = "q", .tensor = "q_heads", .axes = "B H Lq d_k", .is_view = true}}},
            {.label = "k",
             .formula = "k_heads[b,h,l,i] = k_view[b,l,h,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k = k.transpose(1, 2)",
             .reads = {{.role = "k", .axes = "B Lt G d_k"}},
             .writes = {{.role = "k", .tensor = "k_heads", .axes = "B G Lt d_k", .is_view = true}}},
            {.label = "v",
             .formula = "v_heads[b,h,l,i] = v_view[b,l,h,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v = v.transpose(1, 2)",
             .reads = {{.role = "v", .axes = "B Lt G d_v"}},
             .writes = {{.role = "v", .tensor = "v_heads", .axes = "B G Lt d_v", .is_view = true}}},
        },
    .run = transpose_run,
    .origin = transpose_origin,
};
