// Mistake: a gradient that comes from several places overwrites what was there, where it should be
// added: of the sequences of a batch, the last one stays, and of the layers that read x, the last one
// on the way back.
//
//   grad.weight[o,d] = sum over l of grad.q[B-1,l,o] * x[B-1,l,d]
//   grad.x           = grad.x (of one place more)
#include "mistake.h"

#include <math.h>
#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistakes_words.h"

enum { IN_GRAD, IN_X, IN_MORE = 1 };

static void linear_backward_weight(const Tensor *grad_q, const Tensor *x, Tensor *grad_weight)
{
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t o = 0; o < grad_weight->shape[0]; o++)
            for (ptrdiff_t d = 0; d < grad_weight->shape[1]; d++) {
                float sum = 0.0f;
                for (ptrdiff_t l = 0; l < x->shape[1]; l++)
                    sum = fmaf(*tensor_at3(grad_q, b, l, o), *tensor_at3(x, b, l, d), sum);
                *tensor_at2(grad_weight, o, d) = sum;
            }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    linear_backward_weight(&args->in[IN_GRAD], &args->in[IN_X], &args->out[0]);
    return true;
}

static bool run_sum(StageArgs *args, Error *err)
{
    (void)err;
    tensor_copy(&args->in[IN_MORE], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    const Tensor *grad_q = &args->in[IN_GRAD], *x = &args->in[IN_X];
    ptrdiff_t b = x->shape[0] - 1;
    float sum = 0.0f;
    for (ptrdiff_t l = 0; l < x->shape[1]; l++) {
        float left = *tensor_at3(grad_q, b, l, at[0]), right = *tensor_at3(x, b, l, at[1]);
        sum = fmaf(left, right, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .what = TELL(TERM_OF_LAST_ALONE),
                               .source_count = 2,
                               .sources = {{IN_GRAD, {b, l, at[0]}}, {IN_X, {b, l, at[1]}}},
                               .value = left * right,
                               .running = sum});
    }
}

static void origin_sum(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                       void *context)
{
    (void)slot;
    Source source = {.slot = IN_MORE};
    for (int axis = 0; axis < args->out[0].rank; axis++)
        source.at[axis] = at[axis];
    mistake_tell_element(args, TERM_COPY, source, visit, context);
}

static const Stage weight_stage = {
    .name = "linear_backward_weight",
    .formula = "grad_weight[o,d] = sum_l grad_q[B-1,l,o] * x[B-1,l,d]",
    .torch = "for b in range(batch_size): grad_weight = grad_q[b].T @ x[b]",
    .source = "a common mistake",
    .calls =
        {
            {.label = "q",
             .of = "project",
             .reads = {{.role = "grad.q", .axes = "B Lq Dk"},
                       {.role = "x_query", .axes = "B Lq Dq"}},
             .writes =
                 {{.role = "grad.q_proj.weight", .tensor = "grad.q_proj.weight", .axes = "Dk Dq"}}},
            {.label = "k",
             .of = "project",
             .reads = {{.role = "grad.k", .axes = "B Lt Dk"}, {.role = "x", .axes = "B Lt Din"}},
             .writes = {{.role = "grad.k_proj.weight",
                         .tensor = "grad.k_proj.weight",
                         .axes = "Dk Din"}}},
            {.label = "v",
             .of = "project",
             .reads = {{.role = "grad.v", .axes = "B Lt Dv"}, {.role = "x", .axes = "B Lt Din"}},
             .writes = {{.role = "grad.v_proj.weight",
                         .tensor = "grad.v_proj.weight",
                         .axes = "Dv Din"}}},
            {.label = "out",
             .of = "output_projection",
             .reads = {{.role = "grad.output", .axes = "B Lq Dout"},
                       {.role = "context", .axes = "B Lq Dv"}},
             .writes = {{.role = "grad.out_proj.weight",
                         .tensor = "grad.out_proj.weight",
                         .axes = "Dout Dv"}}},
        },
    .run = run,
    .origin = origin,
};

static const Stage sum_stage = {
    .name = "gradient_sum",
    .formula = "grad = more",
    .remark = REMARK_WHAT_WAS_THERE_IS_LOST,
    .torch = "grad = more",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "",
        .reads = {{.role = "so_far"}, {.role = "more"}},
        .writes = {{.role = "sum", .tensor = "sum"}},
    }},
    .run = run_sum,
    .origin = origin_sum,
};

// x has a gradient from every layer that reads it.
static bool reads_x_twice(const Scenario *scenario)
{
    return !scenario_tensor(scenario, "k") && !scenario_tensor(scenario, "v");
}

static bool has_layer(const Scenario *scenario)
{
    return scenario_tensor(scenario, "q_proj.weight") ||
           scenario_tensor(scenario, "out_proj.weight");
}

static const Words *cannot_show(const Scenario *scenario)
{
    if (reads_x_twice(scenario))
        return NULL;
    if (scenario->size[SYMBOL_B] == 1)
        return &reason_one_gradient;
    return has_layer(scenario) ? NULL : &reason_one_gradient;
}

const Mistake mistake_gradient_not_accumulated = {
    .name = "gradient-not-accumulated",
    .stages = (const Stage *const[]){&weight_stage, &sum_stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "A gradient that comes from several places is overwritten, not added up.",
        "여러 곳에서 오는 기울기를 더하지 않고 덮어썼습니다.",
        "Only what was written last is there: the last sequence of the batch, or one of the layers "
        "that read x.",
        "마지막에 쓴 것만 남아 있습니다. 배치의 마지막 문장이나, x를 읽는 층 가운데 하나입니다.",
        "Set the gradient to 0 once, before all loops, and add to it: += where = stands.",
        "반복문에 들어가기 전에 기울기를 한 번만 0으로 두고, = 대신 +=로 더합니다."),
};
