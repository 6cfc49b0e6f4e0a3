// Recognises weights files: weight_layouts.def lists the names that libraries use.
#ifndef WEIGHT_LAYOUT_H
#define WEIGHT_LAYOUT_H

#include "arena.h"
#include "error.h"
#include "json.h"
#include "tensor_file.h"
#include "words.h"

// --- layouts
//
// A layout is recognised by the set of names that a layer has under a common prefix
// ("bert.encoder.layer.0.attention.").

// How the weights of q, k and v are stored.
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
    const char *weights[4]; // name endings of q, k, v and the output; "": none
    const char *causal;     // see weight_layouts.def
    const char *heads;
    const char *norm; // name ending of the weight of the norm before attention; "": unknown
} WeightLayout;

// By index, NULL past the last; by name, NULL if unknown.
const WeightLayout *weight_layout_get(int number);
const WeightLayout *weight_layout_find(const char *name);

// True if both use the same names for q, k, v and the output.
bool weight_layout_alike(const WeightLayout *a, const WeightLayout *b);

// True if they differ only in the order of rows, which shapes reveal.
bool weight_layout_namesakes(const WeightLayout *a, const WeightLayout *b);

// One attention layer of a file.
typedef struct WeightLayer {
    const WeightLayout *layout;
    const char *prefix; // precedes the name endings
} WeightLayer;

typedef struct WeightLayers {
    WeightLayer *layers; // in the arena; ordered by the numbers in their prefixes
    int count;
} WeightLayers;

// Finds all attention layers of a file; with `only`, of that layout. Finding none is not an error.
bool weight_layout_layers(TensorFile *file, const WeightLayout *only, Arena *arena,
                          WeightLayers *out, Error *err);

// A layer's index among those of its layout.
int weight_layout_number(const WeightLayers *all, const WeightLayer *layer);

// The last number in the prefix of a layer's names, its index in the model; 0: none.
long weight_layer_place(const WeightLayer *layer);

// The tensor of a weight (0 to 3: q, k, v, output) or its bias, in the arena; "" if the file has none. NULL without
// memory.
const char *weight_layout_tensor(const TensorFile *file, const WeightLayer *layer, int number,
                                 bool bias, Arena *arena, Error *err);

// The file's name for another weight that we call `ours`, in the arena; "" if the layout has none. NULL without memory.
const char *weight_layout_extra(const WeightLayer *layer, const char *ours, Arena *arena,
                                Error *err);

// The full name of the norm's "weight" or "bias", in the arena. NULL and err if the layout has none.
const char *weight_layout_norm(const WeightLayer *layer, const char *word, Arena *arena,
                               Error *err);

// True if the layer is cross-attention, by its name and the other layers'.
bool weight_layout_is_cross(const WeightLayers *all, const WeightLayer *layer);

// True if such a layer is causal, by its name.
bool weight_layout_is_causal(const WeightLayer *layer);

// The name of T5's relative bias, which its first layer holds for the whole stack.
const char *weight_layout_relative(const WeightLayer *layer, Arena *arena, Error *err);

// --- blocks
//
// What surrounds attention in some layouts: norms, feed-forward, embeddings (weight_blocks.def).

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
    bool post_norm, rms_norm; // norms come after residuals; they are RMS norms
    bool gelu_tanh, gated;    // the kind of gelu; swiglu instead
    const char *own, *stack;  // see weight_blocks.def
    const char *epsilon, *act, *form;
    const char *head; // "": unknown
    const char *ends[BLOCK_PARTS];
} WeightBlock;

// The block of a layout, or NULL.
const WeightBlock *weight_block_find(const WeightLayout *layout);

// The part with this name of ours ("norm_2.weight", "position.weight"), and whether it is a bias; BLOCK_PARTS if there
// is none.
WeightBlockPart weight_block_part(const char *name, bool *bias);

// The length of a layer's prefix that all its parts share; `of_model`: that the whole model shares.
size_t weight_block_prefix(const WeightLayer *layer, const WeightBlock *block, bool of_model);

// One past the last layer of this layer's stack: a model of images and texts has two.
int weight_block_end(const WeightLayers *all, int number);

// A part's full tensor name, in the arena. NULL without memory.
const char *weight_block_tensor(const WeightLayer *layer, WeightBlockPart part, bool bias,
                                Arena *arena, Error *err);

// The file's name for the matrix that makes logits, or its bias, in the arena: in front of it stands as much of the
// layers' prefix as the file has. "" if the file has none. NULL without memory.
const char *weight_block_head(const TensorFile *file, const WeightLayer *layer, bool bias,
                              Arena *arena, Error *err);

// --- models
//
// Known models, what their attention does, and which config.json fields and tensors change numbers:
// weight_models.def, weight_fields.def.

typedef enum WeightMask { WEIGHT_MASK_OPEN, WEIGHT_MASK_CAUSAL, WEIGHT_MASK_BY_NAME } WeightMask;

typedef struct WeightModel {
    const char *type, *layout;
    WeightMask mask;
    const char *traits, *alone; // see weight_models.def
} WeightModel;

// By index, NULL past the last; by model_type or layout name, NULL if unknown.
const WeightModel *weight_model_get(int number);
const WeightModel *weight_model_find(const char *type);

// The default model for a layer's names.
const WeightModel *weight_model_by_names(const WeightLayer *layer);

// The model_type of a model that has the same weight names but computes something else, if the prefix of the layer's
// names shows it; or NULL.
const char *weight_model_other(const WeightLayer *layer);

bool weight_model_has(const WeightModel *model, const char *trait);

// --- fields of config.json

typedef enum WeightField {
#define WEIGHT_FIELD(FIELD, names, trait, neutral, scope, takes) FIELD_##FIELD,
#include "weight_fields.def"
    FIELD_COUNT
} WeightField;

// The value of a field, under the first of its names that the object has; NULL if missing or null.
const JsonValue *weight_field_value(WeightField field, const JsonValue *config);

// True if a field has this name.
bool weight_field_is(WeightField field, const char *name);

// True if a member of config.json changes numbers (of whole layers, or of attention only) and is unsupported for this
// model; `shown` is its value as JSON.
bool weight_field_changes(const WeightModel *model, const char *name, const char *shown,
                          bool whole);

// True if a tensor in this place, which nothing reads, may change the layer's numbers (ODD_TENSOR).
typedef enum WeightTensorPlace { WEIGHT_TENSOR_BESIDE, WEIGHT_TENSOR_AROUND } WeightTensorPlace;
bool weight_tensor_is_odd(const char *name, WeightTensorPlace where);

// True if a supported member of config.json has a value that no such model can have: "eps": -1, "n_head": "12".
bool weight_field_misfits(const WeightModel *model, const char *name, const JsonValue *value,
                          bool whole);

// --- tensors beside the weights

// True if the tensor of this full name changes no numbers.
bool weight_is_spare(const WeightModel *model, const char *name, const Tensor *tensor);

#endif
