// Mistake: the padding mask says the opposite: true for tokens, false for padding.
//
//   key_padding_mask[b,l] = (l < lengths[b])
#include "mistake.h"

#include "mistake_reason.h"
#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_TOKENS, IN_LENGTHS };
enum { OUT_IDS, OUT_MASK };

static bool is_padding(ptrdiff_t l, ptrdiff_t length)
{
    return l < length;
}

static bool run(StageArgs *args, Error *err)
{
    Tensor *mask = &args->out[OUT_MASK];
    if (!stage_find("pad")->run(args, err))
        return false;
    for (ptrdiff_t b = 0; b < mask->shape[0]; b++)
        for (ptrdiff_t l = 0; l < mask->shape[1]; l++)
            *tensor_flag2(mask, b, l) = is_padding(l, *tensor_id1(&args->in[IN_LENGTHS], b));
    return true;
}

static bool shapes(StageArgs *args, Error *err)
{
    return stage_find("pad")->shapes(args, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    if (slot == OUT_IDS) {
        stage_find("pad")->origin(args, slot, at, visit, context);
        return;
    }
    bool padding = is_padding(at[1], *tensor_id1(&args->in[IN_LENGTHS], at[0]));
    visit(context, &(Term){.what = padding ? TELL(TERM_TOKEN_MARKED) : TELL(TERM_PADDING_UNMARKED),
                           .value = padding,
                           .running = padding});
}

static const Stage stage = {
    .name = "pad",
    .formula = "key_padding_mask[b,l] = l < lengths[b]",
    .torch = "key_padding_mask = positions < lengths[:, None]",
    .source = "a common mistake",
    .calls = {{
        .reads = {{.role = "tokens", .axes = "N", .dtype = DTYPE_I64},
                  {.role = "lengths", .axes = "B", .dtype = DTYPE_I64}},
        .writes = {{.role = "input_ids", .tensor = "input_ids", .axes = "B L", .dtype = DTYPE_I64},
                   {.role = "key_padding_mask",
                    .tensor = "key_padding_mask",
                    .axes = "B L",
                    .dtype = DTYPE_BOOL}},
    }},
    .run = run,
    .shapes = shapes,
    .origin = origin,
};

static const Words *cannot_show(const Scenario *scenario)
{
    bool pads = scenario_tensor(scenario, "tokens") != NULL;
    return pads ? NULL : &reason_no_tokens;
}

const Mistake mistake_padding_inverted = {
    .name = "padding-inverted",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The padding mask is inverted: it marks the tokens.",
        "패딩 마스크가 뒤집혀 패딩이 아니라 토큰을 표시합니다.",
        "key_padding_mask is true where there are words. Where it is used, weight lies on padding "
        "only, and a sequence without padding is NaN.",
        "단어가 있는 자리에서 key_padding_mask가 true입니다. 이 마스크를 쓰면 패딩만 가중치를 "
        "받고, 패딩이 없는 문장은 NaN이 됩니다.",
        "True means padding, as in nn.MultiheadAttention: l >= lengths[b].",
        "nn.MultiheadAttention에서처럼 true는 패딩을 뜻합니다. 조건은 l >= lengths[b]입니다."),
};
