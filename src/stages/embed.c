// Turns sequences of tokens into vectors: padding, the embedding table, its scale.
#include <stdio.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- pad
//
// Pad: fills up sequences of different lengths into a rectangle of token ids.
//
//   input_ids[b,l]        = tokens[start_b + l]  if l < lengths[b],  else pad_id
//   key_padding_mask[b,l] = (l >= lengths[b]),  or  (input_ids[b,l] == pad_id) where padding_by_id
//   start_b               = lengths[0] + ... + lengths[b-1]
//
// in    tokens  [N]  int64, all sequences, one after another
//       lengths [B]  int64, the tokens of each sequence; their sum is N, none exceeds L
// out   input_ids        [B, L]  int64
//       key_padding_mask [B, L]  bool, true for padding; with padding_by_id any token whose id is
//                        pad_id counts as padding, as in notebooks that keep only ids
// loops b: each sequence; l: each of the L places of its row. Its tokens are copied, then padding
//       follows. `start` is where the sequence begins in the list of all tokens
// error negative lengths, lengths above L, or a sum other than N; `err` names both numbers
// cost  B * L
// from  the batch needs rectangles, not the model; the mask lets attention ignore the padding
//       (PyTorch: nn.MultiheadAttention, key_padding_mask)

enum { PAD_IN_TOKENS, PAD_IN_LENGTHS };
enum { PAD_OUT_IDS, PAD_OUT_MASK };

static void pad(const Tensor *tokens, const Tensor *lengths, const StageOptions *options,
                Tensor *input_ids, Tensor *key_padding_mask)
{
    // The list of tokens has no rows. `start`
    // counts the tokens of all sequences
    // before b, so it is set to 0 once,
    // outside the loops.
    ptrdiff_t start = 0;
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++) {
        ptrdiff_t length = *tensor_id1(lengths, b);
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++) {
            bool is_token = l < length;
            *tensor_id2(input_ids, b, l) =
                is_token ? *tensor_id1(tokens, start + l) : options->pad_id;
            // Padding has an id like any word.
            // Only this mask tells attention
            // later that it is none.
            *tensor_flag2(key_padding_mask, b, l) =
                options->padding_by_id ? *tensor_id2(input_ids, b, l) == options->pad_id
                                       : !is_token;
        }
        // A row fills L places of the output,
        // but takes only `length` tokens from
        // the list.
        start += length;
    }
}

static bool pad_run(StageArgs *args, Error *err)
{
    pad(&args->in[PAD_IN_TOKENS], &args->in[PAD_IN_LENGTHS], args->options, &args->out[PAD_OUT_IDS],
        &args->out[PAD_OUT_MASK]);
    return true;
}

// A wrong sum would read beyond the tokens.
static bool pad_shapes(StageArgs *args, Error *err)
{
    int64_t sum = 0;
    const Tensor *lengths = &args->in[PAD_IN_LENGTHS];
    for (ptrdiff_t b = 0; b < lengths->shape[0]; b++) {
        int64_t length = *tensor_id1(lengths, b);
        if (length < 0 || length > args->out[PAD_OUT_IDS].shape[1])
            return error_set(err, TELL(PAD_LENGTH), b, (long long)length,
                             args->out[PAD_OUT_IDS].shape[1]);
        sum += length;
    }
    if (sum != args->in[PAD_IN_TOKENS].shape[0])
        return error_set(err, TELL(PAD_TOTAL), (long long)sum, args->in[PAD_IN_TOKENS].shape[0]);
    return true;
}

static void pad_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    snprintf(text, STAGE_SETTINGS_MAX, options->padding_by_id ? TELL(PAD_BY_ID) : "pad_id = %lld",
             (long long)options->pad_id);
}

