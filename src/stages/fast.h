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

// For Stage.prepare: makes the pattern of all places.
bool fast_position_prepare(StageArgs *args, Error *err);

// Whether the last axis steps from one number to the next one in memory.
static inline bool fast_has_rows(const Tensor *tensor)
{
    return tensor->stride[tensor->rank - 1] == 1;
}

#endif
