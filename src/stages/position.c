// A token's position as numbers: a pattern or learned vectors added to x, or rotated queries and
// keys. relative_position.c adds to scores instead.
#include <math.h>
#include <stdio.h>
#include "describe.h"
#include "fast.h"
#include "stage.h"
#include "stages_words.def"

// --- position
//
// Position: adds to every token a pattern that depends only on its position.
//
//   positional_encoding[0,l,2i]   = sin(l / 10000^(2i/Din))
//   positional_encoding[0,l,2i+1] = cos(l / 10000^(2i/Din))
//   x[b,l,d]                      = embeddings[b,l,d] + positional_encoding[0,l,d]
//
// in    x                   [B, L, Din]  the embeddings
// out   positional_encoding [1, L, Din]  numbers in [-1, 1]
//       x                   [B, L, Din]
// loops first the pattern, once for all sequences: l, each place; d, each of its numbers. Then b, l
//       and d go over every token and add the pattern of its place
// cost  L * Din sines, B * L * Din additions
// from  Vaswani et al. 2017, section 3.5
//
// Without it attention could not tell "he saw her" from "her saw he": a score depends on the two
// vectors alone. Sine and power are libm's in double precision, narrowed to float once, which
// removes the last bits in which libraries differ.

enum { POSITION_OUT_ENCODING, POSITION_OUT_X };

static float sinusoid(ptrdiff_t l, ptrdiff_t d, ptrdiff_t width)
{
    // Columns 2i and 2i + 1 share an angle:
    // one has its sine, one its cosine. The
    // first pair advances one radian per
    // position, each later pair more slowly.
    ptrdiff_t pair = d - d % 2;
    double angle = (double)l / pow(10000.0, (double)pair / (double)width);
    return (float)(d % 2 == 0 ? sin(angle) : cos(angle));
}

static void position(const Tensor *embeddings, ptrdiff_t cached, Tensor *positional_encoding,
                     Tensor *x)
{
    // The pattern is [1, L, Din]: the same
    // for every sequence, so it is made once.
    // After a cache, the first token here is
    // not the first of the text.
    for (ptrdiff_t l = 0; l < x->shape[1]; l++)
        for (ptrdiff_t d = 0; d < x->shape[2]; d++)
            *tensor_at3(positional_encoding, 0, l, d) = sinusoid(cached + l, d, x->shape[2]);

    // Word and position share the same Din
    // numbers: no column is reserved for the
    // position.
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++)
                *tensor_at3(x, b, l, d) =
                    *tensor_at3(embeddings, b, l, d) + *tensor_at3(positional_encoding, 0, l, d);
}

static bool position_run(StageArgs *args, Error *err)
{
    position(&args->in[0], args->options->cached, &args->out[POSITION_OUT_ENCODING],
             &args->out[POSITION_OUT_X]);
    return true;
}

// Two terms for x: the embedding, then the pattern. The pattern has no source: it depends on the
// position alone, not on any input.
static void position_origin(Terms *terms, const ptrdiff_t at[])
{
    float encoding = *tensor_at3(&terms->args->out[POSITION_OUT_ENCODING], 0, at[1], at[2]);
    const char *what = at[2] % 2 == 0 ? "sin(l / 10000^(d/D))" : "cos(l / 10000^((d-1)/D))";
    if (terms->slot == POSITION_OUT_ENCODING) {
        term_rule(terms, what, encoding, encoding);
        return;
    }
    term_copy(terms, TERM_ADD, TELL(POSITION_EMBEDDING), term_here(terms, 0, at));
    term_none(terms, TERM_ADD, what, encoding, terms->running + encoding);
}

const Stage stage_position = {
    .name = "position",
    .formula = "x[b,l,d] = embeddings[b,l,d] + PE[0,l,d]; "
               "PE[0,l,d] = d % 2 = 0 ? sin(l / 10000^(d/Din)) : cos(l / 10000^((d - 1)/Din))",
    .torch = "x = embeddings + positional_encoding",
    .source = "Vaswani et al. 2017, section 3.5",
    .use = STAGE_WITH_POSITIONS,
    .form = {.option = OPTION(cached),
             .formula =
                 "x[b,l,d] = embeddings[b,l,d] + PE[0,l,d]; PE[0,l,d] = d % 2 = 0 ? "
                 "sin((cached + l) / 10000^(d/Din)) : cos((cached + l) / 10000^((d - 1)/Din))",
             .torch = "x = embeddings + positional_encoding[cached:]"},
    .options = OPTION(cached),
    .main_output = POSITION_OUT_X,
    .calls = {{
        .reads = {SLOT("x", "B L Din", .alias = "embeddings")},
        .writes = {NAMED_SLOT("positional_encoding", "positional_encoding", "1 L Din",
                              .alias = "PE"),
                   NAMED_SLOT("x", "x", "B L Din")},
    }},
    .terms = {[TERM_ADD] = "+ *tensor_at"},
    .run = position_run,
    .prepare = fast_position_prepare,
    .prepares_once = true,
    .fast = fast_position,
    .origin = position_origin,
};

