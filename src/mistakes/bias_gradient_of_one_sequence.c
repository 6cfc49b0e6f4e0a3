// Mistake: the gradient of a bias is summed over one axis, the tokens, and not over the batch: the
// sum begins anew with each sequence, so that the last one's stays.
//
//   grad.bias[o] = sum over l of grad.q[B-1,l,o]
#include "mistake.h"

#include "mistake_reason.h"
#include "mistakes_words.h"

static void linear_backward_bias(const Tensor *grad_q, Tensor *grad_bias)
{
    for (ptrdiff_t o = 0; o < grad_bias->shape[0]; o++)
        for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++) {
            float sum = 0.0f;
            for (ptrdiff_t l = 0; l < grad_q->shape[1]; l++)
                sum = sum + *tensor_at3(grad_q, b, l, o);
            *tensor_at1(grad_bias, o) = sum;
        }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    linear_backward_bias(&args->in[0], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    const Tensor *grad_q = &args->in[0];
    ptrdiff_t b = grad_q->shape[0] - 1;
    float sum = 0.0f;
    for (ptrdiff_t l = 0; l < grad_q->shape[1]; l++) {
        float grad = *tensor_at3(grad_q, b, l, at[0]);
        sum = sum + grad;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(TERM_LAST_SEQUENCE),
                               .source_count = 1,
                               .sources = {{0, {b, l, at[0]}}},
                               .value = grad,
                               .running = sum});
    }
}

static const Stage stage = {
    .name = "linear_backward_bias",
    .formula = "grad_bias[o] = sum_l grad_q[B-1,l,o]",
    .torch = "grad_bias = grad_q[-1].sum(0)",
    .source = "a common mistake",
    .calls =
        {
            {.label = "q",
             .of = "project",
             .reads = {{.role = "grad.q", .axes = "B Lq Dk"}},
             .writes = {{.role = "grad.q_proj.bias", .tensor = "grad.q_proj.bias", .axes = "Dk"}}},
            {.label = "k",
             .of = "project",
             .reads = {{.role = "grad.k", .axes = "B Lt Dk"}},
             .writes = {{.role = "grad.k_proj.bias", .tensor = "grad.k_proj.bias", .axes = "Dk"}}},
            {.label = "v",
             .of = "project",
             .reads = {{.role = "grad.v", .axes = "B Lt Dv"}},
             .writes = {{.role = "grad.v_proj.bias", .tensor = "grad.v_proj.bias", .axes = "Dv"}}},
            {.label = "out",
             .of = "output_projection",
             .reads = {{.role = "grad.output", .axes = "B Lq Dout"}},
             .writes =
                 {{.role = "grad.out_proj.bias", .tensor = "grad.out_proj.bias", .axes = "Dout"}}},
        },
    .run = run,
    .origin = origin,
};

static bool has_bias(const Scenario *scenario, const char *output, const char *bias)
{
    return scenario_tensor(scenario, bias) && !scenario_tensor(scenario, output);
}

static const Words *cannot_show(const Scenario *scenario)
{
    bool some = has_bias(scenario, "q", "q_proj.bias") || has_bias(scenario, "k", "k_proj.bias") ||
                has_bias(scenario, "v", "v_proj.bias") ||
                has_bias(scenario, "output", "out_proj.bias");
    if (!some)
        return &reason_no_bias;
    return scenario->size[SYMBOL_B] == 1 ? &reason_one_sequence : NULL;
}

const Mistake mistake_bias_gradient_of_one_sequence = {
    .name = "bias-gradient-of-one-sequence",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The gradient of the bias is summed over the tokens only, not over the batch.",
        "편향의 기울기를 토큰을 따라서만 더하고 배치를 따라서는 더하지 않았습니다.",
        "It is that of the last sequence, as if the others had not been there.",
        "다른 문장은 없었던 것처럼 마지막 문장의 기울기만 남아 있습니다.",
        "Every row got the bias: begin the sum at 0 once for each column, and add all rows of all "
        "sequences.",
        "편향은 모든 행에 더해졌습니다. 열마다 합을 한 번만 0에서 시작해 모든 문장의 모든 행을 "
        "더합니다."),
};
