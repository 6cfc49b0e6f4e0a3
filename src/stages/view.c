// Splits the columns of q, k and v into heads and moves the head axis before the tokens; and back.
#include "fast.h"
#include "describe.h"
#include "stage.h"

// --- view
//
// View: splits the columns of q, k and v into heads, without moving a number.
//
//   q_view[b,l,h,i] = q[b,l, h*d_k + i]
//
// in    q [B, L, H*d_k]
// out   q_view [B, L, H, d_k]  a view: the same storage, another shape and stride
// loops none: other strides over the same memory read H * d_k columns as H groups of d_k
// error a width that is not H * d_k, or an input whose strides do not allow this view
// (k and v may have G heads, fewer than the H of q: kv_heads)
// cost  nothing: no element is read or written
// from  PyTorch: Tensor.view; Vaswani et al. 2017, section 3.2.2 (d_k = d_model / h)

static bool view(const Tensor *q, ptrdiff_t heads, Tensor *out, Error *err)
{
    ptrdiff_t d_k = q->shape[2] / heads;
    // No loop: only the strides are new. In q
    // the next token is H * d_k numbers on,
    // the next number 1. The new axis comes
    // between: the next head is d_k on.
    return tensor_view(q, 4, (ptrdiff_t[]){q->shape[0], q->shape[1], heads, d_k}, out, err);
}

static bool view_run(StageArgs *args, Error *err)
{
    return view(&args->in[0], args->out[0].shape[2], &args->out[0], err);
}

#define VIEW_CALL(q, rows, heads, width, d_k) \
    { \
        .label = q, .formula = q "_view[b,l,h,i] = " q "[b,l, h*" d_k " + i]", \
        .remark = REMARK_NO_NUMBER_MOVES, \
        .torch = q " = " q ".view(batch_size, -1, num_heads, " d_k ")", \
        .reads = {SLOT(q, "B " rows " " width)}, .writes = { \
            NAMED_SLOT(q, q "_view", "B " rows " " heads " " d_k, .is_view = true) \
        } \
    }

const Stage stage_view = {
    .name = "view",
    .formula = "q_view[b,l,h,i] = q[b,l, h*d_k + i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "q = q.view(batch_size, -1, num_heads, d_k)",
    .source = "PyTorch: Tensor.view; Vaswani et al. 2017, section 3.2.2",
    .use = STAGE_WITH_HEADS,
    .rounds_once = true,
    .calls =
        {
            VIEW_CALL("q", "Lq", "H", "Dk", "d_k"),
            VIEW_CALL("k", "Lt", "G", "Gk", "d_k"),
            VIEW_CALL("v", "Lt", "G", "Gv", "d_v"),
        },
    .run = view_run,
};

// --- view_backward
//
// View, backward: puts the heads' gradients side by side again.
//
//   grad.q[b,l, h*d_k + i] = grad.q_view[b,l,h,i]
//
// in    grad.q_view [B, Lq, H, d_k], stored head after head; same for k and v
// out   grad.q [B, Lq, H*d_k]  a copy: no stride can join separate blocks into one axis
// cost  B * Lq * H*d_k copies
// from  PyTorch: the gradient of Tensor.view

static void view_backward(const Tensor *grad_view, Tensor *grad_q)
{
    ptrdiff_t d_k = grad_view->shape[3];
    // Here the next head is L * d_k numbers
    // on: each head has its own block. One
    // axis H * d_k needs them adjacent, so
    // numbers must move.
    for (ptrdiff_t b = 0; b < grad_view->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_view->shape[1]; l++)
            for (ptrdiff_t h = 0; h < grad_view->shape[2]; h++)
                for (ptrdiff_t i = 0; i < d_k; i++)
                    *tensor_at3(grad_q, b, l, h * d_k + i) = *tensor_at4(grad_view, b, l, h, i);
}

RUN_ON_ONE(view_backward)

// Column at[2] is number at[2] % d_k of head at[2] / d_k.
static void view_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    ptrdiff_t d_k = terms->args->in[0].shape[3];
    term_copy(terms, TERM_COPY, NULL, SOURCE(0, at[0], at[1], at[2] / d_k, at[2] % d_k));
}

#define VIEW_BACKWARD_CALL(q, rows, heads, width, d_k) \
    { \
        .label = q, .of = "view", \
        .formula = "grad_" q "[b,l, h*" d_k " + i] = grad_" q "_view[b,l,h,i]", \
        .remark = REMARK_A_COPY, \
        .torch = "grad_" q " = grad_" q ".reshape(batch_size, -1, num_heads * d_k)", \
        .reads = {SLOT("grad." q, "B " rows " " heads " " d_k, .alias = "grad_" q "_view")}, \
        .writes = { \
            NAMED_SLOT("grad." q, "grad." q, "B " rows " " width) \
        } \
    }