// --- position_backward
//
// Position, backward: a sum passes its gradient on unchanged, without moving a number.
//
//   grad.embeddings[b,l,d] = grad.x[b,l,d]
//
// in    grad.x          [B, L, Din]
// out   grad.embeddings [B, L, Din]  the same storage. A sinusoidal pattern learns nothing; learned
//                                    positions: learned_position_backward
// cost  nothing: no element is read or written
// from  d (e + p) / de = 1; Vaswani et al. 2017, section 3.5

static void position_backward(const Tensor *grad_x, Tensor *grad_embeddings)
{
    // Every term of a sum gets the whole
    // gradient. What embeddings get is the
    // same memory under another name.
    *grad_embeddings = *grad_x;
}

RUN_ON_ONE(position_backward)

const Stage stage_position_backward = {
    .name = "position_backward",
    .formula = "grad_embeddings[b,l,d] = grad_x[b,l,d]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_embeddings = grad_x",
    .source = "Vaswani et al. 2017, section 3.5",
    .rounds_once = true,
    .calls = {{
                  .of = "position",
                  .reads = {SLOT("grad.x", "B L Din")},
                  .writes = {NAMED_SLOT("grad.x", "grad.embeddings", "B L Din", .is_view = true)},
              },
              {
                  .of = "learned_position",
                  .reads = {SLOT("grad.x", "B L Din")},
                  .writes = {NAMED_SLOT("grad.x", "grad.embeddings", "B L Din", .is_view = true)},
              }},
    .run = position_backward_run,
};

// --- learned_position
//
// Learned position: adds to every token a learned vector for its position, and in BERT one that tells
// the first text from the second.
//
//   x[b,l,d] = (embeddings[b,l,d] + token_type[d]) + weight[first_place + l,d]
//                                   types[token_type_ids[b,l], d] instead, if there are two texts
//
// in    embeddings [B, L, Din]
//       weight     [P, Din]  a row for each position, P >= L; rows before first_place (0) belong to no
//                            position: in RoBERTa they are for padding
//       token_type [Din]     of the first text, or none
//       types [types, Din]   instead, if there are two texts: a row for each
//       token_type_ids [B, L]  int64: which text a token belongs to
// out   x [B, L, Din]
// error more tokens than positions; a type without a row
// cost  B * L * Din additions, twice as many with a token type
// from  Radford et al. 2018 (GPT), Devlin et al. 2018 (BERT), whose code adds the type first

enum {
    LEARNED_POSITION_IN_EMBEDDINGS,
    LEARNED_POSITION_IN_WEIGHT,
    LEARNED_POSITION_IN_TYPE,
    LEARNED_POSITION_IN_TYPES,
    LEARNED_POSITION_IN_TYPE_IDS
};

static void learned_position(const StageArgs *args, ptrdiff_t first_place, Tensor *x)
{
    const Tensor *embeddings = &args->in[LEARNED_POSITION_IN_EMBEDDINGS];
    const Tensor *weight = &args->in[LEARNED_POSITION_IN_WEIGHT];
    const Tensor *token_type = stage_given(args, LEARNED_POSITION_IN_TYPE);
    const Tensor *types = stage_given(args, LEARNED_POSITION_IN_TYPES);
    const Tensor *type_ids = &args->in[LEARNED_POSITION_IN_TYPE_IDS];
    for (ptrdiff_t b = 0; b < x->shape[0]; b++)
        for (ptrdiff_t l = 0; l < x->shape[1]; l++)
            for (ptrdiff_t d = 0; d < x->shape[2]; d++) {
                // BERT adds the type before the
                // position: another order of float
                // sums may differ in a bit.
                float typed = *tensor_at3(embeddings, b, l, d);
                if (token_type)
                    typed += *tensor_at1(token_type, d);
                if (types)
                    typed += *tensor_at2(types, *tensor_id2(type_ids, b, l), d);
                // Row l for position l, in every
                // sequence. A position past the
                // last row has no vector: it was
                // never learned.
                *tensor_at3(x, b, l, d) = typed + *tensor_at2(weight, first_place + l, d);
            }
}

