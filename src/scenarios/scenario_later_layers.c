// scenario_later_layers: the layers after the first, whose weights a file has. See scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "scenarios_words.h"

// Gives what was added from number `first` on to the layer that is being read.
static bool name_layer(Reading *reading, int first, Error *err)
{
    Scenario *scenario = reading->scenario;
    for (int i = first; i < scenario->tensor_count; i++) {
        ScenarioTensor *added = &scenario->tensors[i];
        added->layer = reading->block;
        added->name = arena_format(&scenario->arena, err, SCENARIO_LAYER_NAME, reading->block + 1,
                                   added->name);
        if (!added->name)
            return false;
    }
    return true;
}

// Which parts of it have a bias is what the file has.
static bool read_layer(Reading *reading, WeightSource *source, Error *err)
{
    int first = reading->scenario->tensor_count;
    for (LayerNumber i = LAYER_Q; i <= LAYER_OUT; i++)
        reading->layers[i].weight = reading->layers[i].bias = (Tensor){.rank = 0};
    source->layer = source->all.layers[source->number + reading->block];
    if (!scenario_layout_take(reading, source, err) || !scenario_layer_fetch(reading, source, err))
        return false;
    scenario_attention_add(reading);
    return name_layer(reading, first, err);
}

// Whether the file has so many layers, and a scenario room for them.
static bool layers_are_there(const YamlNode *node, const WeightSource *source, int64_t layers,
                             Error *err)
{
    int left = weight_block_end(&source->all, source->number) - source->number;
    if (layers > left)
        return yaml_error(node, err, TELL(BLOCK_FEW_LAYERS), source->all.count,
                          source->all.count - 1, source->number, left, node->text);
    return layers <= SCENARIO_LAYERS_MAX ||
           yaml_error(node, err, TELL(BLOCK_MANY_LAYERS), SCENARIO_LAYERS_MAX, node->text);
}

bool scenario_layers_read(Reading *reading, const YamlNode *weights, WeightSource *source,
                          Error *err)
{
    const YamlNode *node = yaml_get(weights, "layers");
    const StageOptions *options = &reading->scenario->options;
    int64_t layers = 1;
    if (!node)
        return scenario_final_norm_fetch(reading, source, 1, err);
    if (!yaml_integer(node, 1, INT32_MAX, &layers, err) ||
        !layers_are_there(node, source, layers, err))
        return false;
    bool flows = reading->inputs[INPUT_X].node || reading->scenario->size[SYMBOL_V] > 0;
    if (layers > 1 && (!flows || reading->inputs[INPUT_X_QUERY].node || !options->residual ||
                       reading->scenario->size[SYMBOL_Q] > 0))
        return yaml_error(node, err, TELL(BLOCK_LAYERS));
    Layer first[LAYER_COUNT];
    memcpy(first, reading->layers, sizeof first);
    reading->layers[LAYER_EMBEDDING].used = false;
    bool good = true;
    for (reading->block = 1; good && reading->block < layers; reading->block++)
        good = read_layer(reading, source, err);
    reading->block = 0;
    memcpy(reading->layers, first, sizeof first);
    reading->scenario->layers = (int)layers;
    source->layer = source->all.layers[source->number];
    return good && scenario_final_norm_fetch(reading, source, (int)layers, err);
}
