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
// from  PyTorch: attn_mask of nn.MultiheadAttention, where it is no boolean
#include "stage.h"

#include "fast.h"
#include "stages_words.h"

enum { IN_SCORES, IN_MASK };

// The index of the element of the mask that broadcasting puts at [b,h,i,j].
static void broadcast_at(const Tensor *mask, const ptrdiff_t at[4], ptrdiff_t mask_at[])
{
    // Axes are matched from the last one, and
    // one of length 1 stands for all.
    for (int axis = 0; axis < mask->rank; axis++)
        mask_at[axis] = mask->shape[axis] == 1 ? 0 : at[axis + 4 - mask->rank];
}

static float number_at(const Tensor *mask, const ptrdiff_t at[4])
{
    ptrdiff_t mask_at[TENSOR_RANK_MAX];
    broadcast_at(mask, at, mask_at);
    return mask->storage.f32[tensor_place(mask, mask_at)];
}

static void add_mask(const Tensor *scores, const Tensor *mask, Tensor *scores_added)
{
    // Nothing is replaced: a score of 5 with
    // -2 in the mask is 3, and goes into
    // softmax like any other.
    for (ptrdiff_t b = 0; b < scores->shape[0]; b++)
        for (ptrdiff_t h = 0; h < scores->shape[1]; h++)
            for (ptrdiff_t i = 0; i < scores->shape[2]; i++)
                for (ptrdiff_t j = 0; j < scores->shape[3]; j++)
                    *tensor_at4(scores_added, b, h, i, j) =
                        *tensor_at4(scores, b, h, i, j) +
                        number_at(mask, (ptrdiff_t[4]){b, h, i, j});
}

static bool add_mask_run(StageArgs *args, Error *err)
{
    (void)err;
    add_mask(&args->in[IN_SCORES], &args->in[IN_MASK], &args->out[0]);
    return true;
}

static bool add_mask_shapes(StageArgs *args, Error *err)
{
    const Tensor *scores = &args->in[IN_SCORES], *mask = &args->in[IN_MASK];
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
static void add_mask_origin(const StageArgs *args, int slot, const ptrdiff_t at[], TermVisit *visit,
                            void *context)
{
    (void)slot;
    float score = *tensor_at4(&args->in[IN_SCORES], at[0], at[1], at[2], at[3]);
    float added = number_at(&args->in[IN_MASK], at);
    Term term = {.kind = TERM_ADD,
                 .what = TELL(ADD_MASK_NUMBER),
                 .source_count = 1,
                 .sources = {{.slot = IN_MASK}},
                 .value = added,
                 .running = score + added};
    broadcast_at(&args->in[IN_MASK], at, term.sources[0].at);
    visit(context, &(Term){.kind = TERM_ADD,
                           .what = TELL(MASK_SCORE),
                           .source_count = 1,
                           .sources = {{IN_SCORES, {at[0], at[1], at[2], at[3]}}},
                           .value = score,
                           .running = score});
    visit(context, &term);
}

const Stage stage_add_mask = {
    .name = "add_mask",
    .formula = "scores_added[b,h,i,j] = scores[b,h,i,j] + mask[b,h,i,j]",
    .torch = "scores = scores + mask",
    .source = "PyTorch: attn_mask of nn.MultiheadAttention",
    .rounds_once = true,
    .calls = {{
        .reads = {{.role = "scores", .axes = "B H Lq Lk"},
                  {.role = "added_mask", .axes = "B H Lq Lk", .broadcasts = true, .alias = "mask"}},
        .writes = {{.role = "scores", .tensor = "scores_added", .axes = "B H Lq Lk"}},
    }},
    .terms = {[TERM_ADD] = "number_at(mask"},
    .run = add_mask_run,
    .fast = fast_add_mask,
    .shapes = add_mask_shapes,
    .origin = add_mask_origin,
};
