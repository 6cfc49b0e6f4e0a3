// Mistake: the heads are merged by view alone, without transposing back.
//
//   context_transposed = context_heads.view(B, Lq, H, d_v)   no axis moves, the numbers stay in line
//   context_concat     = its last two axes as one
//
// A token's row then holds what one head found for several tokens. The shape is right.
#include "mistake.h"

#include "mistake_parts.h"
#include "mistake_reason.h"

enum { OUT_TRANSPOSED, OUT_CONCAT };

static void concat(const Tensor *context_transposed, Tensor *context_concat)
{
    ptrdiff_t d_v = context_transposed->shape[3];
    for (ptrdiff_t b = 0; b < context_concat->shape[0]; b++)
        for (ptrdiff_t l = 0; l < context_concat->shape[1]; l++)
            for (ptrdiff_t o = 0; o < context_concat->shape[2]; o++)
                *tensor_at3(context_concat, b, l, o) =
                    *tensor_at4(context_transposed, b, l, o / d_v, o % d_v);
}

static bool run(StageArgs *args, Error *err)
{
    const Tensor *heads = &args->in[0];
    ptrdiff_t shape[] = {heads->shape[0], heads->shape[2], heads->shape[1], heads->shape[3]};
    if (!tensor_view(heads, 4, shape, &args->out[OUT_TRANSPOSED], err))
        return error_prefix(err, "concat: ");
    concat(&args->out[OUT_TRANSPOSED], &args->out[OUT_CONCAT]);
    return true;
}

// The numbers of a sequence keep their order, whatever the shape.
static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    const Tensor *heads = &args->in[0];
    ptrdiff_t tokens = heads->shape[2], d_v = heads->shape[3], width = heads->shape[1] * d_v;
    ptrdiff_t number = at[1] * width + (slot == OUT_TRANSPOSED ? at[2] * d_v + at[3] : at[2]);
    Source source = {0, {at[0], number / (tokens * d_v), number / d_v % tokens, number % d_v}};
    mistake_tell_element(args, slot == OUT_TRANSPOSED ? TERM_PLACE : TERM_COPY, source, visit,
                         context);
}

static const Stage stage = {
    .name = "concat",
    .formula = "context_concat = context_heads.view(B, Lq, H*d_v)",
    .remark = REMARK_NO_TRANSPOSE,
    .torch = "context = context.contiguous().view(batch_size, -1, d_model)",
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
    if (!scenario->has_heads || scenario->size[SYMBOL_H] == 1)
        return &reason_nothing_merged;
    return scenario->size[SYMBOL_LQ] == 1 ? &reason_one_query : NULL;
}

const Mistake mistake_merge_without_transpose = {
    .name = "merge-without-transpose",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The heads are merged without transposing back first.",
        "축을 되돌리는 transpose 없이 헤드를 합쳤습니다.",
        "The shape is right, but the row of one token holds what one head found for several "
        "tokens. The first and the last d_v numbers of a sequence are in their place, and hardly "
        "any others.",
        "모양은 맞지만, 한 토큰의 행에 헤드 하나가 여러 토큰에서 얻은 숫자가 들어갑니다. 문장의 맨 "
        "앞과 맨 뒤 숫자 d_v개를 빼면 제자리에 있는 숫자가 거의 없습니다.",
        "Transpose (B, H, L, d_v) to (B, L, H, d_v), make it contiguous, then view.",
        "(B, H, L, d_v)를 (B, L, H, d_v)로 transpose한 다음 contiguous, view를 차례로 적용합니다."),
};
