// Mistake: the heads are put before the tokens by view alone, without moving an axis.
//
//   q_heads = q_view.view(B, H, L, d_k)   instead of q_view.transpose(1, 2)
//
// The first head is then made of the first tokens, all their columns, and so on.
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

static bool run(StageArgs *args, Error *err)
{
    const Tensor *q_view = &args->in[0];
    ptrdiff_t shape[] = {q_view->shape[0], q_view->shape[2], q_view->shape[1], q_view->shape[3]};
    return tensor_view(q_view, 4, shape, &args->out[0], err) || error_prefix(err, "transpose: ");
}

// The numbers of a sequence keep their order.
static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    ptrdiff_t tokens = args->in[0].shape[1], heads = args->in[0].shape[2],
              d_k = args->in[0].shape[3];
    ptrdiff_t number = (at[1] * tokens + at[2]) * d_k + at[3];
    Source source = {0, {at[0], number / (heads * d_k), number / d_k % heads, number % d_k}};
    mistake_tell_element(args, TERM_PLACE, source, visit, context);
}

static const Stage stage = {
    .name = "transpose",
    .formula = "q_heads = q_view.view(B, H, L, d_k)",
    .remark = REMARK_NO_AXIS_MOVES,
    .torch = "q = q.view(batch_size, num_heads, -1, d_k)",
    .source = "a common mistake",
    .use = STAGE_WITH_HEADS,
    .calls =
        {
            {.label = "q",
             .formula = "q_heads = q_view.view(B, H, Lq, d_k)",
             .remark = REMARK_NO_AXIS_MOVES,
             .torch = "q = q.view(batch_size, num_heads, -1, d_k)",
             .reads = {{.role = "q", .axes = "B Lq H d_k"}},
             .writes = {{.role = "q", .tensor = "q_heads", .axes = "B H Lq d_k", .is_view = true}}},
            {.label = "k",
             .formula = "k_heads = k_view.view(B, H, Lk, d_k)",
             .remark = REMARK_NO_AXIS_MOVES,
             .torch = "k = k.view(batch_size, num_heads, -1, d_k)",
             .reads = {{.role = "k", .axes = "B Lt G d_k"}},
             .writes = {{.role = "k", .tensor = "k_heads", .axes = "B G Lt d_k", .is_view = true}}},
            {.label = "v",
             .formula = "v_heads = v_view.view(B, H, Lk, d_v)",
             .remark = REMARK_NO_AXIS_MOVES,
             .torch = "v = v.view(batch_size, num_heads, -1, d_v)",
             .reads = {{.role = "v", .axes = "B Lt G d_v"}},
             .writes = {{.role = "v", .tensor = "v_heads", .axes = "B G Lt d_v", .is_view = true}}},
        },
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_LQ] == 1 && scenario->size[SYMBOL_LK] == 1)
        return &reason_one_token;
    return mistake_no_heads(scenario);
}

const Mistake mistake_split_by_view_alone = {
    .name = "split-by-view-alone",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words =
        MISTAKE_WORDS("The heads are split by view alone, without a transpose.",
                      "transpose 없이 view만으로 헤드를 나눴습니다.",
                      "The shape (B, H, L, d_k) is right, but head 0 holds whole tokens from the "
                      "front of the sequence instead of the first d_k columns of every token.",
                      "(B, H, L, d_k)라는 모양은 맞지만, 헤드 0에 모든 토큰의 앞쪽 열 d_k개가 "
                      "아니라 앞쪽 토큰 몇 개가 통째로 들어갑니다.",
                      "First view as (B, L, H, d_k), then transpose(1, 2).",
                      "먼저 (B, L, H, d_k)로 view한 다음 transpose(1, 2)를 적용합니다."),
};
