// Mistake: the largest score is not subtracted before the exponential.
//
//   weights[b,h,i,j] = e^scores[b,h,i,j] / sum over j' of e^scores[b,h,i,j']
//
// The quotient is the same until e^x overflows, above x = 88.7: then it is inf / inf.
#include "mistake.h"

#include "exponential.h"
#include "mistakes_words.h"

// e^x down to the smallest subnormal number, as C's and PyTorch's have it: a row whose scores are all
// far below 0 then still has a sum. exponential() ends at 2^-126.
static float without_bound(float x)
{
    const float shift = 32.0f, e_minus_shift = 1.26641655e-14f;
    return x < -80.0f ? exponential(x + shift) * e_minus_shift : exponential(x);
}

static float sum_of_row(const Tensor *scores, ptrdiff_t b, ptrdiff_t h, ptrdiff_t i)
{
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
        sum += without_bound(*tensor_at4(scores, b, h, i, j));
    return sum;
}

static void softmax(const Tensor *scores, Tensor *weights)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++) {
                float sum = sum_of_row(scores, b, h, i);
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(weights, b, h, i, j) =
                        without_bound(*tensor_at4(scores, b, h, i, j)) / sum;
            }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    softmax(&args->in[0], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    const Tensor *scores = &args->in[0];
    ptrdiff_t b = at[0], h = at[1], i = at[2];
    float sum = 0.0f;
    for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
        float e = without_bound(*tensor_at4(scores, b, h, i, j));
        sum += e;
        visit(context, &(Term){.kind = TERM_ADD,
                               .what = TELL(TERM_SUM_SO_FAR),
                               .source_count = 1,
                               .sources = {{0, {b, h, i, j}}},
                               .value = e,
                               .running = sum});
    }
    float e = without_bound(*tensor_at4(scores, b, h, i, at[3]));
    visit(context, &(Term){.kind = TERM_QUOTIENT,
                           .source_count = 1,
                           .sources = {{0, {b, h, i, at[3]}}},
                           .value = e,
                           .running = e / sum});
}

static const Stage stage = {
    .name = "softmax",
    .formula = "weights[b,h,i,j] = exp(scores[b,h,i,j]) / sum_j exp(scores[b,h,i,j])",
    .torch = "weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)",
    .source = "a common mistake",
    .reach = REACH_BY_ROW,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"}},
        .writes =
            {{.role = "weights", .tensor = "attn_weights", .axes = "B H Lq Lk", .is_share = true}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    (void)scenario;
    return NULL;
}

const Mistake mistake_softmax_without_maximum = {
    .name = "softmax-without-maximum",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "Softmax does not subtract the largest score of the row first.",
        "소프트맥스에서 행의 최댓값을 먼저 빼지 않았습니다.",
        "Scores below 88 show it in the last digits only. Above, e^x is inf and inf / inf is NaN; "
        "where all scores are far below 0, 0 / 0 is NaN.",
        "점수가 88보다 작으면 끝자리만 달라집니다. 그보다 크면 e^x가 inf가 되어 inf / inf, 곧 "
        "NaN이 나오고, 모든 점수가 아주 작으면 0 / 0으로 NaN이 됩니다.",
        "Subtract the largest score of each row before the exponential. No quotient changes.",
        "exp를 계산하기 전에 행마다 가장 큰 점수를 뺍니다. 나눈 결과는 달라지지 않습니다."),
};
