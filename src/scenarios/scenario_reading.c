// scenario_reading: a scenario while it is being read: its sections, and what its inputs and layers are
// called. See scenario_internal.h.
#include "scenario_internal.h"

#include <stdio.h>

const char *const input_names[INPUT_COUNT] = {
    [INPUT_X] = "x", [INPUT_X_QUERY] = "x_query", [INPUT_Q] = "q", [INPUT_K] = "k", [INPUT_V] = "v",
};

const char *const input_keys[INPUT_COUNT] = {
    [INPUT_X] = "vectors", [INPUT_X_QUERY] = "query_vectors", [INPUT_Q] = "q", [INPUT_K] = "k",
    [INPUT_V] = "v",
};

const char *const layer_names[LAYER_COUNT] = {
    [LAYER_EMBEDDING] = "embedding",
    [LAYER_Q] = "q_proj",
    [LAYER_K] = "k_proj",
    [LAYER_V] = "v_proj",
    [LAYER_OUT] = "out_proj",
    [LAYER_READOUT] = "readout",
};

const char *const layer_weight_names[LAYER_COUNT] = {
    [LAYER_EMBEDDING] = "embedding.weight",
    [LAYER_Q] = "q_proj.weight",
    [LAYER_K] = "k_proj.weight",
    [LAYER_V] = "v_proj.weight",
    [LAYER_OUT] = "out_proj.weight",
    [LAYER_READOUT] = "readout.weight",
};
const char *const layer_bias_names[LAYER_COUNT] = {
    [LAYER_Q] = "q_proj.bias",
    [LAYER_K] = "k_proj.bias",
    [LAYER_V] = "v_proj.bias",
    [LAYER_OUT] = "out_proj.bias",
};
const char *const layer_per_head_names[LAYER_COUNT] = {
    [LAYER_Q] = "q_proj.per_head",
    [LAYER_K] = "k_proj.per_head",
    [LAYER_V] = "v_proj.per_head",
};

const YamlNode *scenario_section(const Reading *reading, const char *key)
{
    const YamlNode *section = yaml_get(reading->root, key);
    return section ? section : &reading->nothing;
}

const char *scenario_layer_text(const Reading *reading, LayerNumber number, char text[80])
{
    const Layer *layer = &reading->layers[number];
    const char *ending = number == LAYER_EMBEDDING || layer->has_bias ? "" : ", bias=False";
    snprintf(text, 80, "nn.%s(%td, %td%s)", number == LAYER_EMBEDDING ? "Embedding" : "Linear",
             layer->in, layer->out, ending);
    return text;
}

int scenario_weight_shape(const Reading *reading, LayerNumber number, ptrdiff_t shape[3])
{
    const Layer *layer = &reading->layers[number];
    const ptrdiff_t *size = reading->scenario->size;
    if (number == LAYER_READOUT) {
        shape[0] = size[SYMBOL_Q];
        shape[1] = size[SYMBOL_V];
        shape[2] = size[SYMBOL_DOUT];
        return 3;
    }
    shape[0] = number == LAYER_EMBEDDING ? layer->in : layer->out;
    shape[1] = number == LAYER_EMBEDDING ? layer->out : layer->in;
    return 2;
}

bool scenario_is_per_head(const Reading *reading, LayerNumber number)
{
    return reading->per_head && layer_per_head_names[number];
}
