// Half square: a loss for a scenario that knows no right answer, so that gradients have a place to
// begin. The smaller every number of the output, the better.
//
//   losses[b,l,d] = output[b,l,d] * (output[b,l,d] / 2)
//   loss          = sum of losses
//
// in    output [B, Lq, Dout]; where there is no output projection, the context [B, Lq, H*d_v]
// out   losses, of the same shape; loss [1]
// cost  B * Lq * Dout multiplications
// from  Goodfellow et al. 2016, section 7.1.1 (there of weights): its gradient is the output itself
#include "stage.h"

#include "stages_words.h"

enum { OUT_LOSSES, OUT_LOSS };

static void half_square(const Tensor *output, Tensor *losses, Tensor *loss)
{
    float sum = 0.0f;
    for (ptrdiff_t b = 0; b < output->shape[0]; b++)
        for (ptrdiff_t l = 0; l < output->shape[1]; l++)
            for (ptrdiff_t d = 0; d < output->shape[2]; d++) {
                // Half of a float is exact but for
                // the very smallest, so only the
                // product is rounded.
                float number = *tensor_at3(output, b, l, d);
                *tensor_at3(losses, b, l, d) = number * (number * 0.5f);
                sum = sum + *tensor_at3(losses, b, l, d);
            }
    *tensor_at1(loss, 0) = sum;
}

static bool half_square_run(StageArgs *args, Error *err)
{
    (void)err;
    half_square(&args->in[0], &args->out[OUT_LOSSES], &args->out[OUT_LOSS]);
    return true;
}

// A single loss has one term; their sum has one for each number of the output.
static void half_square_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                               TermVisit *visit, void *context)
{
    const Tensor *output = &args->in[0];
    if (slot == OUT_LOSSES) {
        float number = *tensor_at3(output, at[0], at[1], at[2]);
        visit(context, &(Term){.kind = TERM_FACTOR,
                               .what = TELL(TIMES_HALF),
                               .source_count = 1,
                               .sources = {{0, {at[0], at[1], at[2]}}},
                               .value = number * 0.5f,
                               .running = number * (number * 0.5f)});
        return;
    }
    float sum = 0.0f;
    ptrdiff_t place[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(output, place)) {
        float number = *tensor_at3(output, place[0], place[1], place[2]);
        sum = sum + number * (number * 0.5f);
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(HALF_SQUARE),
                               .source_count = 1,
                               .sources = {{0, {place[0], place[1], place[2]}}},
                               .value = number * (number * 0.5f),
                               .running = sum});
    }
}

const Stage stage_half_square = {
    .name = "half_square",
    .formula = "losses[b,l,d] = output[b,l,d] * output[b,l,d] / 2; loss = sum_d,l,b losses[b,l,d]",
    .torch = "loss = (output ** 2).sum() / 2",
    .source = "Goodfellow et al. 2016, section 7.1.1",
    .use = STAGE_WITH_BACKWARD,
    .main_output = OUT_LOSS,
    .calls =
        {
            {.reads = {{.role = "output", .axes = "B Lq Dout"}},
             .writes = {{.role = "losses", .tensor = "losses", .axes = "B Lq Dout"},
                        {.role = "loss", .tensor = "loss", .axes = "1"}}},
            {.formula = "losses[b,l,d] = context[b,l,d] * context[b,l,d] / 2; loss = sum_d,l,b "
                        "losses[b,l,d]",
             .torch = "loss = (context ** 2).sum() / 2",
             .reads = {{.role = "context", .axes = "B Lq Dv"}},
             .writes = {{.role = "losses", .tensor = "losses", .axes = "B Lq Dv"},
                        {.role = "loss", .tensor = "loss", .axes = "1"}}},
        },
    .terms = {[TERM_FACTOR] = "number * (", [TERM_ADD] = "sum + "},
    .run = half_square_run,
    .origin = half_square_origin,
};
