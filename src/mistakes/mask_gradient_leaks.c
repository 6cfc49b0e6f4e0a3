// Mistake: the gradient of a masked score is passed on, though the score was replaced.
//
//   grad.scores[b,h,i,j] = grad.scores_masked[b,h,i,j]
//
// Behind a mask of -inf the weight is 0, and so is the gradient that comes back. It leaks where masked
// keys have weight: in rows that are masked as a whole, and behind masks that are only small numbers.
#include "mistake.h"

#include <math.h>
#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

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
    .name = "mask_backward",
    .formula = "grad_scores[b,h,i,j] = grad_masked[b,h,i,j]",
    .remark = REMARK_MASKED_OR_NOT,
    .torch = "grad_scores = grad_masked",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "mask",
        .reads = {{.role = "grad.scores", .axes = "B H Lq Lk"}},
        .writes = {{.role = "grad.scores", .tensor = "grad.scores", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    const Words *none = mistake_no_masked_key(scenario);
    if (none)
        return none;
    if (scenario->size[SYMBOL_LK] == 1 && scenario->options.mask_value > -INFINITY)
        return &reason_one_key;
    return mistake_has_weight_behind_mask(scenario) ? NULL : &reason_masked_weight_zero;
}

const Mistake mistake_mask_gradient_leaks = {
    .name = "mask-gradient-leaks",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The gradient goes through the mask.", "기울기가 마스크를 통과합니다.",
        "Scores that were masked get a gradient, so keys that nobody may see are trained. A row "
        "that is masked as a whole spreads NaN over all of q's and k's gradients.",
        "가려진 점수가 기울기를 받아서, 보면 안 되는 키까지 학습됩니다. 행 전체가 가려졌으면 NaN이 "
        "q와 k의 기울기 전체로 퍼집니다.",
        "The gradient of a masked score is 0: its number was replaced.",
        "가려진 점수는 다른 숫자로 바뀌었으므로 기울기를 0으로 합니다."),
};
