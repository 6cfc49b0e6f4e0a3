// Masks: replace scores, or add numbers to them.
#include <assert.h>
#include <stdio.h>
#include "fast.h"
#include "describe.h"
#include "stage.h"
#include "stages_words.def"

// --- mask
//
// Mask: forbids some keys, by replacing their scores with -inf before softmax.
//
//   attn_mask[b,h,i,j]     = (causal and j > i) or (window and |i - j| >= window)
//                            or key_padding_mask[b,j] or mask[b,h,i,j]
//   If the queries are the last of more keys (causal_align: bottom_right), i + causal_shift replaces i.
// Keys appended after the text belong to no token: only `mask` can forbid them.
//   scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]
//
// in    scores [B, H, Lq, Lk]
//       key_padding_mask [B, Lk]  bool, true = padding: no query may look there
//       mask  bool, true = masked: any shape that broadcasts to the scores
//       causal_mask_buffer [C, C]  bool: a causal mask for C tokens; its first Lq x Lk are used
//                          (document 003's registered buffer)
// out   attn_mask      the smallest shape that fits: [Lq, Lk] causal, [B, 1, 1, Lk] padding
//       scores_masked  [B, H, Lq, Lk]
// loops first the mask: each element checks, kind by kind, whether this query may not see this key.
//       Then b, h, i and j go over every score: a forbidden one is replaced, any other copied.
//       Causal and padding masks have no head axis: they hold for every head
// error a mask that does not broadcast, a buffer shorter than the sequence; both shapes are named
// cost  B * H * Lq * Lk copies
// from  Vaswani et al. 2017, section 3.2.3 (decoder: future keys); Beltagy et al. 2020 (window); PyTorch: Tensor.masked_fill

enum { MASK_IN_SCORES, MASK_IN_PADDING, MASK_IN_MASK, MASK_IN_BUFFER };
enum { MASK_OUT_MASK, MASK_OUT_SCORES };

// The first kind of mask, in this order, that hides this key from this query.
typedef enum Decision {
    MASK_NOTHING,
    MASK_CAUSAL,
    MASK_BUFFER,
    MASK_WINDOW,
    MASK_PADDING,
    MASK_GIVEN
} Decision;

// A mask is used only if the scenario asks for its kind.
static bool uses(const StageArgs *args, int slot)
{
    bool asked = slot == MASK_IN_PADDING  ? args->options->mask_padding
                 : slot == MASK_IN_BUFFER ? args->options->causal
                                          : true;
    return asked && args->in[slot].storage.bytes != NULL;
}

static bool is_far(const StageOptions *options, ptrdiff_t own, ptrdiff_t j)
{
    // A window of 4 shows a query its own key
    // and 3 on each side; 0 is not a window.
    return options->window > 0 && (own > j ? own - j : j - own) >= options->window;
}

// The number of keys from the text; the others were appended.
static ptrdiff_t text_keys(const StageArgs *args)
{
    return args->in[MASK_IN_SCORES].shape[3] - args->options->add_bias_kv -
           args->options->add_zero_attn;
}

static ptrdiff_t wrap(ptrdiff_t index, ptrdiff_t length)
{
    // An axis of length 1 has one element
    // for every index.
    return length == 1 ? 0 : index;
}

// The index of the mask element that broadcasts to [b,h,i,j].
static void broadcast_at(const Tensor *mask, const ptrdiff_t at[4], ptrdiff_t mask_at[])
{
    // Axes are matched from the last one: a
    // mask [Lq, Lk] lacks the two in front,
    // so its axis 0 is axis 2 of the scores.
    for (int axis = 0; axis < mask->rank; axis++)
        mask_at[axis] = wrap(at[axis + 4 - mask->rank], mask->shape[axis]);
}

static bool flag_at(const Tensor *mask, const ptrdiff_t at[4])
{
    ptrdiff_t mask_at[TENSOR_RANK_MAX];
    broadcast_at(mask, at, mask_at);
    return mask->storage.boolean[tensor_place(mask, mask_at)];
}

