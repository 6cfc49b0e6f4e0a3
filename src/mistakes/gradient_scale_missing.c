// Mistake: the gradient of the scores is not divided, though the scores were.
//
//   grad.scores[b,h,i,j] = grad.scores_scaled[b,h,i,j]
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    tensor_copy(&args->in[0], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    mistake_tell_element(args, TERM_COPY, (Source){0, {at[0], at[1], at[2], at[3]}}, visit,
                         context);
}

static const Stage stage = {
    .name = "scale_backward",
    .formula = "grad_scores[b,h,i,j] = grad_scaled[b,h,i,j]",
    .remark = REMARK_NOT_DIVIDED,
    .torch = "grad_scores = grad_scaled",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "scale",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "grad.scores", .tensor = "grad.scores", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (!scenario->scaled)
        return &reason_no_scale;
    if (scenario->size[SYMBOL_LK] == 1)
        return &reason_one_key;
    return scenario->options.scale == 1.0f ? &reason_scale_one : NULL;
}

const Mistake mistake_gradient_scale_missing = {
    .name = "gradient-scale-missing",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "On the way back the scores' gradient is not divided by sqrt(d_k).",
        "역전파에서 점수의 기울기를 sqrt(d_k)로 나누지 않았습니다.",
        "The gradients of q and k are sqrt(d_k) times too large; those of v are right.",
        "q와 k의 기울기가 sqrt(d_k)배로 큽니다. v의 기울기는 맞습니다.",
        "What was divided by sqrt(d_k) going forward has a gradient divided by sqrt(d_k).",
        "순전파에서 sqrt(d_k)로 나눈 것은 기울기도 sqrt(d_k)로 나눕니다."),
};
