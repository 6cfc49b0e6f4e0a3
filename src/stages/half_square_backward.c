// Half square, backward: where the gradients begin.
//
//   grad.output[b,l,d] = d loss / d output[b,l,d] = output[b,l,d]
//
// in    output      [B, Lq, Dout]; where there is no output projection, the context
// out   grad.output [B, Lq, Dout]  how much the loss grows when that number grows by one
// cost  B * Lq * Dout copies
// from  d (x * x / 2) / dx = x
#include "stage.h"

#include "stages_words.h"

static void half_square_backward(const Tensor *output, Tensor *grad_output)
{
    // A square has twice its number as
    // slope; the half in the loss is there
    // to take that 2 away.
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                *tensor_at3(grad_output, b, l, d) = *tensor_at3(output, b, l, d);
}

static bool half_square_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    half_square_backward(&args->in[0], &args->out[0]);
    return true;
}

static void half_square_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                        TermVisit *visit, void *context)
{
    (void)slot;
    float number = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(HALF_ITSELF),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = number,
                           .running = number});
}

const Stage stage_half_square_backward = {
    .name = "half_square_backward",
    .formula = "grad_output[b,l,d] = output[b,l,d]",
    .torch = "grad_output = output",
    .source = "Goodfellow et al. 2016, section 6.5",
    .reach = REACH_BY_AXES,
    .calls =
        {
            {.of = "half_square",
             .reads = {{.role = "output", .axes = "B Lq Dout"}},
             .writes = {{.role = "grad.output", .tensor = "grad.output", .axes = "B Lq Dout"}}},
            {.of = "half_square",
             .formula = "grad_context[b,l,d] = context[b,l,d]",
             .torch = "grad_context = context",
             .reads = {{.role = "context", .axes = "B Lq Dv"}},
             .writes = {{.role = "grad.context", .tensor = "grad.context", .axes = "B Lq Dv"}}},
        },
    .run = half_square_backward_run,
    .origin = half_square_backward_origin,
};