static Decision decide(const StageArgs *args, const ptrdiff_t at[4])
{
    // The key of the query's own token: key
    // i, or later if earlier keys were kept.
    ptrdiff_t b = at[0], own = at[2] + args->options->causal_shift, j = at[3];
    // Appended keys come neither before nor
    // after a query and are not padding.
    if (j >= text_keys(args))
        return uses(args, MASK_IN_MASK) && flag_at(&args->in[MASK_IN_MASK], at) ? MASK_GIVEN
                                                                                : MASK_NOTHING;
    // One rule that forbids is enough. The
    // order only decides which one is
    // reported.
    if (uses(args, MASK_IN_BUFFER) && *tensor_flag2(&args->in[MASK_IN_BUFFER], own, j))
        return MASK_BUFFER;
    // Key j comes after the query: when that
    // token was written, j did not exist yet.
    if (args->options->causal && !uses(args, MASK_IN_BUFFER) && j > own)
        return MASK_CAUSAL;
    if (is_far(args->options, own, j))
        return MASK_WINDOW;
    // Depends on b and j alone: padding is
    // hidden from all queries of its
    // sequence.
    if (uses(args, MASK_IN_PADDING) && *tensor_flag2(&args->in[MASK_IN_PADDING], b, j))
        return MASK_PADDING;
    if (uses(args, MASK_IN_MASK) && flag_at(&args->in[MASK_IN_MASK], at))
        return MASK_GIVEN;
    return MASK_NOTHING;
}

static void combine_masks(const StageArgs *args, Tensor *attn_mask)
{
    ptrdiff_t mask_at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(attn_mask, mask_at)) {
        ptrdiff_t at[4] = {0};
        // `at` has four axes, the mask may
        // have fewer. The missing ones stay 0:
        // no rule in use reads them.
        for (int axis = 0; axis < attn_mask->rank; axis++)
            at[axis + 4 - attn_mask->rank] = mask_at[axis];
        attn_mask->storage.boolean[tensor_place(attn_mask, mask_at)] =
            decide(args, at) != MASK_NOTHING;
    }
}

static void mask(const Tensor *scores, const Tensor *attn_mask, float mask_value,
                 Tensor *scores_masked)
{
    // attn_mask has the shape of the scores
    // here, but not their memory: along an
    // axis that it lacked its stride is 0,
    // so that all heads read the same flags.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    // Replaced, not added to: the
                    // old score leaves no trace.
                    *tensor_at4(scores_masked, b, h, i, j) = *tensor_flag4(attn_mask, b, h, i, j)
                                                                 ? mask_value
                                                                 : *tensor_at4(scores, b, h, i, j);
}

static bool is_slice_of_buffer(const StageArgs *args)
{
    return uses(args, MASK_IN_BUFFER) &&
           args->out[MASK_OUT_MASK].storage.bytes == args->in[MASK_IN_BUFFER].storage.bytes;
}

// The mask broadcast to the scores' shape; `shapes` has checked that it fits.
static Tensor spread(const StageArgs *args)
{
    Error err;
    Tensor attn_mask;
    bool spreads = tensor_expand(&args->out[MASK_OUT_MASK], 4, args->in[MASK_IN_SCORES].shape,
                                 &attn_mask, &err);
    assert(spreads);
    return spreads ? attn_mask : args->out[MASK_OUT_MASK];
}

static bool mask_run(StageArgs *args, Error *err)
{
    if (!is_slice_of_buffer(args))
        combine_masks(args, &args->out[MASK_OUT_MASK]);
    Tensor attn_mask = spread(args);
    mask(&args->in[MASK_IN_SCORES], &attn_mask, args->options->mask_value,
         &args->out[MASK_OUT_SCORES]);
    return true;
}

// Grows `shape` (aligned at the last axis, rank 4) so that `other` broadcasts into it.
static void widen(ptrdiff_t shape[4], int rank, const ptrdiff_t other[])
{
    for (int axis = 0; axis < rank; axis++)
        if (other[axis] > shape[axis + 4 - rank])
            shape[axis + 4 - rank] = other[axis];
}

static bool check_masks(const StageArgs *args, Error *err)
{
    const Tensor *scores = &args->in[MASK_IN_SCORES], *buffer = &args->in[MASK_IN_BUFFER];
    char mask_text[TENSOR_TEXT_MAX], scores_text[TENSOR_TEXT_MAX];
    tensor_shape_text(4, scores->shape, scores_text);
    Tensor wide;
    Error why;
    if (uses(args, MASK_IN_MASK) &&
        !tensor_expand(&args->in[MASK_IN_MASK], 4, scores->shape, &wide, &why)) {
        tensor_shape_text(args->in[MASK_IN_MASK].rank, args->in[MASK_IN_MASK].shape, mask_text);
        return error_set(err, TELL(MASK_NOT_BROADCAST), mask_text, scores_text);
    }
    if (uses(args, MASK_IN_BUFFER) &&
        (buffer->shape[0] < scores->shape[2] + args->options->causal_shift ||
         buffer->shape[1] < text_keys(args))) {
        tensor_shape_text(2, buffer->shape, mask_text);
        return error_set(err, TELL(MASK_SHORT), mask_text, scores_text);
    }
    return true;
}

