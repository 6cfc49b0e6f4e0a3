// Mask: forbids some keys, by replacing their scores with -inf before softmax.
//
//   attn_mask[b,h,i,j]     = (causal and j > i) or (window and |i - j| >= window)
//                            or key_padding_mask[b,j] or mask[b,h,i,j]
//   Where queries are the last of more keys (causal_align: bottom_right), i + causal_shift stands for i.
// Keys that were appended behind those of the text are no token's: of these rules only `mask` may forbid
// them.
//   scores_masked[b,h,i,j] = attn_mask[b,h,i,j] ? mask_value : scores[b,h,i,j]
//
// in    scores [B, H, Lq, Lk]
//       key_padding_mask [B, Lk]  bool, true = padding: no query may look there
//       mask  bool, true = masked: any shape that broadcasts to the scores
//       causal_mask_buffer [C, C]  bool: a causal mask made for C tokens, of which the first
//                          Lq x Lk are used (document 003's registered buffer)
// out   attn_mask      the smallest shape that says it: [Lq, Lk] causal, [B, 1, 1, Lk] padding
//       scores_masked  [B, H, Lq, Lk]
// loops first the mask: each element asks, kind by kind, whether this key is forbidden to this
//       query. Then b, h, i and j go over every score: a forbidden one is replaced, any other is
//       copied. Causal and padding masks have no axis for heads: they hold for all of them
// error a mask that does not broadcast, a buffer shorter than the sequence; both shapes are named
// cost  B * H * Lq * Lk copies
// from  Vaswani et al. 2017, section 3.2.3 (decoder: future keys); Beltagy et al. 2020 (window); PyTorch: Tensor.masked_fill
#include "stage.h"

#include <assert.h>
#include <stdio.h>
#include "fast.h"
#include "stages_words.h"

enum { IN_SCORES, IN_PADDING, IN_MASK, IN_BUFFER };
enum { OUT_MASK, OUT_SCORES };

// Which mask forbids this key to this query; the first that does, in this order.
typedef enum Decision {
    MASK_NOTHING,
    MASK_CAUSAL,
    MASK_BUFFER,
    MASK_WINDOW,
    MASK_PADDING,
    MASK_GIVEN
} Decision;

// A mask that exists takes part only when the scenario asks for its kind.
static bool uses(const StageArgs *args, int slot)
{
    bool asked = slot == IN_PADDING  ? args->options->mask_padding
                 : slot == IN_BUFFER ? args->options->causal
                                     : true;
    return asked && args->in[slot].storage.bytes != NULL;
}

static bool is_far(const StageOptions *options, ptrdiff_t own, ptrdiff_t j)
{
    // A window of 4 shows a query its own key
    // and 3 on each side; 0 is no window.
    return options->window > 0 && (own > j ? own - j : j - own) >= options->window;
}

// How many keys the text gives; the others were appended.
static ptrdiff_t text_keys(const StageArgs *args)
{
    return args->in[IN_SCORES].shape[3] - args->options->add_bias_kv - args->options->add_zero_attn;
}

static ptrdiff_t wrap(ptrdiff_t index, ptrdiff_t length)
{
    // An axis of length 1 has one element
    // for every index.
    return length == 1 ? 0 : index;
}

// The index of the element that broadcasting puts at [b,h,i,j].
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
    // The key of the query's own token: key i,
    // or more where earlier keys were kept.
    ptrdiff_t b = at[0], own = at[2] + args->options->causal_shift, j = at[3];
    // What was appended comes neither before
    // nor after a query, and is no filling.
    if (j >= text_keys(args))
        return uses(args, IN_MASK) && flag_at(&args->in[IN_MASK], at) ? MASK_GIVEN : MASK_NOTHING;
    // One rule that forbids is enough. Their
    // order only says which of them a person
    // is told.
    if (uses(args, IN_BUFFER) && *tensor_flag2(&args->in[IN_BUFFER], own, j))
        return MASK_BUFFER;
    // Key j comes after the query's: when that
    // token was written, j was not there yet.
    if (args->options->causal && !uses(args, IN_BUFFER) && j > own)
        return MASK_CAUSAL;
    if (is_far(args->options, own, j))
        return MASK_WINDOW;
    // Asked by b and j alone: a filling is
    // one for all queries of its sequence.
    if (uses(args, IN_PADDING) && *tensor_flag2(&args->in[IN_PADDING], b, j))
        return MASK_PADDING;
    if (uses(args, IN_MASK) && flag_at(&args->in[IN_MASK], at))
        return MASK_GIVEN;
    return MASK_NOTHING;
}

