// The fast twins of stages: functions for Stage.fast. Each gives the bits of the loop in its stage's file,
// whatever the shape of the slice, by kernels (kernel.h) and whole rows. test_fast.c holds them to that.
#ifndef FAST_H
#define FAST_H

#include "stage.h"

#define STAGE(name) extern const Stage stage_##name;
#define LAYER_STAGE(name) STAGE(name)
#define AGAIN(name)
#define LAST_AGAIN(name)
#include "stages.def"
#undef STAGE
#undef LAYER_STAGE
#undef AGAIN
#undef LAST_AGAIN

#define FAST(name) void fast_##name(const StageArgs *args);
#include "fast.def"
#undef FAST

// For Stage.prepare: combines the masks a row at a time.
bool fast_mask_prepare(StageArgs *args, Error *err);

// Runs the definition on a slice: where it is fast enough and only shared by threads, and where the
// numbers of a row are no neighbours in memory, as a kernel wants them. Not for a stage that writes
// what slices share.
void fast_by_definition(const Stage *stage, const StageArgs *args);

// Lays the rows of `from` [B, L, H, d] side by side in `to` [B, L, H*d].
void fast_side_by_side(const Tensor *from, Tensor *to);

// The flags as if they had these four axes, into which they broadcast.
Tensor fast_spread(const Tensor *flags, const ptrdiff_t shape[4]);

// out = attn_mask ? value : scores, where attn_mask broadcasts to the scores.
void fast_replace_masked(const StageArgs *args, const Tensor *scores, const Tensor *attn_mask,
                         float value, Tensor *out);

// out = in / divisor, of four axes each; false where the numbers of a row are no neighbours, and nothing
// is done. The rows of a head are divided at once where they follow each other in memory.
bool fast_divide(const Kernel *kernel, const Tensor *in, float divisor, Tensor *out);

// Whether the last axis steps from one number to the next one in memory.
static inline bool fast_has_rows(const Tensor *tensor)
{
    return tensor->stride[tensor->rank - 1] == 1;
}

#endif