static bool mask_shapes(StageArgs *args, Error *err)
{
    const Tensor *scores = &args->in[MASK_IN_SCORES];
    ptrdiff_t queries = scores->shape[2], keys = scores->shape[3];
    bool others =
        uses(args, MASK_IN_PADDING) || uses(args, MASK_IN_MASK) || args->options->window > 0;
    if (!check_masks(args, err))
        return false;

    if (uses(args, MASK_IN_BUFFER) && !others && keys == text_keys(args)) {
        Tensor slice =
            tensor_narrow(&args->in[MASK_IN_BUFFER], 0, args->options->causal_shift, queries);
        args->out[MASK_OUT_MASK] = tensor_narrow(&slice, 1, 0, keys);
        return true;
    }
    ptrdiff_t shape[4] = {1, 1, 1, 1};
    // Causal and window need [Lq, Lk],
    // padding [B, 1, 1, Lk]. With several,
    // each axis is as long as the longest.
    int rank = uses(args, MASK_IN_PADDING) ? 4
               : uses(args, MASK_IN_MASK)  ? args->in[MASK_IN_MASK].rank
                                           : 2;
    if (args->options->causal || args->options->window > 0) {
        widen(shape, 2, (ptrdiff_t[]){queries, keys});
        rank = rank < 2 ? 2 : rank;
    }
    if (uses(args, MASK_IN_PADDING))
        widen(shape, 4, (ptrdiff_t[]){scores->shape[0], 1, 1, keys});
    if (uses(args, MASK_IN_MASK))
        widen(shape, args->in[MASK_IN_MASK].rank, args->in[MASK_IN_MASK].shape);
    args->out[MASK_OUT_MASK] = tensor_over(NULL, DTYPE_BOOL, rank, shape + 4 - rank);
    return true;
}

static void mask_settings(const StageOptions *options, char text[STAGE_SETTINGS_MAX])
{
    char window[32] = "", causal[40] = "";
    if (options->window > 0)
        snprintf(window, sizeof window, "window = %td, ", options->window);
    if (options->causal && options->causal_shift != 0)
        snprintf(causal, sizeof causal, "causal (j > i %+td), ", options->causal_shift);
    else if (options->causal)
        snprintf(causal, sizeof causal, "causal, ");
    snprintf(text, STAGE_SETTINGS_MAX, "%s%s%smask_value = %g", causal, window,
             options->mask_padding ? "key_padding, " : "", (double)options->mask_value);
}

// The flags that were checked, up to the one that decided.
static void emit_mask(const StageArgs *args, const ptrdiff_t at[4], Term *term)
{
    const char *const rules[] = {
        [MASK_NOTHING] = TELL(MASK_NONE),      [MASK_CAUSAL] = TELL(MASK_AFTER),
        [MASK_BUFFER] = TELL(MASK_REGISTERED), [MASK_PADDING] = TELL(MASK_IS_PADDING),
        [MASK_GIVEN] = TELL(MASK_BY_GIVEN),
    };
    Decision decision = decide(args, at);
    ptrdiff_t shift = args->options->causal_shift;
    bool appended = at[3] >= text_keys(args);
    term->what = decision == MASK_NOTHING && appended    ? TELL(MASK_APPENDED)
                 : decision == MASK_WINDOW               ? TELL(MASK_FAR)
                 : decision == MASK_CAUSAL && shift != 0 ? TELL(MASK_AFTER_OWN)
                                                         : rules[decision];
    term->value = term->running = decision != MASK_NOTHING;

    Source asked[3];
    int count = 0;
    if (uses(args, MASK_IN_BUFFER) && !appended)
        asked[count++] = (Source){MASK_IN_BUFFER, {at[2] + shift, at[3]}};
    bool past_causal =
        decision != MASK_CAUSAL && decision != MASK_BUFFER && decision != MASK_WINDOW;
    if (uses(args, MASK_IN_PADDING) && past_causal && !appended)
        asked[count++] = (Source){MASK_IN_PADDING, {at[0], at[3]}};
    if (uses(args, MASK_IN_MASK) && past_causal && decision != MASK_PADDING) {
        asked[count].slot = MASK_IN_MASK;
        broadcast_at(&args->in[MASK_IN_MASK], at, asked[count++].at);
    }
    for (int i = 0; i < count; i++)
        term->sources[term->source_count++] = asked[i];
}