// The row of the first token to compute.
static ptrdiff_t first_place(const StageOptions *options)
{
    return options->first_place + options->cached;
}

// A type without a row would read memory outside the table.
static bool types_have_rows(const StageArgs *args, Error *err)
{
    const Tensor *types = stage_given(args, LEARNED_POSITION_IN_TYPES);
    const Tensor *type_ids = &args->in[LEARNED_POSITION_IN_TYPE_IDS];
    for (ptrdiff_t b = 0; types && b < type_ids->shape[0]; b++)
        for (ptrdiff_t l = 0; l < type_ids->shape[1]; l++) {
            int64_t type = *tensor_id2(type_ids, b, l);
            if (type < 0 || type >= types->shape[0])
                return error_set(err, TELL(LEARNED_POSITION_OUTSIDE), b, l, (long long)type,
                                 types->shape[0] - 1);
        }
    return true;
}

static bool learned_position_run(StageArgs *args, Error *err)
{
    if (!types_have_rows(args, err))
        return false;
    learned_position(args, first_place(args->options), &args->out[0]);
    return true;
}

static bool learned_position_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t places = args->in[LEARNED_POSITION_IN_WEIGHT].shape[0],
              tokens = args->in[LEARNED_POSITION_IN_EMBEDDINGS].shape[1];
    ptrdiff_t first = first_place(args->options), left = places > first ? places - first : 0;
    return tokens <= left || error_set(err, TELL(LEARNED_POSITION_FEW), tokens, left);
}

static void learned_position_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    text[0] = '\0';
    if (options->first_place)
        snprintf(text, STAGE_SETTINGS_MAX, "first_place = %td", options->first_place);
}

// The row of the token's type, and the id that chose it.
static void emit_type(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *types = &terms->args->in[LEARNED_POSITION_IN_TYPES];
    Source id = SOURCE(LEARNED_POSITION_IN_TYPE_IDS, at[0], at[1]);
    int64_t type = *tensor_id2(&terms->args->in[LEARNED_POSITION_IN_TYPE_IDS], at[0], at[1]);
    Source row = SOURCE(LEARNED_POSITION_IN_TYPES, type, at[2]);
    bool has_row = type >= 0 && type < types->shape[0]; // else `run` will refuse it
    float value = has_row ? term_number(terms, row) : 0.0f;
    term_two(terms, TERM_ADD, TELL(LEARNED_POSITION_OWN_TYPE), (SourcePair){has_row ? row : id, id},
             value, terms->running + value);
}

// Two terms, three with a type, in the order in which they are added.
static void learned_position_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    term_copy(terms, TERM_ADD, TELL(POSITION_EMBEDDING),
              term_here(terms, LEARNED_POSITION_IN_EMBEDDINGS, at));
    if (stage_given(args, LEARNED_POSITION_IN_TYPES))
        emit_type(terms, at);
    else if (stage_given(args, LEARNED_POSITION_IN_TYPE))
        term_add(terms, TELL(LEARNED_POSITION_TYPE), SOURCE(LEARNED_POSITION_IN_TYPE, at[2]));
    term_add(terms, TELL(LEARNED_POSITION_PLACE),
             SOURCE(LEARNED_POSITION_IN_WEIGHT, first_place(args->options) + at[1], at[2]));
}

const Stage stage_learned_position = {
    .name = "learned_position",
    .formula =
        "x[b,l,d] = embeddings[b,l,d]  (+ token_type[d])  (+ types[token_type_ids[b,l], d]) + "
        "weight[first_place + cached + l, d]",
    .torch = "x = embeddings + $(torch.arange(L))",
    .source = "Radford et al. 2018 (GPT); Devlin et al. 2018 (BERT)",
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("x", "B L Din", .alias = "embeddings"), SLOT("position.weight", "P Din"),
                  SLOT("token_type", "Din", .optional = true),
                  SLOT("token_type.weight", "types Din", .optional = true, .alias = "types"),
                  SLOT("token_type_ids", "B L", .dtype = DTYPE_I64, .optional = true)},
        .writes = {NAMED_SLOT("x", "x", "B L Din")},
    }},
    .form =
        {.option = OPTION(first_place),
         .formula =
             "x[b,l,d] = embeddings[b,l,d]  (+ token_type[d])  (+ types[token_type_ids[b,l], d]) + "
             "weight[first_place + cached + l, d]",
         .torch = "x = embeddings + $(first_place + torch.arange(L))"},
    .options = OPTION(learned_position) | OPTION(first_place) | OPTION(cached),
    .needs = OPTION(learned_position),
    .settings = learned_position_settings,
    .terms = {[TERM_ADD] = "typed + *tensor_at2"},
    .run = learned_position_run,
    .shapes = learned_position_shapes,
    .origin = learned_position_origin,
};

