// Residual: adds what went in to what came out, so that attention only has to find what is missing.
//
//   output_residual[b,l,d] = output[b,l,d] + x[b,l,d]
//
// in    output [B, Lq, Dout]   x [B, Lq, Din]  as it was before a norm; Din = Dout
// out   output_residual [B, Lq, Dout]
// error an output of another width than the input
// cost  B * Lq * Dout additions
// from  He et al. 2016; Vaswani et al. 2017, section 3.1
#include "stage.h"

#include "stages_words.h"

enum { IN_OUTPUT, IN_X };

static void residual(const Tensor *output, const Tensor *x, Tensor *output_residual)
{
    // If output is 0, x goes on unchanged: a
    // layer that finds nothing does no harm.
    // A gradient comes back through this sum
    // undiminished.
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++)
                *tensor_at3(output_residual, b, l, d) =
                    *tensor_at3(output, b, l, d) + *tensor_at3(x, b, l, d);
}

static bool residual_run(StageArgs *args, Error *err)
{
    (void)err;
    residual(&args->in[IN_OUTPUT], &args->in[IN_X], &args->out[0]);
    return true;
}

static bool residual_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t out = args->in[IN_OUTPUT].shape[2], in = args->in[IN_X].shape[2];
    return out == in || error_set(err, TELL(RESIDUAL_WIDTH), out, in);
}

// Two terms: what attention found, then what was there before.
static void residual_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                            void *context)
{
    (void)slot;
    float output = *tensor_at3(&args->in[IN_OUTPUT], at[0], at[1], at[2]);
    float x = *tensor_at3(&args->in[IN_X], at[0], at[1], at[2]);
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(RESIDUAL_OUTPUT),
                           .source_count = 1,
                           .sources = {{IN_OUTPUT, {at[0], at[1], at[2]}}},
                           .value = output,
                           .running = output});
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(RESIDUAL_INPUT),
                           .source_count = 1,
                           .sources = {{IN_X, {at[0], at[1], at[2]}}},
                           .value = x,
                           .running = output + x});
}

const Stage stage_residual = {
    .name = "residual",
    .formula = "output_residual[b,l,d] = output[b,l,d] + x[b,l,d]",
    .torch = "output = residual + output",
    .source = "He et al. 2016; Vaswani et al. 2017, section 3.1",
    .rounds_once = true,
    .calls = {{
                  .reads = {{.role = "output", .axes = "B Lq Dout"},
                            {.role = "residual", .axes = "B Lq Dq", .alias = "x"}},
                  .writes = {{.role = "output", .tensor = "output_residual", .axes = "B Lq Dout"}},
              },
              {
                  .label = "feed_forward",
                  .turn = 1,
                  .formula = "ff_output[b,l,d] = output[b,l,d] + x[b,l,d]",
                  .reads = {{.role = "output", .axes = "B Lq Dout"},
                            {.role = "residual", .axes = "B Lq Dout", .alias = "x"},
                            {.role = "contract.weight", .axes = "Dout Dff"}},
                  .writes = {{.role = "output", .tensor = "ff_output", .axes = "B Lq Dout"}},
              }},
    .options = OPTION(residual),
    .needs = OPTION(residual),
    .terms = {[TERM_ADD] = "+ *tensor_at"},
    .run = residual_run,
    .shapes = residual_shapes,
    .origin = residual_origin,
};
