// Whose names the weights of a file have: weight_layouts.def, recognised by the set of names that a layer
// has under one beginning ("bert.encoder.layer.0.attention.").
#ifndef WEIGHT_LAYOUT_H
#define WEIGHT_LAYOUT_H

#include "arena.h"
#include "error.h"
#include "json.h"
#include "tensor_file.h"
#include "words.h"

// --- layouts
//
// Whose names the weights of a file have: weight_layouts.def, recognised by the set of names that a layer
// has under one beginning ("bert.encoder.layer.0.attention.").

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

// --- blocks
//
// What stands around attention in the layers of some layouts: norms, feed-forward, embeddings
// (weight_blocks.def).

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

// --- models
//
// Which models are known, what their attention does, and which fields of a config.json and which tensors of a
// file change numbers: weight_models.def, weight_fields.def.

typedef enum WeightMask { WEIGHT_MASK_OPEN, WEIGHT_MASK_CAUSAL, WEIGHT_MASK_BY_NAME } WeightMask;

typedef struct WeightModel {
    const char *type, *layout;
    WeightMask mask;
    const char *traits, *alone; // see weight_models.def
} WeightModel;

// In the order of the list, NULL beyond the last; by model_type, or the name of a layout, NULL when
// there is none.
const WeightModel *weight_model_get(int number);
const WeightModel *weight_model_find(const char *type);

// What a layer is taken for by its names alone.
const WeightModel *weight_model_by_names(const WeightLayer *layer);

// The model_type of a model that only shares such weight names and computes something else, as the
// beginning of the layer's names shows; NULL: the names show none.
const char *weight_model_other(const WeightLayer *layer);

bool weight_model_has(const WeightModel *model, const char *trait);

// --- fields of config.json

typedef enum WeightField {
#define WEIGHT_FIELD(FIELD, names, trait, neutral, scope) FIELD_##FIELD,
#define FREE_FIELD(pattern)
#define ODD_WORD(text)
#include "weight_fields.def"
#undef WEIGHT_FIELD
#undef FREE_FIELD
#undef ODD_WORD
    FIELD_COUNT
} WeightField;

// The value of a field under the first of its names that the object has; NULL: it has none, or null.
const JsonValue *weight_field_value(WeightField field, const JsonValue *config);

// Whether a member of config.json changes numbers, of whole layers or of attention alone, that this
// model does not heed; `shown` is its value as JSON has it.
bool weight_field_changes(const WeightModel *model, const char *name, const char *shown,
                          bool whole);

// --- tensors beside the weights

// Whether a tensor of that full name changes no numbers.
bool weight_is_spare(const WeightModel *model, const char *name, const Tensor *tensor);

#endif