// --- learned_position_backward
//
// Learned position, backward: a position's vector sums the gradients of the tokens that stood there.
//
//   grad.weight[p,d] = sum over b of grad.x[b, p - first_place, d]; 0 where no token stood
//
// in    grad.x [B, L, Din]; first_place
// out   grad.position.weight [P, Din]
// cost  B * L * Din additions
// from  Radford et al. 2018 (GPT); PyTorch: the gradient of nn.Embedding

static void learned_position_backward(const Tensor *grad_x, ptrdiff_t first_place,
                                      Tensor *grad_weight)
{
    for (ptrdiff_t p = 0; p < grad_weight->shape[0]; p++)
        for (ptrdiff_t d = 0; d < grad_weight->shape[1]; d++) {
            // Position p belongs to one token of
            // each sequence. Those past the end of
            // the text, and padding rows before
            // its start, learn nothing.
            ptrdiff_t l = p - first_place;
            float sum = 0.0f;
            for (ptrdiff_t b = 0; l >= 0 && l < grad_x->shape[1] && b < grad_x->shape[0]; b++)
                sum += *tensor_at3(grad_x, b, l, d);
            *tensor_at2(grad_weight, p, d) = sum;
        }
}

static bool learned_position_backward_run(StageArgs *args, Error *err)
{
    learned_position_backward(&args->in[0], first_place(args->options), &args->out[0]);
    return true;
}

// A term for each sequence; a rule where no token stood.
static void learned_position_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    const Tensor *grad_x = &terms->args->in[0];
    ptrdiff_t l = at[0] - first_place(terms->args->options);
    if (l < 0 || l >= grad_x->shape[1]) {
        term_rule(terms, TELL(LEARNED_POSITION_NOBODY), 0.0f, 0.0f);
        return;
    }
    for (ptrdiff_t b = 0; b < grad_x->shape[0]; b++)
        term_add(terms, TELL(LEARNED_POSITION_GRADIENT), SOURCE(0, b, l, at[1]));
}

const Stage stage_learned_position_backward = {
    .name = "learned_position_backward",
    .formula = "grad_weight[p,d] = sum_l,b grad_x[b,l,d] * [first_place + cached + l = p]",
    .torch = "grad_weight.index_add_(0, first_place + torch.arange(L), grad_x.sum(0))",
    .source = "Radford et al. 2018 (GPT)",
    .calls = {{
        .of = "learned_position",
        .reads = {SLOT("grad.x", "B L Din")},
        .writes = {NAMED_SLOT("grad.position.weight", "grad.position.weight", "P Din")},
    }},
    .options = OPTION(first_place) | OPTION(cached),
    .settings = learned_position_settings,
    .terms = {[TERM_ADD] = "sum += "},
    .run = learned_position_backward_run,
    .origin = learned_position_backward_origin,
};

// --- rotate
//
// Rotate: rotates queries and keys by angles that grow with their token's position, so that a score
// depends on how far apart two tokens are (rotary position embedding, RoPE).
//
//   angle(l,p)  = l / rope^(2p/w)          of pair p = 0 ... w/2 - 1, in radians; w = d_k
//   out[l,i]    = q[l,i] * cos(angle) - q[l,j] * sin(angle)     i the first of pair p, j the second
//   out[l,j]    = q[l,j] * cos(angle) + q[l,i] * sin(angle)
//
// in    q [B, H, L, d_k]; rope, the base of the powers; w = rope_width, even, if only the first w numbers
//       of a head rotate. The pair is (p, p + w/2), or (2p, 2p + 1) if neighbours are paired
//       rope_factor, rope_original, rope_low, rope_high: shrink the angles of all pairs, or of slow ones
//       rope_yarn: slows the pairs between two bounds gradually and scales all cosines and sines
//       rope_dynamic: with more tokens than this, the base grows instead
// out   q_rotated [B, H, L, d_k]  each pair keeps its length
// error an odd w, or one wider than a head
// loops l and i first: all sequences and heads share an angle, and b and h go over them
// cost  L * d_k cosines and sines, 2 * B * H * L * d_k multiplications
// from  Su et al. 2021 (RoFormer), section 3.2.2; pairs half a head apart: GPT-NeoX, LLaMA; smaller
//       angles: Peng et al. 2023 (YaRN), sections 3.1 to 3.4
//
// The power and the product are rounded to float32 on the way, as in notebooks; power, sine and cosine
// are libm's in double precision, narrowed once, which removes the last bits in which libraries
// differ.

