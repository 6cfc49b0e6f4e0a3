// Mistake: the padding mask begins one place too late.
//
//   key_padding_mask[b,l] = (l > lengths[b])   instead of (l >= lengths[b])
#include "mistake.h"

#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_TOKENS, IN_LENGTHS };
enum { OUT_IDS, OUT_MASK };

static bool is_padding(ptrdiff_t l, ptrdiff_t length)
{
    return l > length;
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
    visit(context, &(Term){.what = padding ? TELL(TERM_BEYOND_FIRST) : TELL(TERM_NOT_YET),
                           .value = padding,
                           .running = padding});
}

static const Stage stage = {
    .name = "pad",
    .formula = "key_padding_mask[b,l] = l > lengths[b]",
    .torch = "key_padding_mask = positions > lengths[:, None]",
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
    return mistake_no_padding(scenario);
}

const Mistake mistake_padding_off_by_one = {
    .name = "padding-off-by-one",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS(
        "The padding mask is off by one: the first place of padding counts as a token.",
        "패딩 마스크가 한 칸 어긋나 패딩의 첫 자리를 토큰으로 봅니다.",
        "Right behind the last word key_padding_mask is false, and that key still gets weight.",
        "마지막 단어 바로 뒤에서 key_padding_mask가 false이고, 그 키도 가중치를 받습니다.",
        "Places count from 0: place l is padding if l >= lengths[b].",
        "자리는 0부터 셉니다. l >= lengths[b]이면 패딩입니다."),
};
