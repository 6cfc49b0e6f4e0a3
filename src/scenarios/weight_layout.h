// Whose names the weights of a file have: weight_layouts.def, recognised by the set of names that a layer
// has under one beginning ("bert.encoder.layer.0.attention.").
#ifndef WEIGHT_LAYOUT_H
#define WEIGHT_LAYOUT_H

#include "arena.h"
#include "error.h"
#include "tensor_file.h"
#include "words.h"

// How q's, k's and v's weights lie there.
typedef enum WeightLayoutKind {
    WEIGHT_LAYOUT_APART,
    WEIGHT_LAYOUT_FUSED,
    WEIGHT_LAYOUT_CONV1D,
    WEIGHT_LAYOUT_PER_HEAD,
    WEIGHT_LAYOUT_GROUPED
} WeightLayoutKind;

typedef struct WeightLayout {
    const char *name; // "gpt2"
    Words about;      // for people
    WeightLayoutKind kind;
    const char *weights[4]; // the ends of the names of q, k, v and the output; "": there is none
    const char *causal;     // see weight_layouts.def
    const char *heads;
    const char
        *norm; // the end of the weight's name of the norm before attention; "": it is not known
} WeightLayout;

// In the order of the list, NULL beyond the last; by name, NULL when there is none.
const WeightLayout *weight_layout_get(int number);
const WeightLayout *weight_layout_find(const char *name);

// Whether two have the same names for q, k, v and the output.
bool weight_layout_alike(const WeightLayout *a, const WeightLayout *b);

// And whether only how rows lie in them tells one from the other, which shapes say.
bool weight_layout_namesakes(const WeightLayout *a, const WeightLayout *b);

// How much of a tensor's name stands before such an end; -1 where it does not end so, from a dot on.
ptrdiff_t weight_layout_before(const char *name, const char *end);

// One attention layer of a file.
typedef struct WeightLayer {
    const WeightLayout *layout;
    const char *prefix; // what stands before the ends of the names
} WeightLayer;

typedef struct WeightLayers {
    WeightLayer *layers; // in the arena; numbers inside of prefixes ascend
    int count;
} WeightLayers;

// All layers of a file; of one layout where `only` is not NULL. None is no error.
bool weight_layout_layers(TensorFile *file, const WeightLayout *only, Arena *arena,
                          WeightLayers *out, Error *err);

// The number of one of them among those of its layout.
int weight_layout_number(const WeightLayers *all, const WeightLayer *layer);

// The name of a weight (0 to 3: q, k, v, output), or of its bias, in the arena; "" where the file has
// no such tensor. NULL when memory is short.
const char *weight_layout_tensor(const TensorFile *file, const WeightLayer *layer, int number,
                                 bool bias, Arena *arena, Error *err);

// The name of one more weight that we call `ours`, in the arena; "" where the layout has none. NULL when
// memory is short.
const char *weight_layout_extra(const WeightLayer *layer, const char *ours, Arena *arena,
                                Error *err);

// The full name of that norm's "weight" or "bias", in the arena. NULL with a sentence where the layout
// has none.
const char *weight_layout_norm(const WeightLayer *layer, const char *word, Arena *arena,
                               Error *err);

// What config.json calls the heads of the stack that the layer is of, where a model has two (Source: BART
// and Whisper, as Hugging Face keeps them).
const char *weight_layout_stack_heads(const WeightLayer *layer);

// Whether its queries come from one text and its keys and values from another, as its name says among
// those of all layers.
bool weight_layout_is_cross(const WeightLayers *all, const WeightLayer *layer);

// Whether models mask such a layer, as its name says.
bool weight_layout_is_causal(const WeightLayer *layer);

// The name in the file of the bias for distances, which T5's first layer has for all of its stack.
const char *weight_layout_relative(const WeightLayer *layer, Arena *arena, Error *err);

#endif