// lengths decide which rule holds; they are not a value that flows into the output.
// Walks through the lengths of the sequences before this one, to find where it begins in the
// list. Then one rule is shown.
static void pad_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    const Tensor *lengths = &args->in[PAD_IN_LENGTHS];
    ptrdiff_t start = 0;
    for (ptrdiff_t b = 0; b < at[0]; b++)
        start += *tensor_id1(lengths, b);

    bool is_token = at[1] < *tensor_id1(lengths, at[0]);
    Term term = {.what = is_token ? TELL(PAD_TOKEN) : TELL(PAD_ID),
                 .source_count = is_token,
                 .sources = {{PAD_IN_TOKENS, {start + at[1]}}}};
    if (terms->slot == PAD_OUT_MASK && args->options->padding_by_id) {
        bool is_pad = *tensor_flag2(&args->out[PAD_OUT_MASK], at[0], at[1]);
        term.what = is_pad ? TELL(PAD_IS_ID) : TELL(PAD_OTHER_ID);
        term.value = is_pad;
    } else if (terms->slot == PAD_OUT_MASK) {
        term.what = is_token ? TELL(PAD_INSIDE) : TELL(PAD_BEYOND);
        term.source_count = 0;
        term.value = is_token ? 0.0f : 1.0f;
    } else {
        term.value = (float)(is_token ? *tensor_id1(&args->in[PAD_IN_TOKENS], start + at[1])
                                      : args->options->pad_id);
    }
    term.running = term.value;
    terms->visit(terms->context, &term);
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
        .reads = {SLOT("tokens", "N", .dtype = DTYPE_I64),
                  SLOT("lengths", "B", .dtype = DTYPE_I64)},
        .writes = {NAMED_SLOT("input_ids", "input_ids", "B L", .dtype = DTYPE_I64),
                   NAMED_SLOT("key_padding_mask", "key_padding_mask", "B L", .dtype = DTYPE_BOOL)},
    }},
    .options = OPTION(pad_id) | OPTION(padding_by_id),
    .settings = pad_settings,
    .run = pad_run,
    .shapes = pad_shapes,
    .origin = pad_origin,
};

// --- embed
//
// Embed: looks up a row of numbers for every token.
//
//   x[b,l,d] = embedding[input_ids[b,l], d]
//
// in    input_ids        [B, L]    int64, 0 ... V-1
//       embedding.weight [V, Din]  one row for each id of the vocabulary
// out   x                [B, L, Din]
// loops b: each sequence; l: each of its tokens; d: each number of the row that the token's id
//       chooses. Nothing is computed: an embedding is a table, and this copies out of it
// error an id outside the vocabulary; `err` names its place and value
// cost  B * L * Din copies
// from  Vaswani et al. 2017, section 3.4 (without its factor sqrt(d_model); no document has it)

enum { EMBED_IN_IDS, EMBED_IN_WEIGHT };

static void embed(const Tensor *input_ids, const Tensor *weight, Tensor *x)
{
    // All Din numbers of a token come from
    // one row. The same id reads the same row
    // at every place: x does not know yet
    // where a word stands.
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at3(x, b, l, d) = *tensor_at2(weight, *tensor_id2(input_ids, b, l), d);
}

static bool embed_prepare(StageArgs *args, Error *err)
{
    const Tensor *input_ids = &args->in[EMBED_IN_IDS], *weight = &args->in[EMBED_IN_WEIGHT];
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++)
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++) {
            // The loop above does not check: an
            // id without a row would read memory
            // outside the table.
            int64_t id = *tensor_id2(input_ids, b, l);
            if (id < 0 || id >= weight->shape[0])
                return error_set(err, TELL(EMBED_OUTSIDE), b, l, (long long)id, weight->shape[0],
                                 weight->shape[0] - 1);
        }
    return true;
}

static bool embed_run(StageArgs *args, Error *err)
{
    if (!embed_prepare(args, err))
        return false;
    embed(&args->in[EMBED_IN_IDS], &args->in[EMBED_IN_WEIGHT], &args->out[0]);
    return true;
}

// A number has two sources: the id, which chose the row, and the number in that row.
static void embed_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *weight = &terms->args->in[EMBED_IN_WEIGHT];
    int64_t id = *tensor_id2(&terms->args->in[EMBED_IN_IDS], at[0], at[1]);
    Source by = SOURCE(EMBED_IN_IDS, at[0], at[1]), row = SOURCE(EMBED_IN_WEIGHT, id, at[2]);
    if (id < 0 || id >= weight->shape[0]) // `prepare` will refuse it
        term_one(terms, TERM_LOOK_UP, NULL, by, 0.0f, 0.0f);
    else
        term_two(terms, TERM_LOOK_UP, NULL, (SourcePair){by, row}, term_number(terms, row),
                 term_number(terms, row));
}

