// Pad: makes a rectangle of token ids from sequences of different lengths.
//
//   input_ids[b,l]        = tokens[start_b + l]  if l < lengths[b],  else pad_id
//   key_padding_mask[b,l] = (l >= lengths[b]),  or  (input_ids[b,l] == pad_id) where padding_by_id
//   start_b               = lengths[0] + ... + lengths[b-1]
//
// in    tokens  [N]  int64, all sequences one after the other
//       lengths [B]  int64, how many tokens each sequence has; their sum is N, none exceeds L
// out   input_ids        [B, L]  int64
//       key_padding_mask [B, L]  bool, true where there is only padding; padding_by_id takes a token
//                        whose id is pad_id for padding, too, as notebooks do that have ids alone
// loops b: each sequence; l: each of the L places of its row. While there are tokens they are
//       copied, behind them comes the filling. `start` is where the sequence begins in the long
//       list of all tokens
// error lengths that are negative, above L, or do not add up to N; `err` names both numbers
// cost  B * L
// from  the need for rectangles is the batch's, not the model's; the mask is what lets attention
//       ignore the filling (PyTorch: nn.MultiheadAttention, key_padding_mask)
#include "stage.h"

#include <stdio.h>
#include "stages_words.h"

enum { IN_TOKENS, IN_LENGTHS };
enum { OUT_IDS, OUT_MASK };

static void pad(const Tensor *tokens, const Tensor *lengths, const StageOptions *options,
                Tensor *input_ids, Tensor *key_padding_mask)
{
    // The list of tokens has no rows.
    // `start` counts the tokens of all
    // sequences before b: it begins at 0
    // once, outside the loops.
    ptrdiff_t start = 0;
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++) {
        ptrdiff_t length = *tensor_id1(lengths, b);
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++) {
            bool is_token = l < length;
            *tensor_id2(input_ids, b, l) =
                is_token ? *tensor_id1(tokens, start + l) : options->pad_id;
            // A filling has an id as a word has.
            // Only this mask tells attention
            // later that there is no word.
            *tensor_flag2(key_padding_mask, b, l) =
                options->padding_by_id ? *tensor_id2(input_ids, b, l) == options->pad_id
                                       : !is_token;
        }
        // A row takes L places of the output,
        // but only `length` tokens of the
        // list.
        start += length;
    }
}

static bool pad_run(StageArgs *args, Error *err)
{
    (void)err;
    pad(&args->in[IN_TOKENS], &args->in[IN_LENGTHS], args->options, &args->out[OUT_IDS],
        &args->out[OUT_MASK]);
    return true;
}

// A wrong sum would read beyond the tokens.
static bool pad_shapes(StageArgs *args, Error *err)
{
    int64_t sum = 0;
    const Tensor *lengths = &args->in[IN_LENGTHS];
    for (ptrdiff_t b = 0; b < lengths->shape[0]; b++) {
        int64_t length = *tensor_id1(lengths, b);
        if (length < 0 || length > args->out[OUT_IDS].shape[1])
            return error_set(err, TELL(PAD_LENGTH), b, (long long)length,
                             args->out[OUT_IDS].shape[1]);
        sum += length;
    }
    if (sum != args->in[IN_TOKENS].shape[0])
        return error_set(err, TELL(PAD_TOTAL), (long long)sum, args->in[IN_TOKENS].shape[0]);
    return true;
}

static void pad_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, options->padding_by_id ? TELL(PAD_BY_ID) : "pad_id = %lld",
             (long long)options->pad_id);
}

// lengths decide which rule holds; they are not a value that flows into the output.
// Walks through the lengths of the sequences before this one, to find where it begins in the
// list. Then one rule is told.
static void pad_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                       void *context)
{
    const Tensor *lengths = &args->in[IN_LENGTHS];
    ptrdiff_t start = 0, length = *tensor_id1(lengths, at[0]);
    for (ptrdiff_t b = 0; b < at[0]; b++)
        start += *tensor_id1(lengths, b);

    bool is_token = at[1] < length;
    Term term = {.what = is_token ? TELL(PAD_TOKEN) : TELL(PAD_ID)};
    if (slot == OUT_MASK && args->options->padding_by_id) {
        bool is_pad = *tensor_flag2(&args->out[OUT_MASK], at[0], at[1]);
        term.what = is_pad ? TELL(PAD_IS_ID) : TELL(PAD_OTHER_ID);
        term.value = is_pad;
        term.source_count = is_token;
        term.sources[0] = (Source){IN_TOKENS, {start + at[1]}};
    } else if (slot == OUT_MASK) {
        term.what = is_token ? TELL(PAD_INSIDE) : TELL(PAD_BEYOND);
        term.value = is_token ? 0.0f : 1.0f;
    } else if (is_token) {
        term.source_count = 1;
        term.sources[0] = (Source){IN_TOKENS, {start + at[1]}};
        term.value = (float)*tensor_id1(&args->in[IN_TOKENS], start + at[1]);
    } else {
        term.value = (float)args->options->pad_id;
    }
    term.running = term.value;
    visit(context, &term);
}

const Stage stage_pad = {
    .name = "pad",
    .formula = "input_ids[b,l] = l < lengths[b] ? tokens[start + l] : pad_id",
    .where = "start = sum_c (c < b) * lengths[c]; "
             "key_padding_mask[b,l] = padding_by_id ? input_ids[b,l] = pad_id : l >= lengths[b]",
    .torch = "seq + [pad_id] * (max_len - len(seq))",
    .source = "PyTorch: torch.nn.utils.rnn.pad_sequence",
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "tokens", .axes = "N", .dtype = DTYPE_I64},
                  {.role = "lengths", .axes = "B", .dtype = DTYPE_I64}},
        .writes = {{.role = "input_ids", .tensor = "input_ids", .axes = "B L", .dtype = DTYPE_I64},
                   {.role = "key_padding_mask",
                    .tensor = "key_padding_mask",
                    .axes = "B L",
                    .dtype = DTYPE_BOOL}},
    }},
    .options = OPTION(pad_id) | OPTION(padding_by_id),
    .settings = pad_settings,
    .run = pad_run,
    .shapes = pad_shapes,
    .origin = pad_origin,
};