static void combine_masks(const StageArgs *args, Tensor *attn_mask)
{
    ptrdiff_t mask_at[TENSOR_RANK_MAX] = {0};
    for (bool more = true; more; more = tensor_next(attn_mask, mask_at)) {
        ptrdiff_t at[4] = {0};
        // `at` has four axes, the mask may
        // have fewer. Those it lacks stay 0:
        // no rule in use asks for them.
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
                    // Replaced, not added to: what
                    // the score was leaves no trace.
                    *tensor_at4(scores_masked, b, h, i, j) = *tensor_flag4(attn_mask, b, h, i, j)
                                                                 ? mask_value
                                                                 : *tensor_at4(scores, b, h, i, j);
}

static bool is_slice_of_buffer(const StageArgs *args)
{
    return uses(args, IN_BUFFER) &&
           args->out[OUT_MASK].storage.bytes == args->in[IN_BUFFER].storage.bytes;
}

// The mask as if it had the scores' shape; `shapes` has seen to it that it can.
static Tensor spread(const StageArgs *args)
{
    Error err;
    Tensor attn_mask;
    bool spreads =
        tensor_expand(&args->out[OUT_MASK], 4, args->in[IN_SCORES].shape, &attn_mask, &err);
    assert(spreads);
    return spreads ? attn_mask : args->out[OUT_MASK];
}

static bool mask_run(StageArgs *args, Error *err)
{
    (void)err;
    if (!is_slice_of_buffer(args))
        combine_masks(args, &args->out[OUT_MASK]);
    Tensor attn_mask = spread(args);
    mask(&args->in[IN_SCORES], &attn_mask, args->options->mask_value, &args->out[OUT_SCORES]);
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
    const Tensor *scores = &args->in[IN_SCORES], *buffer = &args->in[IN_BUFFER];
    char mask_text[TENSOR_TEXT_MAX], scores_text[TENSOR_TEXT_MAX];
    tensor_shape_text(4, scores->shape, scores_text);
    Tensor wide;
    Error why;
    if (uses(args, IN_MASK) && !tensor_expand(&args->in[IN_MASK], 4, scores->shape, &wide, &why)) {
        tensor_shape_text(args->in[IN_MASK].rank, args->in[IN_MASK].shape, mask_text);
        return error_set(err, TELL(MASK_NOT_BROADCAST), mask_text, scores_text);
    }
    if (uses(args, IN_BUFFER) &&
        (buffer->shape[0] < scores->shape[2] + args->options->causal_shift ||
         buffer->shape[1] < text_keys(args))) {
        tensor_shape_text(2, buffer->shape, mask_text);
        return error_set(err, TELL(MASK_SHORT), mask_text, scores_text);
    }
    return true;
}

static bool mask_shapes(StageArgs *args, Error *err)
{
    const Tensor *scores = &args->in[IN_SCORES];
    ptrdiff_t queries = scores->shape[2], keys = scores->shape[3];
    bool others = uses(args, IN_PADDING) || uses(args, IN_MASK) || args->options->window > 0;
    if (!check_masks(args, err))
        return false;

    if (uses(args, IN_BUFFER) && !others && keys == text_keys(args)) {
        Tensor slice = tensor_narrow(&args->in[IN_BUFFER], 0, args->options->causal_shift, queries);
        args->out[OUT_MASK] = tensor_narrow(&slice, 1, 0, keys);
        return true;
    }
    ptrdiff_t shape[4] = {1, 1, 1, 1};
    // Causal and window say all in [Lq, Lk], padding in [B, 1, 1, Lk]. Where several
    // take part, each axis is as long as the longest of them.
    int rank = uses(args, IN_PADDING) ? 4 : uses(args, IN_MASK) ? args->in[IN_MASK].rank : 2;
    if (args->options->causal || args->options->window > 0) {
        widen(shape, 2, (ptrdiff_t[]){queries, keys});
        rank = rank < 2 ? 2 : rank;
    }
    if (uses(args, IN_PADDING))
        widen(shape, 4, (ptrdiff_t[]){scores->shape[0], 1, 1, keys});
    if (uses(args, IN_MASK))
        widen(shape, args->in[IN_MASK].rank, args->in[IN_MASK].shape);
    args->out[OUT_MASK] = tensor_over(NULL, DTYPE_BOOL, rank, shape + 4 - rank);
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

// The flags that were asked, up to the one that decided.
static void tell_mask(const StageArgs *args, const ptrdiff_t at[4], Term *term)
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
    if (uses(args, IN_BUFFER) && !appended)
        asked[count++] = (Source){IN_BUFFER, {at[2] + shift, at[3]}};
    bool past_causal =
        decision != MASK_CAUSAL && decision != MASK_BUFFER && decision != MASK_WINDOW;
    if (uses(args, IN_PADDING) && past_causal && !appended)
        asked[count++] = (Source){IN_PADDING, {at[0], at[3]}};
    if (uses(args, IN_MASK) && past_causal && decision != MASK_PADDING) {
        asked[count].slot = IN_MASK;
        broadcast_at(&args->in[IN_MASK], at, asked[count++].at);
    }
    for (int i = 0; i < count; i++)
        term->sources[term->source_count++] = asked[i];
}

// First the rule that decided. The score follows only where no rule forbids the key: a
// masked score is no source, since it has no way into the result.
static void mask_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                        void *context)
{
    ptrdiff_t scores_at[4] = {0};
    int rank = slot == OUT_MASK ? args->out[OUT_MASK].rank : 4;
    for (int axis = 0; axis < rank; axis++)
        scores_at[axis + 4 - rank] = at[axis];

    Term rule = {.what = NULL};
    tell_mask(args, scores_at, &rule);
    bool masked = rule.value != 0.0f;
    if (slot == OUT_SCORES)
        rule.running = masked ? args->options->mask_value : 0.0f;
    visit(context, &rule);
    if (slot == OUT_SCORES && !masked) {
        float score = *tensor_at4(&args->in[IN_SCORES], at[0], at[1], at[2], at[3]);
        visit(context, &(Term){.kind = TERM_COPY,
                               .what = TELL(MASK_SCORE),
                               .source_count = 1,
                               .sources = {{IN_SCORES, {at[0], at[1], at[2], at[3]}}},
                               .value = score,
                               .running = score});
    }
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
    .main_output = OUT_SCORES,
    .calls = {{
        .reads =
            {{.role = "scores", .axes = "B H Lq Lk"},
             {.role = "key_padding_mask", .axes = "B Lt", .dtype = DTYPE_BOOL, .optional = true},
             {.role = "mask", .dtype = DTYPE_BOOL, .optional = true},
             {.role = "causal_mask_buffer", .dtype = DTYPE_BOOL, .optional = true}},
        .writes =
            {{.role = "attn_mask", .tensor = "attn_mask", .axes = "B H Lq Lk", .dtype = DTYPE_BOOL},
             {.role = "scores", .tensor = "scores_masked", .axes = "B H Lq Lk"}},
    }},
    .options = OPTION(causal) | OPTION(causal_shift) | OPTION(mask_padding) | OPTION(mask_value) |
               OPTION(window) | OPTION(add_bias_kv) | OPTION(add_zero_attn),
    .settings = mask_settings,
    .run = mask_run,
    .prepare = fast_mask_prepare,
    .fast = fast_mask,
    .shapes = mask_shapes,
    .origin = mask_origin,
};