const Stage stage_embed = {
    .name = "embed",
    .formula = "x[b,l,d] = embedding[input_ids[b,l], d]",
    .torch = "x = embedding(input_ids)",
    .source = "Vaswani et al. 2017, section 3.4",
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("input_ids", "B L", .dtype = DTYPE_I64), SLOT("embedding.weight", "V Din")},
        .writes = {NAMED_SLOT("x", "embeddings", "B L Din")},
    }},
    .terms = {[TERM_LOOK_UP] = "tensor_id"},
    .run = embed_run,
    .prepare = embed_prepare,
    .fast = fast_embed,
    .origin = embed_origin,
};

// --- embedding_scale
//
// Embedding scale: multiplies every token's numbers by one factor before anything is added to them.
//
//   x[b,l,d] = embeddings[b,l,d] * embedding_scale
//
// in    embeddings [B, L, Din]; embedding_scale, a float32 number: sqrt(d_model)
// out   x_scaled [B, L, Din]
// cost  B * L * Din multiplications
// from  Vaswani et al. 2017, section 3.4; in Gemma

static void embedding_scale(const Tensor *embeddings, float factor, Tensor *x_scaled)
{
    // Embeddings shared with the output layer
    // are small. Positions added later would
    // drown them.
    for (ptrdiff_t b = 0; b < embeddings->shape[0]; b++)
        for (ptrdiff_t l = 0; l < embeddings->shape[1]; l++)
            for (ptrdiff_t d = 0; d < embeddings->shape[2]; d++)
                *tensor_at3(x_scaled, b, l, d) = *tensor_at3(embeddings, b, l, d) * factor;
}

static bool embedding_scale_run(StageArgs *args, Error *err)
{
    embedding_scale(&args->in[0], args->options->embedding_scale, &args->out[0]);
    return true;
}

SHOW_OPTION(embedding_scale_settings, embedding_scale, "%.9g", double)

static void embedding_scale_origin(Terms *terms, const ptrdiff_t at[])
{
    term_factor(terms, TELL(EMBEDDING_SCALE_TIMES), SOURCE(0, at[0], at[1], at[2]),
                terms->args->options->embedding_scale);
}

const Stage stage_embedding_scale = {
    .name = "embedding_scale",
    .formula = "x[b,l,d] = embeddings[b,l,d] * embedding_scale",
    .torch = "x = x * d_model**0.5",
    .source = "Vaswani et al. 2017, section 3.4",
    .influence = INFLUENCE_BY_AXES,
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("x", "B L Din", .alias = "embeddings")},
        .writes = {NAMED_SLOT("x", "x_scaled", "B L Din")},
    }},
    .options = OPTION(embedding_scale),
    .needs = OPTION(embedding_scale),
    .settings = embedding_scale_settings,
    .terms = {[TERM_FACTOR] = "* factor"},
    .run = embedding_scale_run,
    .origin = embedding_scale_origin,
};

// --- embedding_scale_backward
//
// Embedding scale, backward: the factor that made the numbers larger makes their gradients larger.
//
//   grad.embeddings[b,l,d] = grad.x_scaled[b,l,d] * embedding_scale
//
// in    grad.x_scaled [B, L, Din]; embedding_scale
// out   grad.embeddings [B, L, Din]
// cost  B * L * Din multiplications
// from  d (c e) / de = c; Vaswani et al. 2017, section 3.4

static void embedding_scale_backward(const Tensor *grad_x, float factor, Tensor *grad_embeddings)
{
    // Forward and backward are the same
    // product: of numbers, then of gradients.
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++)
                *tensor_at3(grad_embeddings, b, l, d) = *tensor_at3(grad_x, b, l, d) * factor;
}

static bool embedding_scale_backward_run(StageArgs *args, Error *err)
{
    embedding_scale_backward(&args->in[0], args->options->embedding_scale, &args->out[0]);
    return true;
}

const Stage stage_embedding_scale_backward = {
    .name = "embedding_scale_backward",
    .formula = "grad_embeddings[b,l,d] = grad_x[b,l,d] * embedding_scale",
    .torch = "grad_embeddings = grad_x * d_model**0.5",
    .source = "Vaswani et al. 2017, section 3.4",
    .influence = INFLUENCE_BY_AXES,
    .rounds_once = true,
    .calls = {{
        .of = "embedding_scale",
        .reads = {SLOT("grad.x", "B L Din")},
        .writes = {NAMED_SLOT("grad.x", "grad.embeddings", "B L Din")},
    }},
    .options = OPTION(embedding_scale),
    .settings = embedding_scale_settings,
    .terms = {[TERM_FACTOR] = "* factor"},
    .run = embedding_scale_backward_run,
    .origin = embedding_scale_origin,
};

