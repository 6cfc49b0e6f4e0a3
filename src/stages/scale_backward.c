// Scale, backward: what was divided has a gradient that is divided.
//
//   grad.scores[b,h,i,j] = grad.scores_scaled[b,h,i,j] / scale          scale = sqrt(d_k)
//
// in    grad.scores_scaled [B, H, Lq, Lk]; scale
// out   grad.scores [B, H, Lq, Lk]
// cost  B * H * Lq * Lk divisions
// from  d (s / c) / ds = 1 / c; Vaswani et al. 2017, section 3.2.1
#include "stage.h"

#include "fast.h"
#include "stages_words.h"

static void scale_backward(const Tensor *grad_scaled, float divisor, Tensor *grad_scores)
{
    // A score that grows by 1 lets the
    // scaled one grow by 1 / scale, wherever
    // it stands. So the scores themselves
    // are not read.
    for (ptrdiff_t b = 0; b < grad_scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_scores->shape[3]; j++)
                    *tensor_at4(grad_scores, b, h, i, j) =
                        *tensor_at4(grad_scaled, b, h, i, j) / divisor;
}

static bool scale_backward_run(StageArgs *args, Error *err)
{
    (void)err;
    scale_backward(&args->in[0], args->options->scale, &args->out[0]);
    return true;
}

static void scale_backward_origin(const StageArgs *args, int slot, const ptrdiff_t at[],
                                  TermVisit *visit, void *context)
{
    (void)slot;
    float grad = *tensor_at4(&args->in[0], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_DIVIDE,
                           .what = TELL(SCALE_DIVIDE),
                           .source_count = 1,
                           .sources = {{0, {at[0], at[1], at[2], at[3]}}},
                           .value = args->options->scale,
                           .running = grad / args->options->scale});
}

const Stage stage_scale_backward = {
    .name = "scale_backward",
    .formula = "grad_scores[b,h,i,j] = grad_scaled[b,h,i,j] / scale",
    .torch = "grad_scores = grad_scaled / scale",
    .source = "Vaswani et al. 2017, section 3.2.1, footnote 4",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "scale",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk", .alias = "grad_scaled"}},
        .writes = {{.role = "grad.scores", .tensor = "grad.scores", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(scale),
    .terms = {[TERM_DIVIDE] = "/ divisor"},
    .run = scale_backward_run,
    .fast = fast_scale,
    .origin = scale_backward_origin,
};