// First the rule that decided. The score follows only if no rule forbids the key: a masked score is
// no source, since it cannot reach the result.
static void mask_origin(Terms *terms, const ptrdiff_t at[])
{
    const StageArgs *args = terms->args;
    ptrdiff_t scores_at[4] = {0};
    int rank = terms->slot == MASK_OUT_MASK ? args->out[MASK_OUT_MASK].rank : 4;
    for (int axis = 0; axis < rank; axis++)
        scores_at[axis + 4 - rank] = at[axis];

    Term rule = {.what = NULL};
    emit_mask(args, scores_at, &rule);
    bool masked = rule.value != 0.0f;
    if (terms->slot == MASK_OUT_SCORES)
        rule.running = masked ? args->options->mask_value : 0.0f;
    terms->visit(terms->context, &rule);
    if (terms->slot == MASK_OUT_SCORES && !masked)
        term_copy(terms, TERM_COPY, TELL(MASK_SCORE), term_here(terms, MASK_IN_SCORES, at));
}

const Stage stage_mask = {
    .name = "mask",
    .formula = "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]",
    .where = "attn_mask[b,h,i,j] = future or window > 0 and |own - j| >= window  "
             "(or mask_padding and key_padding_mask[b,j])  (or mask[b,h,i,j]); future = causal and "
             "(given(causal_mask_buffer) ? causal_mask_buffer[own, j + 0] : j > own); "
             "own = i + causal_shift",
    .torch = "scores = scores.masked_fill(attn_mask, mask_value)",
    .form = {.option = OPTION(add_bias_kv) | OPTION(add_zero_attn),
             .formula =
                 "scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]",
             .where = "attn_mask[b,h,i,j] = (j < text ? rules : 0)  (or mask[b,h,i,j]); "
                      "rules = future or window > 0 and |own - j| >= window  "
                      "(or mask_padding and key_padding_mask[b, j + 0]); future = causal and "
                      "(given(causal_mask_buffer) ? causal_mask_buffer[own, j + 0] : j > own); "
                      "own = i + causal_shift; text = Lk - add_bias_kv - add_zero_attn",
             .torch = "scores = scores.masked_fill(attn_mask, mask_value)"},
    .source = "Vaswani et al. 2017, section 3.2.3",
    .use = STAGE_WITH_MASK,
    .rounds_once = true,
    .influence = INFLUENCE_AMONG_AXES,
    .main_output = MASK_OUT_SCORES,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk"),
                  SLOT("key_padding_mask", "B Lt", .dtype = DTYPE_BOOL, .optional = true),
                  {.role = "mask", .dtype = DTYPE_BOOL, .optional = true},
                  {.role = "causal_mask_buffer", .dtype = DTYPE_BOOL, .optional = true}},
        .writes = {NAMED_SLOT("attn_mask", "attn_mask", "B H Lq Lk", .dtype = DTYPE_BOOL),
                   NAMED_SLOT("scores", "scores_masked", "B H Lq Lk")},
    }},
    .options = OPTION(causal) | OPTION(causal_shift) | OPTION(cached) | OPTION(mask_padding) |
               OPTION(mask_value) | OPTION(window) | OPTION(add_bias_kv) | OPTION(add_zero_attn),
    .settings = mask_settings,
    .run = mask_run,
    .prepare = fast_mask_prepare,
    .fast = fast_mask,
    .shapes = mask_shapes,
    .origin = mask_origin,
};

// --- mask_backward
//
// Mask, backward: a replaced score has no influence on the loss, so its gradient is 0.
//
//   grad.scores[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : grad.scores_masked[b,h,i,j]
//
// in    grad.scores_masked [B, H, Lq, Lk]
//       attn_mask  bool, true = masked: any shape that broadcasts to the scores
// out   grad.scores [B, H, Lq, Lk]
// cost  B * H * Lq * Lk copies
// from  PyTorch: the gradient of Tensor.masked_fill

enum { MASK_BACKWARD_IN_GRAD, MASK_BACKWARD_IN_MASK };

