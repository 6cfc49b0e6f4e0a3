// View: cuts the columns of q, k and v into heads, without moving a number.
//
//   q_view[b,l,h,i] = q[b,l, h*d_k + i]
//
// in    q [B, L, H*d_k]
// out   q_view [B, L, H, d_k]  a view: the same storage, another shape and stride
// loops none: H * d_k columns are read as H groups of d_k, by other strides over the same memory
// error a width that is not H * d_k, or an input whose memory cannot be looked at so
// (k and v may have G heads, fewer than the H of q: kv_heads)
// cost  nothing: no element is read or written
// from  PyTorch: Tensor.view; Vaswani et al. 2017, section 3.2.2 (d_k = d_model / h)
#include "stage.h"

static bool view(const Tensor *q, ptrdiff_t heads, Tensor *out, Error *err)
{
    ptrdiff_t d_k = q->shape[2] / heads;
    // There is no loop: only strides are
    // new. In q the next token lies H * d_k
    // numbers on, the next number 1. An axis
    // comes between: the next head lies d_k
    // on.
    return tensor_view(q, 4, (ptrdiff_t[]){q->shape[0], q->shape[1], heads, d_k}, out, err);
}

static bool view_run(StageArgs *args, Error *err)
{
    return view(&args->in[0], args->out[0].shape[2], &args->out[0], err);
}

// Head h begins h * d_k columns into the row of the token: the same number, by its old
// index.
static void view_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    (void)slot;
    ptrdiff_t d_k = args->out[0].shape[3];
    Source source = {0, {at[0], at[1], at[2] * d_k + at[3]}};
    float value = *tensor_at3(&args->in[0], source.at[0], source.at[1], source.at[2]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {source},
                           .value = value,
                           .running = value});
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
             .reads = {{.role = "q", .axes = "B Lq Dk"}},
             .writes = {{.role = "q", .tensor = "q_view", .axes = "B Lq H d_k", .is_view = true}}},
            {.label = "k",
             .formula = "k_view[b,l,h,i] = k[b,l, h*d_k + i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k = k.view(batch_size, -1, num_heads, d_k)",
             .reads = {{.role = "k", .axes = "B Lt Gk"}},
             .writes = {{.role = "k", .tensor = "k_view", .axes = "B Lt G d_k", .is_view = true}}},
            {.label = "v",
             .formula = "v_view[b,l,h,i] = v[b,l, h*d_v + i]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v = v.view(batch_size, -1, num_heads, d_v)",
             .reads = {{.role = "v", .axes = "B Lt Gv"}},
             .writes = {{.role = "v", .tensor = "v_view", .axes = "B Lt G d_v", .is_view = true}}},
        },
    .run = view_run,
    .origin = view_origin,
};
