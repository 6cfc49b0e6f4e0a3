// Position, backward: what was added passes the gradient on as it is, without moving a number.
//
//   grad.embeddings[b,l,d] = grad.x[b,l,d]
//
// in    grad.x          [B, L, Din]
// out   grad.embeddings [B, L, Din]  the same storage; the pattern itself learns nothing
// cost  nothing: no element is read or written
// from  d (e + p) / de = 1; Vaswani et al. 2017, section 3.5
#include "stage.h"

static void position_backward(const Tensor *grad_x, Tensor *grad_embeddings)
{
    // A sum gives both its parts the whole
    // gradient. The pattern is not learned,
    // so only the embeddings take theirs:
    // the same memory under another name.
    *grad_embeddings = *grad_x;
}

static bool position_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    position_backward(&args->in[0], &args->out[0]);
    return true;
}

static void position_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                     TermVisit *visit, void *context)
{
    (void)slot;
    float value = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_PLACE,
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = value,
                           .running = value});
}

const Stage stage_position_backward = {
    .name = "position_backward",
    .formula = "grad_embeddings[b,l,d] = grad_x[b,l,d]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_embeddings = grad_x",
    .source = "Vaswani et al. 2017, section 3.5",
    .rounds_once = true,
    .calls = {{
        .of = "position",
        .reads = {{.role = "grad.x", .axes = "B L Din"}},
        .writes =
            {{.role = "grad.x", .tensor = "grad.embeddings", .axes = "B L Din", .is_view = true}},
    }},
    .run = position_backward_run,
    .origin = position_backward_origin,
};
