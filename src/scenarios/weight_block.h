// What stands around attention in the layers of some layouts: norms, feed-forward, embeddings
// (weight_blocks.def).
#ifndef WEIGHT_BLOCK_H
#define WEIGHT_BLOCK_H

#include "weight_layout.h"

typedef enum WeightBlockPart {
    BLOCK_NORM,
    BLOCK_NORM_2,
    BLOCK_EXPAND,
    BLOCK_CONTRACT,
    BLOCK_GATE,
    BLOCK_TOKENS,
    BLOCK_POSITIONS,
    BLOCK_TYPES,
    BLOCK_EMBEDDING_NORM,
    BLOCK_FINAL_NORM,
    BLOCK_PARTS
} WeightBlockPart;

typedef struct WeightBlock {
    const char *layout;       // "gpt2"
    bool post_norm, rms_norm; // norms stand behind residuals; which norm they are
    bool gelu_tanh, gated;    // which form gelu has, or whether swiglu stands there
    const char *own, *stack;  // see weight_blocks.def
    const char *epsilon, *act, *form;
    const char *ends[BLOCK_PARTS];
} WeightBlock;

// That of a layout; NULL where it is not known.
const WeightBlock *weight_block_find(const WeightLayout *layout);

// The part whose weights we call so ("norm_2.weight", "position.weight"), and whether it is the bias;
// BLOCK_PARTS where it is none.
WeightBlockPart weight_block_part(const char *name, bool *bias);

// How much of a layer's prefix all of its parts have; and how much those of the whole model.
size_t weight_block_prefix(const WeightLayer *layer, const WeightBlock *block, bool of_model);

// The number behind the last layer of the stack that a layer stands in: a model of images and texts has
// two.
int weight_block_end(const WeightLayers *all, int number);

// The full name in the file of a part's weight or bias, in the arena. NULL when memory is short.
const char *weight_block_tensor(const WeightLayer *layer, WeightBlockPart part, bool bias,
                                Arena *arena, Error *err);

#endif
