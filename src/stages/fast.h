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

// A stage names the one that it uses; stages whose loops are alike use the same.
void fast_embed(const StageArgs *args);
void fast_position(const StageArgs *args);
void fast_rotate(const StageArgs *args);
void fast_linear(const StageArgs *args);
void fast_project(const StageArgs *args);
void fast_score(const StageArgs *args);
void fast_scale(const StageArgs *args);
void fast_mask(const StageArgs *args);
void fast_add_mask(const StageArgs *args);
void fast_softmax(const StageArgs *args);
void fast_running_max(const StageArgs *args);
void fast_block_weights(const StageArgs *args);
void fast_running_sum(const StageArgs *args);
void fast_running_output(const StageArgs *args);
void fast_weights_again(const StageArgs *args);
void fast_matrix_product(const StageArgs *args);
void fast_concat(const StageArgs *args);
void fast_readout(const StageArgs *args);
void fast_readout_backward(const StageArgs *args);
void fast_readout_backward_weight(const StageArgs *args);
void fast_cross_entropy_backward(const StageArgs *args);
void fast_linear_backward(const StageArgs *args);
void fast_linear_backward_weight(const StageArgs *args);
void fast_softmax_backward_sum(const StageArgs *args);
void fast_softmax_backward(const StageArgs *args);
void fast_mask_backward(const StageArgs *args);
void fast_product_of_transposed(const StageArgs *args);
void fast_view_backward(const StageArgs *args);
void fast_sum(const StageArgs *args);

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
