// Mistake: the gradient of softmax without the row's sum, as if each weight depended on its own score
// alone.
//
//   grad.scores[b,h,i,j] = weights[b,h,i,j] * grad.weights[b,h,i,j]
#include "mistake.h"
#include "mistakes_words.h"

enum { IN_WEIGHTS, IN_GRAD };

static void softmax_backward(const Tensor *weights, const Tensor *grad_weights, Tensor *grad_scores)
{
    for (ptrdiff_t b = 0; b < weights->shape[0]; b++)
        for (ptrdiff_t h = 0; h < weights->shape[1]; h++)
            for (ptrdiff_t i = 0; i < weights->shape[2]; i++)
                for (ptrdiff_t j = 0; j < weights->shape[3]; j++)
                    *tensor_at4(grad_scores, b, h, i, j) =
                        *tensor_at4(weights, b, h, i, j) * *tensor_at4(grad_weights, b, h, i, j);
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    softmax_backward(&args->in[IN_WEIGHTS], &args->in[IN_GRAD], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    float weight = *tensor_at4(&args->in[IN_WEIGHTS], at[0], at[1], at[2], at[3]);
    float grad = *tensor_at4(&args->in[IN_GRAD], at[0], at[1], at[2], at[3]);
    visit(context, &(Term){.kind = TERM_COPY,
                           .what = TELL(TERM_NO_SUM_TAKEN),
                           .source_count = 1,
                           .sources = {{IN_GRAD, {at[0], at[1], at[2], at[3]}}},
                           .value = grad,
                           .running = grad});
    visit(context, &(Term){.kind = TERM_FACTOR,
                           .what = TELL(TERM_TIMES_WEIGHT),
                           .source_count = 1,
                           .sources = {{IN_WEIGHTS, {at[0], at[1], at[2], at[3]}}},
                           .value = weight,
                           .running = weight * grad});
}

static const Stage stage = {
    .name = "softmax_backward",
    .formula = "grad_s[b,h,i,j] = weights[b,h,i,j] * grad_w[b,h,i,j]",
    .remark = REMARK_NO_SUM,
    .torch = "grad_scores = weights * grad_weights",
    .source = "a common mistake",
    .reach = REACH_BY_AXES,
    .calls = {{
        .of = "softmax",
        .reads = {{.role = "weights", .axes = "B H Lq Lk"},
                  {.role = "grad.weights", .axes = "B H Lq Lk"}},
        .writes = {{.role = "grad.scores", .tensor = "grad.scores", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

const Mistake mistake_softmax_gradient_without_sum = {
    .name = "softmax-gradient-without-sum",
    .stages = (const Stage *const[]){&stage, NULL},
    .words = MISTAKE_WORDS(
        "The gradient of softmax lacks the sum over its row.",
        "소프트맥스의 기울기에서 행의 합을 빼지 않았습니다.",
        "The gradients of a row of scores do not add up to 0, though softmax does not change when "
        "all scores of a row grow alike.",
        "점수가 모두 같은 만큼 커져도 소프트맥스는 변하지 않으므로 한 행의 기울기를 더하면 0이어야 "
        "하는데, 0이 되지 않습니다.",
        "Subtract the row's sum of weights[j] * grad_weights[j] from every gradient, then multiply "
        "by the weight.",
        "weights[j] * grad_weights[j]를 행에서 모두 더해 기울기마다 뺀 다음, 가중치를 곱합니다."),
};
