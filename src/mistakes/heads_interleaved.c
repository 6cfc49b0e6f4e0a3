// Mistake: the columns are dealt out to the heads in turn, like cards, instead of in runs.
//
//   q_view[b,l,h,i] = q[b,l, i*H + h]   instead of q[b,l, h*d_k + i]
//
// Still a view: the columns of a head lie H apart in storage.
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

static bool view(const Tensor *q, ptrdiff_t heads, Tensor *out, Error *err)
{
    Tensor dealt;
    ptrdiff_t d_k = q->shape[2] / heads;
    if (!tensor_view(q, 4, (ptrdiff_t[]){q->shape[0], q->shape[1], d_k, heads}, &dealt, err))
        return false;
    *out = tensor_transpose(&dealt, 2, 3);
    return true;
}

static bool run(StageArgs *args, Error *err)
{
    return view(&args->in[0], args->out[0].shape[2], &args->out[0], err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    (void)slot;
    ptrdiff_t column = at[3] * args->out[0].shape[2] + at[2];
    mistake_tell_element(args, TERM_PLACE, (Source){0, {at[0], at[1], column}}, visit, context);
}

static const Stage stage = {
    .name = "view",
    .formula = "q_view[b,l,h,i] = q[b,l, i*H + h]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "q = q.view(batch_size, -1, d_k, num_heads).transpose(2, 3)",
    .source = "a common mistake",
    .use = STAGE_WITH_HEADS,
    .calls =
        {
            {.label = "q",
             .formula = "q_view[b,l,h,i] = q[b,l, i*H + h]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "q = q.view(batch_size, -1, d_k, num_heads).transpose(2, 3)",
             .reads = {{.role = "q", .axes = "B Lq Dk"}},
             .writes = {{.role = "q", .tensor = "q_view", .axes = "B Lq H d_k", .is_view = true}}},
            {.label = "k",
             .formula = "k_view[b,l,h,i] = k[b,l, i*H + h]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "k = k.view(batch_size, -1, d_k, num_heads).transpose(2, 3)",
             .reads = {{.role = "k", .axes = "B Lt Gk"}},
             .writes = {{.role = "k", .tensor = "k_view", .axes = "B Lt G d_k", .is_view = true}}},
            {.label = "v",
             .formula = "v_view[b,l,h,i] = v[b,l, i*H + h]",
             .remark = REMARK_NO_NUMBER_MOVES,
             .torch = "v = v.view(batch_size, -1, d_v, num_heads).transpose(2, 3)",
             .reads = {{.role = "v", .axes = "B Lt Gv"}},
             .writes = {{.role = "v", .tensor = "v_view", .axes = "B Lt G d_v", .is_view = true}}},
        },
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_D_K] == 1 && scenario->size[SYMBOL_D_V] == 1)
        return &reason_one_column;
    return mistake_no_heads(scenario);
}

const Mistake mistake_heads_interleaved = {
    .name = "heads-interleaved",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The columns are dealt out to the heads in turn instead of in runs.",
        "열을 이어진 묶음이 아니라 하나씩 번갈아 헤드에 나누어 주었습니다.",
        "Head h gets the columns h, h+H, h+2H ... instead of d_k neighbours. Every head compares "
        "other columns than the weights were trained for.",
        "헤드 h가 이웃한 열 d_k개가 아니라 h, h+H, h+2H...번 열을 받습니다. 헤드마다 학습된 것과 "
        "다른 열을 비교하게 됩니다.",
        "View as (B, L, H, d_k), heads before their columns: column h*d_k + i belongs to head h.",
        "(B, L, H, d_k) 순서로 view합니다. h*d_k + i번 열이 헤드 h의 것입니다."),
};