static void mask_backward(const Tensor *grad_masked, const Tensor *attn_mask, Tensor *grad_scores)
{
    // Forward, a constant replaced the score,
    // and a constant does not change with it.
    for (ptrdiff_t b = 0; b < grad_scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < grad_scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < grad_scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < grad_scores->shape[3]; j++)
                    // 0 itself, not a product with
                    // 0, which would let a NaN
                    // through.
                    *tensor_at4(grad_scores, b, h, i, j) =
                        *tensor_flag4(attn_mask, b, h, i, j) ? 0.0f
                                                             : *tensor_at4(grad_masked, b, h, i, j);
}

// The mask broadcast to the scores' shape; stage mask has checked that it fits.
static Tensor mask_backward_spread(const StageArgs *args)
{
    Error err;
    Tensor attn_mask;
    bool spreads = tensor_expand(&args->in[MASK_BACKWARD_IN_MASK], 4,
                                 args->in[MASK_BACKWARD_IN_GRAD].shape, &attn_mask, &err);
    assert(spreads);
    return spreads ? attn_mask : args->in[MASK_BACKWARD_IN_MASK];
}

static bool mask_backward_run(StageArgs *args, Error *err)
{
    Tensor attn_mask = mask_backward_spread(args);
    mask_backward(&args->in[MASK_BACKWARD_IN_GRAD], &attn_mask, &args->out[0]);
    return true;
}

// Where the flag of a score lies in a mask of smaller shape.
static Source flag_of(const Tensor *mask, const ptrdiff_t at[])
{
    Source source = {.slot = MASK_BACKWARD_IN_MASK};
    for (int axis = 0; axis < mask->rank; axis++)
        source.at[axis] = mask->shape[axis] == 1 ? 0 : at[axis + 4 - mask->rank];
    return source;
}

// First the flag, then the gradient if the flag lets it pass.
static void mask_backward_origin(Terms *terms, const ptrdiff_t at[])
{
    Tensor attn_mask = mask_backward_spread(terms->args);
    bool masked = *tensor_flag4(&attn_mask, at[0], at[1], at[2], at[3]);
    Source flag = flag_of(&terms->args->in[MASK_BACKWARD_IN_MASK], at);
    term_one(terms, TERM_RULE, masked ? TELL(GRADIENT_MASKED) : TELL(GRADIENT_UNMASKED), flag,
             masked, 0.0f);
    if (!masked)
        term_copy(terms, TERM_COPY, TELL(GRADIENT_BEHIND),
                  term_here(terms, MASK_BACKWARD_IN_GRAD, at));
}

const Stage stage_mask_backward = {
    .name = "mask_backward",
    .formula = "grad_scores[b,h,i,j] = attn_mask[b,h,i,j] ? 0 : grad_masked[b,h,i,j]",
    .torch = "grad_scores = grad_masked.masked_fill(attn_mask, 0)",
    .source = "PyTorch: Tensor.masked_fill",
    .rounds_once = true,
    .calls = {{
        .of = "mask",
        .reads = {SLOT("grad.scores", "B H Lq Lk", .alias = "grad_masked"),
                  SLOT("attn_mask", "B H Lq Lk", .dtype = DTYPE_BOOL, .broadcasts = true)},
        .writes = {NAMED_SLOT("grad.scores", "grad.scores", "B H Lq Lk")},
    }},
    .run = mask_backward_run,
    .fast = fast_mask_backward,
    .origin = mask_backward_origin,
};

// --- add_mask
//
// Add mask: adds a mask of numbers to the scores: 0 leaves a score as it is, -inf forbids the key, and any
// other number makes it more or less likely.
//
//   scores_added[b,h,i,j] = scores[b,h,i,j] + mask[b,h,i,j]
//
// in    scores [B, H, Lq, Lk]
//       mask  any shape that broadcasts to the scores
// out   scores_added [B, H, Lq, Lk]
// error a mask that does not broadcast; both shapes are named
// cost  B * H * Lq * Lk additions
// from  PyTorch: attn_mask of nn.MultiheadAttention, where it is not a boolean

enum { ADD_MASK_IN_SCORES, ADD_MASK_IN_MASK };

// The index of the element of the mask that broadcasting puts at [b,h,i,j].
static void add_mask_at(const Tensor *mask, const ptrdiff_t at[4], ptrdiff_t mask_at[])
{
    // Axes are matched from the last one;
    // length 1 fits any index.
    for (int axis = 0; axis < mask->rank; axis++)
        mask_at[axis] = mask->shape[axis] == 1 ? 0 : at[axis + 4 - mask->rank];
}