// The pair, as a fraction, that makes this many turns over the length the model was trained with.
static double pair_of_turns(double turns, ptrdiff_t width, const StageOptions *options)
{
    const double circle = 6.283185307179586;
    double turned = (double)options->rope_original / (turns * circle);
    return (double)width * log(turned) / (2.0 * log((double)options->rope));
}

// YaRN: pairs up to a first one keep their speed, those from a last one on are slowed; between them
// gradually.
static double eased(double frequency, ptrdiff_t pair, ptrdiff_t width, const StageOptions *options)
{
    double slow = frequency / (double)options->rope_factor;
    double first = floor(pair_of_turns((double)options->rope_high, width, options));
    double last = ceil(pair_of_turns((double)options->rope_low, width, options));
    first = first > 0.0 ? first : 0.0;
    last = last < (double)(width - 1) ? last : (double)(width - 1);
    double share = ((double)pair - first) / (last == first ? 0.001 : last - first);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return share * slow + (1.0 - share) * frequency;
}

// For texts longer than those of the training: slows all pairs, or, with rope_original, those that make
// hardly a turn over that length.
static double slowed(double frequency, const StageOptions *options)
{
    const double circle = 6.283185307179586;
    double slow = frequency / (double)options->rope_factor;
    double low = (double)options->rope_low, high = (double)options->rope_high;
    if (options->rope_original == 0)
        return slow;
    double turns = (double)options->rope_original * frequency / circle;
    if (turns <= low || turns >= high)
        return turns <= low ? slow : frequency;
    double share = (turns - low) / (high - low);
    return (1.0 - share) * slow + share * frequency;
}

// The base of the powers; a text longer than those of the training may use a larger one.
static double base_of(const Tensor *q, ptrdiff_t width, const StageOptions *options)
{
    double base = (double)options->rope;
    double factor = options->rope_factor > 0.0f ? (double)options->rope_factor : 1.0;
    ptrdiff_t length = q->shape[2], trained = options->rope_dynamic;
    if (trained == 0 || length <= trained)
        return base;
    double longer = factor * (double)length / (double)trained - (factor - 1.0);
    return base * pow(longer, (double)width / (double)(width - 2));
}

static float angle(ptrdiff_t l, ptrdiff_t pair, ptrdiff_t width, double base,
                   const StageOptions *options)
{
    // Pair 0 turns one radian per position,
    // each later pair more slowly.
    double power = pow(base, (double)(2 * pair) / (double)width);
    float frequency = (float)(1.0 / power);
    if (options->rope_yarn > 0.0f)
        frequency = (float)eased((double)frequency, pair, width, options);
    else if (options->rope_factor > 0.0f && options->rope_dynamic == 0)
        frequency = (float)slowed((double)frequency, options);
    return (float)l * frequency;
}

// A cosine or sine, scaled by YaRN if used.
static float grown(double number, const StageOptions *options)
{
    return options->rope_yarn > 0.0f ? (float)number * options->rope_yarn : (float)number;
}

// The pair of number i of a head, and the index of its partner.
static ptrdiff_t pair_of(ptrdiff_t i, ptrdiff_t width, bool neighbours)
{
    return neighbours ? i / 2 : i % (width / 2);
}

static ptrdiff_t other_of(ptrdiff_t i, ptrdiff_t width, bool neighbours)
{
    bool is_first = neighbours ? i % 2 == 0 : i < width / 2;
    ptrdiff_t apart = neighbours ? 1 : width / 2;
    return is_first ? i + apart : i - apart;
}

// The factor of number i's partner: the sine, negative for the first of the pair. The backward rotation
// flips both signs.
static float sine_of(double by, bool is_first, const StageOptions *options)
{
    return grown(is_first ? -sin(by) : sin(by), options);
}