const Stage stage_view_backward = {
    .name = "view_backward",
    .formula = "grad_q[b,l, h*d_k + i] = grad_q_view[b,l,h,i]",
    .remark = REMARK_A_COPY,
    .torch = "grad_q = grad_q.reshape(batch_size, -1, num_heads * d_k)",
    .source = "PyTorch: Tensor.view",
    .rounds_once = true,
    .calls =
        {
            VIEW_BACKWARD_CALL("q", "Lq", "H", "Dk", "d_k"),
            VIEW_BACKWARD_CALL("k", "Lt", "G", "Gk", "d_k"),
            VIEW_BACKWARD_CALL("v", "Lt", "G", "Gv", "d_v"),
        },
    .run = view_backward_run,
    .fast = fast_view_backward,
    .origin = view_backward_origin,
};

// --- transpose
//
// Transpose: puts the head axis before the tokens, so that each head has its own matrix.
//
//   q_heads[b,h,l,i] = q_view[b,l,h,i]
//
// in    q_view  [B, L, H, d_k]
// out   q_heads [B, H, L, d_k]  a view: the same storage, two strides exchanged; not contiguous
// loops none: the strides of two axes swap, and with them which number comes next
// cost  nothing: no element is read or written
// from  PyTorch: Tensor.transpose
//
// view(B, H, L, d_k) alone gives the right shape with the wrong numbers: each head would get some
// whole tokens instead of a slice of every token.

static Tensor transpose(const Tensor *q_view)
{
    // Lengths and strides of axes 1 and 2
    // swap. A head is now a matrix [L, d_k],
    // but its rows still lie H * d_k apart in
    // memory.
    return tensor_transpose(q_view, 1, 2);
}

static bool transpose_run(StageArgs *args, Error *err)
{
    args->out[0] = transpose(&args->in[0]);
    return true;
}

#define TRANSPOSE_CALL(q, rows, heads, d_k) \
    { \
        .label = q, .formula = q "_heads[b,h,l,i] = " q "_view[b,l,h,i]", \
        .remark = REMARK_NO_NUMBER_MOVES, .torch = q " = " q ".transpose(1, 2)", \
        .reads = {SLOT(q, "B " rows " " heads " " d_k)}, .writes = { \
            NAMED_SLOT(q, q "_heads", "B " heads " " rows " " d_k, .is_view = true) \
        } \
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
            TRANSPOSE_CALL("q", "Lq", "H", "d_k"),
            TRANSPOSE_CALL("k", "Lt", "G", "d_k"),
            TRANSPOSE_CALL("v", "Lt", "G", "d_v"),
        },
    .run = transpose_run,
};

// --- transpose_backward
//
// Transpose, backward: swaps the two axes back, without moving a number.
//
//   grad.q_view[b,l,h,i] = grad.q_heads[b,h,l,i]
//
// in    grad.q_heads [B, H, Lq, d_k]; same for k and v
// out   grad.q_view  [B, Lq, H, d_k]  a view: the same storage, two strides exchanged
// cost  nothing: no element is read or written
// from  PyTorch: the gradient of Tensor.transpose

static void transpose_backward(const Tensor *grad_heads, Tensor *grad_view)
{
    // Swapping twice restores the axes, so
    // backward is the same call.
    *grad_view = tensor_transpose(grad_heads, 1, 2);
}

RUN_ON_ONE(transpose_backward)

#define TRANSPOSE_BACKWARD_CALL(q, rows, heads, d_k) \
    { \
        .label = q, .of = "transpose", \
        .formula = "grad_" q "_view[b,l,h,i] = grad_" q "_heads[b,h,l,i]", \
        .remark = REMARK_NO_NUMBER_MOVES, .torch = "grad_" q " = grad_" q ".transpose(1, 2)", \
        .reads = {SLOT("grad." q, "B " heads " " rows " " d_k, .alias = "grad_" q "_heads")}, \
        .writes = { \
            NAMED_SLOT("grad." q, "grad." q, "B " rows " " heads " " d_k, .is_view = true) \
        } \
    }

const Stage stage_transpose_backward = {
    .name = "transpose_backward",
    .formula = "grad_q_view[b,l,h,i] = grad_q_heads[b,h,l,i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_q = grad_q.transpose(1, 2)",
    .source = "PyTorch: Tensor.transpose",
    .rounds_once = true,
    .calls =
        {
            TRANSPOSE_BACKWARD_CALL("q", "Lq", "H", "d_k"),
            TRANSPOSE_BACKWARD_CALL("k", "Lt", "G", "d_k"),
            TRANSPOSE_BACKWARD_CALL("v", "Lt", "G", "d_v"),
        },
    .run = transpose_backward_run,
};