static float number_at(const Tensor *mask, const ptrdiff_t at[4])
{
    ptrdiff_t mask_at[TENSOR_RANK_MAX];
    add_mask_at(mask, at, mask_at);
    return mask->storage.f32[tensor_place(mask, mask_at)];
}

static void add_mask(const Tensor *scores, const Tensor *mask, Tensor *scores_added)
{
    // Nothing is replaced: a score of 5 with
    // -2 in the mask becomes 3 and enters
    // softmax like any other.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_added, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) +
                        number_at(mask, (ptrdiff_t[4]){b, h, i, j});
}

RUN_ON_TWO(add_mask)

static bool add_mask_shapes(StageArgs *args, Error *err)
{
    const Tensor *scores = &args->in[ADD_MASK_IN_SCORES], *mask = &args->in[ADD_MASK_IN_MASK];
    char mask_text[TENSOR_TEXT_MAX], scores_text[TENSOR_TEXT_MAX];
    Tensor wide;
    Error why;
    if (tensor_expand(mask, 4, scores->shape, &wide, &why))
        return true;
    return error_set(err, TELL(MASK_NOT_BROADCAST),
                     tensor_shape_text(mask->rank, mask->shape, mask_text),
                     tensor_shape_text(4, scores->shape, scores_text));
}

// Two terms: the score, then the number of the mask.
static void add_mask_origin(Terms *terms, const ptrdiff_t at[])
{
    Source added = {.slot = ADD_MASK_IN_MASK};
    add_mask_at(&terms->args->in[ADD_MASK_IN_MASK], at, added.at);
    term_copy(terms, TERM_ADD, TELL(MASK_SCORE), term_here(terms, ADD_MASK_IN_SCORES, at));
    term_add(terms, TELL(ADD_MASK_NUMBER), added);
}

const Stage stage_add_mask = {
    .name = "add_mask",
    .formula = "scores_added[b,h,i,j] = scores[b,h,i,j] + mask[b,h,i,j]",
    .torch = "scores = scores + mask",
    .source = "PyTorch: attn_mask of nn.MultiheadAttention",
    .rounds_once = true,
    .calls = {{
        .reads = {SLOT("scores", "B H Lq Lk"),
                  SLOT("added_mask", "B H Lq Lk", .broadcasts = true, .alias = "mask")},
        .writes = {NAMED_SLOT("scores", "scores_added", "B H Lq Lk")},
    }},
    .terms = {[TERM_ADD] = "number_at(mask"},
    .run = add_mask_run,
    .fast = fast_add_mask,
    .shapes = add_mask_shapes,
    .origin = add_mask_origin,
};

// --- addition_backward
//
// Addition, backward: adding a number to a score does not change its gradient. The number may come from a
// mask, from ALiBi, or from a relative bias.
//
//   grad.scores[b,h,i,j] = grad.scores_added[b,h,i,j]
//
// in    grad.scores_added [B, H, Lq, Lk]; or what ALiBi or a relative bias was added to
// out   grad.scores [B, H, Lq, Lk]  a view: the same storage. Where the mask has -inf the weight is 0, and
//       so is this gradient
// cost  nothing: no element is read or written
// from  PyTorch: the gradient of Tensor.add

static void addition_backward(const Tensor *grad_added, Tensor *grad_scores)
{
    // Where the score grows by 1, the sum
    // grows by 1, whatever was added.
    *grad_scores = *grad_added;
}

RUN_ON_ONE(addition_backward)

#define ADDITION_CALL(stage) \
    { \
        .of = stage, .reads = {SLOT("grad.scores", "B H Lq Lk", .alias = "grad_added")}, \
        .writes = { \
            NAMED_SLOT("grad.scores", "grad.scores", "B H Lq Lk", .is_view = true) \
        } \
    }

const Stage stage_addition_backward = {
    .name = "addition_backward",
    .formula = "grad_scores[b,h,i,j] = grad_added[b,h,i,j]",
    .remark = REMARK_NO_NUMBER_MOVES,
    .torch = "grad_scores = grad_added",
    .source = "PyTorch: Tensor.add",
    .rounds_once = true,
    .calls = {ADDITION_CALL("add_mask"), ADDITION_CALL("alibi"), ADDITION_CALL("relative_bias")},
    .run = addition_backward_run,
    .origin = origin_same_place,
};
