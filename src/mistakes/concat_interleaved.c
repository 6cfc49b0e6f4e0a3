// Mistake: the heads are merged column by column in turn instead of one after the other.
//
//   context_concat[b,l, i*H + h] = context_heads[b,h,l,i]   instead of [b,l, h*d_v + i]
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"
#include "mistake_scenario.h"

enum { OUT_TRANSPOSED, OUT_CONCAT };

static void concat(const Tensor *context_transposed, Tensor *context_concat)
{
    ptrdiff_t heads = context_transposed->shape[2];
    for (ptrdiff_t b = 0; b < context_concat->shape[0]; b++)
        for (ptrdiff_t l = 0; l < context_concat->shape[1]; l++)
            for (ptrdiff_t o = 0; o < context_concat->shape[2]; o++)
                *tensor_at3(context_concat, b, l, o) =
                    *tensor_at4(context_transposed, b, l, o % heads, o / heads);
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    args->out[OUT_TRANSPOSED] = tensor_transpose(&args->in[0], 1, 2);
    concat(&args->out[OUT_TRANSPOSED], &args->out[OUT_CONCAT]);
    return true;
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    ptrdiff_t heads = args->in[0].shape[1];
    bool is_view = slot == OUT_TRANSPOSED;
    ptrdiff_t h = is_view ? at[2] : at[2] % heads, i = is_view ? at[3] : at[2] / heads;
    mistake_tell_element(args, is_view ? TERM_PLACE : TERM_COPY, (Source){0, {at[0], h, at[1], i}},
                         visit, context);
}

static const Stage stage = {
    .name = "concat",
    .formula = "context_concat[b,l, i*H + h] = context_heads[b,h,l,i]",
    .remark = REMARK_A_COPY,
    .torch = "context = context.permute(0, 2, 3, 1).reshape(batch_size, -1, d_model)",
    .source = "a common mistake",
    .use = STAGE_WITH_HEADS,
    .main_output = OUT_CONCAT,
    .calls = {{
        .reads = {{.role = "context", .axes = "B H Lq d_v"}},
        .writes = {{.role = "context_transposed",
                    .tensor = "context_transposed",
                    .axes = "B Lq H d_v",
                    .is_view = true},
                   {.role = "context", .tensor = "context_concat", .axes = "B Lq Dv"}},
    }},
    .run = run,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    if (scenario->size[SYMBOL_D_V] == 1)
        return &reason_one_number;
    return mistake_no_heads(scenario);
}

const Mistake mistake_concat_interleaved = {
    .name = "concat-interleaved",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The heads are merged in turn, one column of each, instead of one head after the other.",
        "헤드를 차례로 이어 붙이지 않고 한 열씩 번갈아 섞어 합쳤습니다.",
        "Each token has the right numbers, in another order: the second one belongs to head 1, not "
        "to head 0.",
        "토큰마다 숫자는 맞지만 순서가 다릅니다. 둘째 숫자가 헤드 0이 아니라 헤드 1의 것입니다.",
        "Column h*d_v + i is element i of head h: transpose to (B, L, H, d_v) before the view.",
        "h*d_v + i번 열이 헤드 h의 i번 숫자가 되도록, (B, L, H, d_v)로 transpose한 다음 "
        "view합니다."),
};