static void rotate(const Tensor *q, const StageOptions *options, ptrdiff_t width, Tensor *q_rotated)
{
    bool neighbours = options->rope_neighbours;
    double base = base_of(q, width, options);
    for (ptrdiff_t l = 0; l < q->shape[2]; l++)
        for (ptrdiff_t i = 0; i < q->shape[3]; i++) {
            // Two numbers are a point in a
            // plane. A query turned by l and a
            // key by m have a dot product that
            // depends only on l - m. Other
            // numbers carry no position.
            bool turns = i < width;
            ptrdiff_t j = turns ? other_of(i, width, neighbours) : i;
            ptrdiff_t pair = pair_of(i, width, neighbours);
            double by =
                turns ? (double)angle(options->cached + l, pair, width, base, options) : 0.0;
            // Minus the sine for the first of a
            // pair, plus for the second: this
            // makes it a rotation, which keeps
            // lengths.
            float cosine = grown(cos(by), options), sine = sine_of(by, i < j, options);
            for (ptrdiff_t b = 0; b < q->shape[0]; b++)
                for (ptrdiff_t h = 0; h < q->shape[1]; h++)
                    *tensor_at4(q_rotated, b, h, l, i) = turns
                                                             ? *tensor_at4(q, b, h, l, i) * cosine +
                                                                   *tensor_at4(q, b, h, l, j) * sine
                                                             : *tensor_at4(q, b, h, l, i);
        }
}

static ptrdiff_t width_of(const StageArgs *args)
{
    return args->options->rope_width ? args->options->rope_width : args->in[0].shape[3];
}

static ptrdiff_t rotate_columns(const StageArgs *args)
{
    return 2 * width_of(args);
}

// The cosines of all rotated numbers, then their sines, a row for each position.
static void fill_turns(StageArgs *args, ptrdiff_t before, bool is_back)
{
    const StageOptions *options = args->options;
    ptrdiff_t width = width_of(args);
    bool neighbours = options->rope_neighbours;
    double base = base_of(&args->in[0], width, options);
    for (ptrdiff_t l = 0; l < args->table.shape[0]; l++)
        for (ptrdiff_t i = 0; i < width; i++) {
            ptrdiff_t j = other_of(i, width, neighbours), pair = pair_of(i, width, neighbours);
            double by = (double)angle(before + l, pair, width, base, options);
            *tensor_at2(&args->table, l, i) = grown(cos(by), options);
            *tensor_at2(&args->table, l, width + i) = sine_of(by, is_back ? i > j : i < j, options);
        }
}

static bool rotate_prepare(StageArgs *args, Error *err)
{
    (void)err;
    fill_turns(args, args->options->cached, false);
    return true;
}

static bool rotate_run(StageArgs *args, Error *err)
{
    rotate(&args->in[0], args->options, width_of(args), &args->out[0]);
    return true;
}

static bool rotate_shapes(StageArgs *args, Error *err)
{
    ptrdiff_t d_k = args->in[0].shape[3], width = width_of(args);
    if (width > d_k)
        return error_set(err, TELL(ROTATE_WIDE), width, d_k);
    return width % 2 == 0 || error_set(err, TELL(ROTATE_ODD), width);
}

static void rotate_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    int used = snprintf(text, STAGE_SETTINGS_MAX,
                        options->rope_neighbours ? TELL(ROTATE_NEIGHBOURS) : "rope = %g",
                        (double)options->rope);
    if (options->rope_width)
        used += snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_width = %td",
                         options->rope_width);
    if (options->rope_factor > 0.0f)
        used += snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_factor = %g",
                         (double)options->rope_factor);
    if (options->rope_dynamic)
        snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_dynamic = %td",
                 options->rope_dynamic);
    if (options->rope_yarn > 0.0f)
        snprintf(text + used, STAGE_SETTINGS_MAX - (size_t)used, ", rope_yarn = %g",
                 (double)options->rope_yarn);
}

