// Mistake: k is not transposed for the product, only looked at under the transposed shape.
//
//   scores[b,h,i,j] = sum over d of q[b,h,i,d] * K[b,h,d,j]
//   K               = k.view(B, H, d_k, Lk): the numbers of each head in their old order
#include "mistake.h"

#include <math.h>
#include "mistake_reason.h"

enum { IN_Q, IN_K };

// Where the number that view puts at [d, j] lies in a head of k.
static Source place(const Tensor *k, ptrdiff_t b, ptrdiff_t h, ptrdiff_t d, ptrdiff_t j)
{
    ptrdiff_t number = d * k->shape[2] + j;
    return (Source){IN_K, {b, h, number / k->shape[3], number % k->shape[3]}};
}

static float k_viewed(const Tensor *k, Source at)
{
    return *tensor_at4(k, at.at[0], at.at[1], at.at[2], at.at[3]);
}

static void score(const Tensor *q, const Tensor *k, Tensor *scores)
{
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++) {
                    float sum = 0.0f;
                    for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                        sum = fmaf(*tensor_at4(q, b, h, i, d), k_viewed(k, place(k, b, h, d, j)),
                                   sum);
                    *tensor_at4(scores, b, h, i, j) = sum;
                }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    score(&args->in[IN_Q], &args->in[IN_K], &args->out[0]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    ptrdiff_t b = at[0], h = at[1], i = at[2], j = at[3];
    float sum = 0.0f;
    for (ptrdiff_t d = 0; d < args->in[IN_Q].shape[3]; d++) {
        Source in_k = place(&args->in[IN_K], b, h, d, j);
        float q = *tensor_at4(&args->in[IN_Q], b, h, i, d), k = k_viewed(&args->in[IN_K], in_k);
        sum = fmaf(q, k, sum);
        visit(context, &(Term){.kind = TERM_MULTIPLY_ADD,
                               .source_count = 2,
                               .sources = {{IN_Q, {b, h, i, d}}, in_k},
                               .value = q * k,
                               .running = sum});
    }
}

static const Stage stage = {
    .name = "score",
    .formula = "scores[b,h,i,j] = sum_d q[b,h,i,d] * k.view(B, H, d_k, Lk)[b,h,d,j]",
    .torch = "scores = torch.matmul(q, k.reshape(batch_size, num_heads, d_k, -1))",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "q", .axes = "B H Lq d_k"}, {.role = "k", .axes = "B H Lk d_k"}},
        .writes = {{.role = "scores", .tensor = "scores", .axes = "B H Lq Lk"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_LK] == 1)
        return &reason_one_key_view;
    return scenario->size[SYMBOL_D_K] == 1 ? &reason_d_k_one : NULL;
}

const Mistake mistake_k_not_transposed = {
    .name = "k-not-transposed",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "k is given its transposed shape by view, without being transposed.",
        "k를 transpose하지 않고 view로 모양만 바꿨습니다.",
        "The shape of the scores is right, but what q meets as one key is made of pieces of "
        "several keys.",
        "점수의 모양은 맞지만, q와 곱해지는 키 하나가 여러 키의 조각으로 이루어집니다.",
        "Exchange the last two axes: k.transpose(-2, -1). In a loop, multiply q[i,d] with k[j,d].",
        "마지막 두 축을 바꿉니다(k.transpose(-2, -1)). 반복문에서는 q[i,d]와 k[j,d]를 곱합니다."),
};
