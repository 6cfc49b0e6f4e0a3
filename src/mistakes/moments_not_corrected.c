// Mistake: Adam's moments are used as they are, though both began at 0 and are too small at first.
//
//   parameter[o,d] = parameter[o,d] - rate * moment1[o,d] / (sqrt(moment2[o,d]) + epsilon)
#include "mistake.h"

#include <math.h>
#include "mistake_reason.h"
#include "mistakes_words.h"

enum { IN_PARAMETER, IN_MOMENT1, IN_MOMENT2 };

static void adam(const Tensor *parameter, const Tensor *moment1, const Tensor *moment2,
                 const StageOptions *options, Tensor *next)
{
    for (ptrdiff_t o = 0; o < parameter->shape[0]; o++)
        for (ptrdiff_t d = 0; d < parameter->shape[1]; d++) {
            float size = sqrtf(*tensor_at2(moment2, o, d)) + options->epsilon;
            *tensor_at2(next, o, d) =
                *tensor_at2(parameter, o, d) - options->rate * (*tensor_at2(moment1, o, d) / size);
        }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    adam(&args->in[IN_PARAMETER], &args->in[IN_MOMENT1], &args->in[IN_MOMENT2], args->options,
         &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    float parameter = *tensor_at2(&args->in[IN_PARAMETER], at[0], at[1]);
    float moment1 = *tensor_at2(&args->in[IN_MOMENT1], at[0], at[1]);
    float moment2 = *tensor_at2(&args->in[IN_MOMENT2], at[0], at[1]);
    float size = sqrtf(moment2) + args->options->epsilon;
    float step = args->options->rate * (moment1 / size);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(TERM_PARAMETER),
                           .source_count = 1,
                           .sources = {{IN_PARAMETER, {at[0], at[1]}}},
                           .value = parameter,
                           .running = parameter});
    visit(context, &(Term){.kind = TERM_SUBTRACT,
                           .what = TELL(TERM_MINUS_STEP),
                           .source_count = 2,
                           .sources = {{IN_MOMENT1, {at[0], at[1]}}, {IN_MOMENT2, {at[0], at[1]}}},
                           .value = step,
                           .running = parameter - step});
}

static const Stage stage = {
    .name = "adam",
    .formula = "next[o,d] = parameter[o,d] - rate * m[o,d] / (sqrt(v[o,d]) + epsilon)",
    .torch = "parameter = parameter - lr * m / (v.sqrt() + eps)",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls = {{
        .reads = {{.role = "parameter", .axes = "Dout Din"},
                  {.role = "moment1", .axes = "Dout Din"},
                  {.role = "moment2", .axes = "Dout Din"}},
        .writes = {{.role = "parameter", .tensor = "parameter_next", .axes = "Dout Din"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    return scenario_tensor(scenario, "parameter") ? NULL : &reason_no_update;
}

const Mistake mistake_moments_not_corrected = {
    .name = "moments-not-corrected",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "Adam's moments are not corrected for having begun at 0.",
        "0에서 시작한 Adam의 모멘트를 보정하지 않았습니다.",
        "At the first steps every weight moves by the wrong amount: at step 1 about 3 times too "
        "far with beta1 = 0.9 and beta2 = 0.999. Later it fades.",
        "처음 몇 단계에서 가중치가 엉뚱한 만큼 움직입니다. beta1이 0.9, beta2가 0.999이면 첫 "
        "단계에서 약 세 배나 멀리 갑니다. 뒤로 갈수록 차이가 줄어듭니다.",
        "Divide moment1 by 1 - beta1^t and moment2 by 1 - beta2^t before they are used; t counts "
        "the steps from 1.",
        "쓰기 전에 moment1은 1 - beta1^t로, moment2는 1 - beta2^t로 나눕니다. t는 1부터 세는 단계 "
        "번호입니다."),
};