// Two terms: the number itself times the cosine, then its partner times the sine, whose sign the
// backward rotation flips.
static void emit_turn(Terms *terms, const ptrdiff_t at[], bool is_back)
{
    const StageOptions *options = terms->args->options;
    bool neighbours = options->rope_neighbours;
    ptrdiff_t l = at[2], i = at[3], width = width_of(terms->args);
    if (i >= width) {
        term_copy(terms, TERM_COPY, NULL, term_here(terms, 0, at));
        return;
    }
    ptrdiff_t j = other_of(i, width, neighbours);
    bool has_minus = is_back ? i > j : i < j;
    double base = base_of(&terms->args->in[0], width, options);
    double by =
        (double)angle(options->cached + l, pair_of(i, width, neighbours), width, base, options);
    float cosine = grown(cos(by), options), sine = sine_of(by, has_minus, options);
    Source other = SOURCE(0, at[0], at[1], l, j);
    float others = term_number(terms, other) * sine;
    term_factor(terms, TELL(ROTATE_COSINE), term_here(terms, 0, at), cosine);
    term_one(terms, TERM_ADD, has_minus ? TELL(ROTATE_MINUS_SINE) : TELL(ROTATE_SINE), other,
             others, terms->running + others);
}

static void rotate_origin(Terms *terms, const ptrdiff_t at[])
{
    emit_turn(terms, at, false);
}

// Explains the angles; `length` counts the tokens, `keep` is the share of a pair's own speed that is left.
#define ANGLES(length) \
    "a = float32((cached + l) * float32(rope_factor > 0 and rope_dynamic = 0 ? keep * f + " \
    "(1 - keep) * (f / rope_factor) : f)); f = float32(1 / base^(2*pair/width)); base = " \
    "rope_dynamic > 0 and " length " > rope_dynamic ? rope * (factor*" length \
    "/rope_dynamic - factor + 1)^(" \
    "width/(width - 2)) : rope; factor = rope_factor > 0 ? rope_factor : 1; keep = max(0, min(1, " \
    "rope_yarn > 0 ? 1 - (pair - from) / " \
    "(to = from ? 0.001 : to - from) : (rope_original*f/(2*pi) - rope_low) / " \
    "(rope_high - rope_low))); from = max(0, floor(pair_at[rope_high])); " \
    "to = min(width - 1, -floor(-pair_at[rope_low])); " \
    "pair_at[t] = width * log(rope_original / (t * 2*pi)) / (2 * log(rope)); " \
    "grow = rope_yarn > 0 ? rope_yarn : 1; " \
    "pair = rope_neighbours ? floor(i/2) : i % (width/2); " \
    "first = rope_neighbours ? i % 2 = 0 : i < width/2; apart = rope_neighbours ? 1 : width/2; " \
    "width = rope_width > 0 ? rope_width : d_k"

const Stage stage_rotate = {
    .name = "rotate",
    .formula = "q_rotated[b,h,l,i] = i >= width ? q[b,h,l,i] : q[b,h,l,i] * (cos(a) * grow) + "
               "(first ? -q[b,h,l, i + apart] : q[b,h,l, i - apart]) * (sin(a) * grow)",
    .where = ANGLES("Lq"),
    .torch = "q = q * cos + rotate_half(q) * sin",
    .source = "Su et al. 2021 (RoFormer), section 3.2.2",
    .calls = {{.label = "q",
               .reads = {SLOT("q", "B H Lq d_k")},
               .writes = {NAMED_SLOT("q", "q_rotated", "B H Lq d_k")}},
              {.label = "k",
               .formula =
                   "k_rotated[b,h,l,i] = i >= width ? k[b,h,l,i] : k[b,h,l,i] * (cos(a) * grow) + "
                   "(first ? -k[b,h,l, i + apart] : k[b,h,l, i - apart]) * (sin(a) * grow)",
               .where = ANGLES("Lk"),
               .torch = "k = k * cos + rotate_half(k) * sin",
               .reads = {SLOT("k", "B G Lt d_k")},
               .writes = {NAMED_SLOT("k", "k_rotated", "B G Lt d_k")}}},
    .options = OPTION(rope) | OPTION(rope_neighbours) | OPTION(rope_width) | OPTION(rope_factor) |
               OPTION(rope_original) | OPTION(rope_low) | OPTION(rope_high) | OPTION(rope_yarn) |
               OPTION(rope_dynamic) | OPTION(cached),
    .needs = OPTION(rope),
    .settings = rotate_settings,
    .terms = {[TERM_FACTOR] = "* cosine", [TERM_ADD] = "* sine"},
    .run = rotate_run,
    .prepare = rotate_prepare,
    .prepares_once = true,
    .table_columns = rotate_columns,
    .fast = fast_rotate,
    .shapes = rotate_shapes,
    .origin = rotate_origin,
};

