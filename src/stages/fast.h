// The fast twins of stages: functions for Stage.fast. With kernels (kernel.h) and whole rows, each gives
// the same bits as the loop in its stage's file, for any slice. test_fast.c checks that.
#ifndef FAST_H
#define FAST_H

#include "stage.h"

#define STAGE(name) extern const Stage stage_##name;
#include "stages.def"

// A stage names its twin; stages with similar loops share one.
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
void fast_rescale(const StageArgs *args);
void fast_running_sum(const StageArgs *args);
void fast_running_output(const StageArgs *args);
void fast_normalise(const StageArgs *args);
void fast_weights_again(const StageArgs *args);
void fast_matrix_product(const StageArgs *args);
void fast_concat(const StageArgs *args);
void fast_readout(const StageArgs *args);
void fast_part_logits(const StageArgs *args);
void fast_lens(const StageArgs *args);
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

// For Stage.prepare: computes the pattern of all positions.
bool fast_position_prepare(StageArgs *args, Error *err);

// True if the numbers along the last axis are contiguous.
static inline bool fast_has_rows(const Tensor *tensor)
{
    return tensor->stride[tensor->rank - 1] == 1;
}

#endif
