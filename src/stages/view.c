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
            {.label = "q",
             .reads = {SLOT("q", "B Lq Dk")},
             .writes = {NAMED_SLOT("q", "q_view", "B Lq H d_k", .is_view = true)}},
            {.label = "k",
             .formula = "k_view[b,l,h,i] = k[b,l, h*d_k + i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k = k.view(batch_size, -1, num_heads, d_k)",
             .reads = {SLOT("k", "B Lt Gk")},
             .writes = {NAMED_SLOT("k", "k_view", "B Lt G d_k", .is_view = true)}},
            {.label = "v",
             .formula = "v_view[b,l,h,i] = v[b,l, h*d_v + i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v = v.view(batch_size, -1, num_heads, d_v)",
             .reads = {SLOT("v", "B Lt Gv")},
             .writes = {NAMED_SLOT("v", "v_view", "B Lt G d_v", .is_view = true)}},
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

const Stage stage_view_backward = {
    .name = "view_backward",
    .formula = "grad_q[b,l, h*d_k + i] = grad_q_view[b,l,h,i]",
    .remark = REMARK_A_COPY,
    .torch = "grad_q = grad_q.reshape(batch_size, -1, num_heads * d_k)",
    .source = "PyTorch: Tensor.view",
    .rounds_once = true,
    .calls =
        {
            {.label = "q",
             .of = "view",

             .reads = {SLOT("grad.q", "B Lq H d_k", .alias = "grad_q_view")},
             .writes = {NAMED_SLOT("grad.q", "grad.q", "B Lq Dk")}},
            {.label = "k",
             .of = "view",
             .formula = "grad_k[b,l, h*d_k + i] = grad_k_view[b,l,h,i]",
             .remark = REMARK_A_COPY,
             .torch = "grad_k = grad_k.reshape(batch_size, -1, num_heads * d_k)",
             .reads = {SLOT("grad.k", "B Lt G d_k", .alias = "grad_k_view")},
             .writes = {NAMED_SLOT("grad.k", "grad.k", "B Lt Gk")}},
            {.label = "v",
             .of = "view",
             .formula = "grad_v[b,l, h*d_v + i] = grad_v_view[b,l,h,i]",
             .remark = REMARK_A_COPY,
             .torch = "grad_v = grad_v.reshape(batch_size, -1, num_heads * d_k)",
             .reads = {SLOT("grad.v", "B Lt G d_v", .alias = "grad_v_view")},
             .writes = {NAMED_SLOT("grad.v", "grad.v", "B Lt Gv")}},
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
             .reads = {SLOT("q", "B Lq H d_k")},
             .writes = {NAMED_SLOT("q", "q_heads", "B H Lq d_k", .is_view = true)}},
            {.label = "k",
             .formula = "k_heads[b,h,l,i] = k_view[b,l,h,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k = k.transpose(1, 2)",
             .reads = {SLOT("k", "B Lt G d_k")},
             .writes = {NAMED_SLOT("k", "k_heads", "B G Lt d_k", .is_view = true)}},
            {.label = "v",
             .formula = "v_heads[b,h,l,i] = v_view[b,l,h,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v = v.transpose(1, 2)",
             .reads = {SLOT("v", "B Lt G d_v")},
             .writes = {NAMED_SLOT("v", "v_heads", "B G Lt d_v", .is_view = true)}},
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

const Stage stage_transpose_backward = {
    .name = "transpose_backward",
    .formula = "grad_q_view[b,l,h,i] = grad_q_heads[b,h,l,i]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_q = grad_q.transpose(1, 2)",
    .source = "PyTorch: Tensor.transpose",
    .rounds_once = true,
    .calls =
        {
            {.label = "q",
             .of = "transpose",

             .reads = {SLOT("grad.q", "B H Lq d_k", .alias = "grad_q_heads")},
             .writes = {NAMED_SLOT("grad.q", "grad.q", "B Lq H d_k", .is_view = true)}},
            {.label = "k",
             .of = "transpose",
             .formula = "grad_k_view[b,l,h,i] = grad_k_heads[b,h,l,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "grad_k = grad_k.transpose(1, 2)",
             .reads = {SLOT("grad.k", "B G Lt d_k", .alias = "grad_k_heads")},
             .writes = {NAMED_SLOT("grad.k", "grad.k", "B Lt G d_k", .is_view = true)}},
            {.label = "v",
             .of = "transpose",
             .formula = "grad_v_view[b,l,h,i] = grad_v_heads[b,h,l,i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "grad_v = grad_v.transpose(1, 2)",
             .reads = {SLOT("grad.v", "B G Lt d_v", .alias = "grad_v_heads")},
             .writes = {NAMED_SLOT("grad.v", "grad.v", "B Lt G d_v", .is_view = true)}},
        },
    .run = transpose_backward_run,
};
