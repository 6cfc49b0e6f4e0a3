// ReLU: lets what is above 0 through, and nothing else: the first of the bends that stand in
// feed-forward.
//
//   ff_relu[b,l,f] = max(0, hidden[b,l,f])
//
// in    hidden [B, Lq, Dff]
// out   ff_relu [B, Lq, Dff]
// cost  B * Lq * Dff comparisons
// from  Vaswani et al. 2017, section 3.3
#include "stage.h"

#include "stages_words.h"

static void relu(const Tensor *hidden, Tensor *ff_relu)
{
    for (ptrdiff_t b = 0; b < hidden->shape[0]; b++)
        for (ptrdiff_t l = 0; l < hidden->shape[1]; l++)
            for (ptrdiff_t f = 0; f < hidden->shape[2]; f++) {
                // What is not a number stays none:
                // it is not below 0 either.
                float x = *tensor_at3(hidden, b, l, f);
                *tensor_at3(ff_relu, b, l, f) = x <= 0.0f ? 0.0f : x;
            }
}

static bool relu_run(StageArgs *args, Error *err)
{
    (void)err;
    relu(&args->in[0], &args->out[0]);
    return true;
}

static void relu_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    (void)slot;
    float x = *tensor_at3(&args->in[0], at[0], at[1], at[2]);
    float left = x <= 0.0f ? 0.0f : x;
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = x <= 0.0f ? TELL(RELU_CLOSED) : TELL(RELU_OPEN),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2]}}},
                           .value = x <= 0.0f ? 0.0f : 1.0f,
                           .running = left});
}

const Stage stage_relu = {
    .name = "relu",
    .formula = "ff_relu[b,l,f] = max(0, hidden[b,l,f])",
    .torch = "x = relu(x)",
    .source = "Vaswani et al. 2017, section 3.3",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "hidden", .axes = "B Lq Dff"}},
        .writes = {{.role = "hidden", .tensor = "ff_relu", .axes = "B Lq Dff"}},
    }},
    .options = OPTION(feed_forward) | OPTION(relu),
    .needs = OPTION(feed_forward) | OPTION(relu),
    .terms = {[TERM_FACTOR] = "? 0.0f : x"},
    .run = relu_run,
    .origin = relu_origin,
};
