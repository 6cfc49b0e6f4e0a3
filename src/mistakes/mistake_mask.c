// mistake_mask: see mistake_mask.h.
#include "mistake_mask.h"

#include <string.h>
#include "mistake_parts.h"

// --- flags

// The flag that a mask, broadcast, has for an element; and where in the mask that flag lies.
static bool flag_at(const Tensor *mask, const ptrdiff_t at[4], ptrdiff_t mask_at[])
{
    for (int axis = 0; axis < mask->rank; axis++)
        mask_at[axis] = mask->shape[axis] == 1 ? 0 : at[axis + 4 - mask->rank];
    return mask->storage.boolean[tensor_place(mask, mask_at)];
}

// The index of a mask of fewer axes, as that of a score.
static void widen(int rank, const ptrdiff_t at[], ptrdiff_t wide[4])
{
    memset(wide, 0, 4 * sizeof *wide);
    for (int axis = 0; axis < rank; axis++)
        wide[axis + 4 - rank] = at[axis];
}

static void keep_term(void *context, const Term *term)
{
    *(Term *)context = *term;
}

Term mistake_mask_right(const StageArgs *args, const StageOptions *options, const ptrdiff_t at[4])
{
    StageArgs other = *args;
    Term decision = {.what = NULL};
    other.options = options;
    other.out[MASK_OUT_MASK].rank = 4; // `at` counts all axes
    stage_find("mask")->origin(&other, MASK_OUT_MASK, at, keep_term, &decision);
    return decision;
}

// Where both mask, no single flag decides.
Term mistake_mask_or(Term right, bool also, const char *what, int source_count,
                     const Source sources[])
{
    bool masked = right.value != 0.0f;
    if (also) {
        right.what = masked ? right.what : what;
        right.value = right.running = 1.0f;
        right.source_count = 0;
    }
    for (int i = 0; !masked && i < source_count && right.source_count < STAGE_SOURCES_MAX; i++)
        right.sources[right.source_count++] = sources[i];
    return right;
}

// --- the stage

void mistake_mask_run(StageArgs *args, MaskRule *rule)
{
    Tensor *attn_mask = &args->out[MASK_OUT_MASK];
    ptrdiff_t at[TENSOR_RANK_MAX] = {0}, wide[4], mask_at[TENSOR_RANK_MAX];
    for (bool more = tensor_count(attn_mask) > 0; more; more = tensor_next(attn_mask, at)) {
        widen(attn_mask->rank, at, wide);
        attn_mask->storage.boolean[tensor_place(attn_mask, at)] = rule(args, wide).value != 0.0f;
    }

    const Tensor *scores = &args->in[MASK_IN_SCORES], *masked = &args->out[MASK_OUT_SCORES];
    memset(wide, 0, sizeof wide);
    for (bool more = tensor_count(scores) > 0; more; more = tensor_next(scores, wide))
        masked->storage.f32[tensor_place(masked, wide)] =
            flag_at(attn_mask, wide, mask_at) ? args->options->mask_value
                                              : scores->storage.f32[tensor_place(scores, wide)];
}

void mistake_mask_origin(const StageArgs *args, MaskRule *rule, int slot, const ptrdiff_t at[],
                         TermVisit *visit, void *context)
{
    ptrdiff_t wide[4];
    widen(slot == MASK_OUT_MASK ? args->out[MASK_OUT_MASK].rank : 4, at, wide);
    Term decision = rule(args, wide);
    bool masked = decision.value != 0.0f;
    if (slot == MASK_OUT_SCORES)
        decision.running = masked ? args->options->mask_value : 0.0f;
    visit(context, &decision);
    if (slot == MASK_OUT_SCORES && !masked)
        mistake_tell_element(args, TERM_COPY,
                             (Source){MASK_IN_SCORES, {wide[0], wide[1], wide[2], wide[3]}}, visit,
                             context);
}

// --- shapes

bool mistake_mask_own_shapes(StageArgs *args, Error *err)
{
    if (!stage_find("mask")->shapes(args, err))
        return false;
    const Tensor *mask = &args->out[MASK_OUT_MASK];
    args->out[MASK_OUT_MASK] = tensor_over(NULL, DTYPE_BOOL, mask->rank, mask->shape);
    return true;
}