// --- rotate_backward
//
// Rotate, backward: rotates the gradient back by the same angle.
//
//   grad.q[l,i] = grad.q_rotated[l,i] * cos(angle) + grad.q_rotated[l,j] * sin(angle)     i the first of
//   grad.q[l,j] = grad.q_rotated[l,j] * cos(angle) - grad.q_rotated[l,i] * sin(angle)     pair p, j the second
//
// in    grad.q_rotated [B, H, L, d_k]; the options of rotate
// out   grad.q [B, H, L, d_k]
// loops as in rotate
// cost  as in rotate
// from  the transpose of a rotation is its inverse; Su et al. 2021 (RoFormer), section 3.2.2

static void rotate_backward(const Tensor *grad_rotated, const StageOptions *options,
                            ptrdiff_t width, Tensor *grad_q)
{
    bool neighbours = options->rope_neighbours;
    double base = base_of(grad_rotated, width, options);
    for (ptrdiff_t l = 0; l < grad_q->shape[2]; l++)
        for (ptrdiff_t i = 0; i < grad_q->shape[3]; i++) {
            bool turns = i < width;
            ptrdiff_t j = turns ? other_of(i, width, neighbours) : i;
            ptrdiff_t pair = pair_of(i, width, neighbours);
            double by = turns ? (double)angle(l, pair, width, base, options) : 0.0;
            // The first of a pair entered the
            // second with a plus, so that
            // gradient comes back with a plus.
            float cosine = grown(cos(by), options), sine = sine_of(by, i > j, options);
            for (ptrdiff_t b = 0; b < grad_q->shape[0]; b++)
                for (ptrdiff_t h = 0; h < grad_q->shape[1]; h++)
                    *tensor_at4(grad_q, b, h, l, i) =
                        turns ? *tensor_at4(grad_rotated, b, h, l, i) * cosine +
                                    *tensor_at4(grad_rotated, b, h, l, j) * sine
                              : *tensor_at4(grad_rotated, b, h, l, i);
        }
}

static bool rotate_backward_prepare(StageArgs *args, Error *err)
{
    (void)err;
    fill_turns(args, 0, true);
    return true;
}

static bool rotate_backward_run(StageArgs *args, Error *err)
{
    rotate_backward(&args->in[0], args->options, width_of(args), &args->out[0]);
    return true;
}

static void rotate_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    emit_turn(terms, at, true);
}

#define TURNED_BACK(name) \
    "grad_" name "[b,h,l,i] = i >= width ? grad_rotated[b,h,l,i] : " \
    "grad_rotated[b,h,l,i] * (cos(a) * grow) + (first ? grad_rotated[b,h,l, i + apart] : " \
    "-grad_rotated[b,h,l, i - apart]) * (sin(a) * grow)"

const Stage stage_rotate_backward = {
    .name = "rotate_backward",
    .formula = TURNED_BACK("q"),
    .where = ANGLES("Lq"),
    .torch = "grad_q = grad_rotated * cos - rotate_half(grad_rotated) * sin",
    .source = "Su et al. 2021 (RoFormer), section 3.2.2",
    .calls = {{.label = "q",
               .of = "rotate",
               .reads = {SLOT("grad.q", "B H Lq d_k", .alias = "grad_rotated")},
               .writes = {NAMED_SLOT("grad.q", "grad.q", "B H Lq d_k")}},
              {.label = "k",
               .of = "rotate",
               .formula = TURNED_BACK("k"),
               .where = ANGLES("Lk"),
               .torch = "grad_k = grad_rotated * cos - rotate_half(grad_rotated) * sin",
               .reads = {SLOT("grad.k", "B G Lt d_k", .alias = "grad_rotated")},
               .writes = {NAMED_SLOT("grad.k", "grad.k", "B G Lt d_k")}}},
    .options = OPTION(rope) | OPTION(rope_neighbours) | OPTION(rope_width) | OPTION(rope_factor) |
               OPTION(rope_original) | OPTION(rope_low) | OPTION(rope_high) | OPTION(rope_yarn) |
               OPTION(rope_dynamic),
    .settings = rotate_settings,
    .terms = {[TERM_FACTOR] = "* cosine", [TERM_ADD] = "* sine"},
    .run = rotate_backward_run,
    .prepare = rotate_backward_prepare,
    .prepares_once = true,
    .table_columns = rotate_columns,
    .fast = fast_rotate,
    .origin = rotate_backward_origin,
};