// --- embed_backward
//
// Embed, backward: a word's row sums the gradients of all places where the word stands.
//
//   grad.embedding[v,d] = sum over the places b,l with input_ids[b,l] = v, in order, of grad.x[b,l,d]
//
// in    input_ids [B, L]  int64      grad.x [B, L, Din]
// out   grad.embedding.weight [V, Din]  rows of words that do not occur are 0; the same for the vectors
//       that tell two texts apart
// cost  B * L * Din additions
// from  PyTorch: the gradient of nn.Embedding

enum { EMBED_BACKWARD_IN_IDS, EMBED_BACKWARD_IN_GRAD };

static void embed_backward(const Tensor *input_ids, const Tensor *grad_x, Tensor *grad_embedding)
{
    // A separate loop sets all sums to 0. A
    // word may occur again: setting its sum
    // to 0 there would lose its earlier
    // places.
    for (ptrdiff_t v = 0; v < grad_embedding->shape[0]; v++)
        for (ptrdiff_t d = 0; d < grad_embedding->shape[1]; d++)
            *tensor_at2(grad_embedding, v, d) = 0.0f;

    // Forward, an id chose the row to read.
    // Here it chooses the row to add to.
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < grad_x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < grad_x->shape[2]; d++) {
                float *sum = tensor_at2(grad_embedding, *tensor_id2(input_ids, b, l), d);
                *sum = *sum + *tensor_at3(grad_x, b, l, d);
            }
}

RUN_ON_TWO(embed_backward)

// Any place may use the row, so all are visited. A place with another id adds nothing, but its id
// is a source.
static void embed_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *input_ids = &terms->args->in[EMBED_BACKWARD_IN_IDS];
    for (ptrdiff_t b = 0; b < input_ids->shape[0]; b++)
        for (ptrdiff_t l = 0; l < input_ids->shape[1]; l++) {
            Source id = SOURCE(EMBED_BACKWARD_IN_IDS, b, l);
            Source grad = SOURCE(EMBED_BACKWARD_IN_GRAD, b, l, at[1]);
            float value = term_number(terms, grad);
            if (*tensor_id2(input_ids, b, l) == at[0])
                term_two(terms, TERM_ADD, TELL(WORD_HERE), (SourcePair){grad, id}, value,
                         terms->running + value);
            else
                term_one(terms, TERM_RULE, TELL(WORD_ELSEWHERE), id, 0.0f, terms->running);
        }
}

const Stage stage_embed_backward = {
    .name = "embed_backward",
    .formula = "grad_embedding[v,d] = sum_l,b grad_x[b,l,d] * [input_ids[b,l] = v]",
    .torch = "grad_embedding.index_add_(0, input_ids.flatten(), grad_x.flatten(0, 1))",
    .source = "PyTorch: nn.Embedding",
    .calls = {{
                  .of = "embed",
                  .reads = {SLOT("input_ids", "B L", .dtype = DTYPE_I64),
                            SLOT("grad.x", "B L Din")},
                  .writes = {NAMED_SLOT("grad.embedding.weight", "grad.embedding.weight", "V Din")},
              },
              {
                  .label = "token_type",
                  .of = "learned_position",
                  .formula = "grad_types[t,d] = sum_l,b grad_x[b,l,d] * [token_type_ids[b,l] = t]",
                  .torch =
                      "grad_types.index_add_(0, token_type_ids.flatten(), grad_x.flatten(0, 1))",
                  .reads = {SLOT("token_type_ids", "B L", .dtype = DTYPE_I64),
                            SLOT("grad.x", "B L Din")},
                  .writes = {NAMED_SLOT("grad.token_type.weight", "grad.token_type.weight",
                                        "types Din", .alias = "grad_types")},
              }},
    .terms = {[TERM_ADD] = "*sum + "},
    .may_wait = true,
    .run = embed_backward_run,
    .origin = embed_backward_origin,
};
