// Mistake: short sequences are filled up in front instead of behind.
//
//   input_ids[b,l] = tokens[start_b + l - shift_b]  if l >= shift_b,  else pad_id
//   shift_b        = L - lengths[b]
//
// Positions count from the front, so that every word of a short sequence gets another one.
#include "mistake.h"

#include "mistake_scenario.h"
#include "mistakes_words.h"

enum { IN_TOKENS, IN_LENGTHS };
enum { OUT_IDS, OUT_MASK };

static void pad(const Tensor *tokens, const Tensor *lengths, int64_t pad_id, Tensor *input_ids,
                Tensor *key_padding_mask)
{
    ptrdiff_t start = 0;
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++) {
        ptrdiff_t shift = input_ids->shape[1] - *tensor_id1(lengths, b);
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++) {
            bool is_token = l >= shift;
            *tensor_id2(input_ids, b, l) =
                is_token ? *tensor_id1(tokens, start + l - shift) : pad_id;
            *tensor_flag2(key_padding_mask, b, l) = !is_token;
        }
        start += *tensor_id1(lengths, b);
    }
}

static bool run(StageArgs *args, Error *err)
{
    (void)err;
    pad(&args->in[IN_TOKENS], &args->in[IN_LENGTHS], args->options->pad_id, &args->out[OUT_IDS],
        &args->out[OUT_MASK]);
    return true;
}

static bool shapes(StageArgs *args, Error *err)
{
    return stage_find("pad")->shapes(args, err);
}

static void origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                   void *context)
{
    const Tensor *lengths = &args->in[IN_LENGTHS];
    ptrdiff_t start = 0, shift = args->out[OUT_IDS].shape[1] - *tensor_id1(lengths, at[0]);
    for (ptrdiff_t b = 0; b < at[0]; b++)
        start += *tensor_id1(lengths, b);

    bool is_token = at[1] >= shift;
    Term term = {.what = is_token ? TELL(TERM_TOKENS_LAST) : TELL(TERM_PAD_FIRST)};
    if (slot == OUT_MASK) {
        term.value = is_token ? 0.0f : 1.0f;
    } else if (is_token) {
        term.source_count = 1;
        term.sources[0] = (Source){IN_TOKENS, {start + at[1] - shift}};
        term.value = (float)*tensor_id1(&args->in[IN_TOKENS], start + at[1] - shift);
    } else {
        term.value = (float)args->options->pad_id;
    }
    term.running = term.value;
    visit(context, &term);
}

static const Stage stage = {
    .name = "pad",
    .formula = "input_ids[b,l] = l < m ? pad_id : tokens[start_b + l-m]; m = L - lengths[b]",
    .torch = "[pad_id] * (max_len - len(seq)) + seq",
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

const Mistake mistake_pad_left = {
    .name = "pad-left",
    .stages = (const Stage *const[]){&stage, NULL},
    .cannot_show = cannot_show,
    .words = MISTAKE_WORDS("Short sequences are padded on the left instead of the right.",
                           "짧은 문장의 패딩을 오른쪽이 아니라 왼쪽에 채웠습니다.",
                           "The words of short sequences stand at the end of their row: they get "
                           "other positions, and causal masks let them see padding.",
                           "짧은 문장의 단어가 행의 끝에 놓여 위치가 달라지고, 인과 마스크를 써도 "
                           "앞에 있는 패딩을 보게 됩니다.",
                           "Write the tokens first and the pad ids after them.",
                           "토큰을 먼저 쓰고 그 뒤를 pad_id로 채웁니다."),
};
