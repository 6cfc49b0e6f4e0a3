// Concat: lays the heads' results of each token side by side.
//
//   context_transposed[b,l,h,i]     = context_heads[b,h,l,i]       a view, two strides exchanged
//   context_concat[b,l, h*d_v + i]  = context_transposed[b,l,h,i]  a copy, in this order
//
// in    context_heads [B, H, Lq, d_v]
// out   context_transposed [B, Lq, H, d_v]  not contiguous
//       context_concat     [B, Lq, H*d_v]   contiguous
// loops b: each sequence; l: each token; h: each head; i: each number that the head found for that
//       token. It goes to column h * d_v + i: head 0 fills the first d_v columns, head 1 the next
// cost  B * Lq * H * d_v copies
// from  Vaswani et al. 2017, section 3.2.2: Concat(head_1, ..., head_h)
//
// The copy is what contiguous() does: after the transpose the numbers of one token are no longer
// neighbours in memory, and no stride can make one axis of them. Forgetting to transpose back gives
// the right shape, filled with slices of different tokens.
#include "stage.h"

#include "fast.h"

enum { OUT_TRANSPOSED, OUT_CONCAT };

static void concat(const Tensor *context_transposed, Tensor *context_concat)
{
    ptrdiff_t d_v = context_transposed->shape[3];
    // [B, Lq, H, d_v] becomes [B, Lq,
    // H*d_v]. The loops follow the output,
    // which is filled from first to last;
    // what they read jumps from head to
    // head.
    for (ptrdiff_t b = 0; b < context_transposed->shape[0]; b++)
        for (ptrdiff_t l = 0; l < context_transposed->shape[1]; l++)
            for (ptrdiff_t h = 0; h < context_transposed->shape[2]; h++)
                for (ptrdiff_t i = 0; i < d_v; i++)
                    *tensor_at3(context_concat, b, l, h * d_v + i) =
                        *tensor_at4(context_transposed, b, l, h, i);
}

static bool concat_prepare(StageArgs *args, Error *err)
{
    (void)err;
    args->out[OUT_TRANSPOSED] = tensor_transpose(&args->in[0], 1, 2);
    return true;
}

static bool concat_run(StageArgs *args, Error *err)
{
    concat_prepare(args, err);
    concat(&args->out[OUT_TRANSPOSED], &args->out[OUT_CONCAT]);
    return true;
}

// The outputs have different indices for the same number. A column of the second is taken
// apart again: its quotient by d_v is the head, the remainder the place in it.
static void concat_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                          void *context)
{
    ptrdiff_t d_v = args->in[0].shape[3];
    ptrdiff_t h = slot == OUT_TRANSPOSED ? at[2] : at[2] / d_v;
    ptrdiff_t i = slot == OUT_TRANSPOSED ? at[3] : at[2] % d_v;
    float value = *tensor_at4(&args->in[0], at[0], h, at[1], i);
    visit(context, &(Term){.kind = slot == OUT_TRANSPOSED ? TERM_PLACE : TERM_COPY,
                           .source_count = 1,
                           .sources = {{0, {at[0], h, at[1], i}}},
                           .value = value,
                           .running = value});
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
    .main_output = OUT_CONCAT,
    .calls = {{
        .reads = {{.role = "context", .axes = "B H Lq d_v"}},
        .writes = {{.role = "context_transposed",
                    .tensor = "context_transposed",
                    .axes = "B Lq H d_v",
                    .is_view = true},
                   {.role = "context", .tensor = "context_concat", .axes = "B Lq Dv"}},
    }},
    .run = concat_run,
    .prepare = concat_prepare,
    .fast = fast_concat,
    .origin = concat_origin,
};
