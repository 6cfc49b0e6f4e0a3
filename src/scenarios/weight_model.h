// Which models are known, what their attention does, and which fields of a config.json and which tensors of a
// file change numbers: weight_models.def, weight_fields.def, weight_spare.def.
#ifndef WEIGHT_MODEL_H
#define WEIGHT_MODEL_H

#include "json_number.h"
#include "weight_layout.h"

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

bool weight_model_has(const WeightModel *model, const char *trait);

// Whether a text fits a pattern, where * is any text and # is a number.
bool weight_pattern_fits(const char *pattern, const char *text);

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
