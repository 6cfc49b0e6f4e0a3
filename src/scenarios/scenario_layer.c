// scenario_layer: the weights of one layer, from a file or from the scenario's own text. See
// scenario_internal.h.
#include "scenario_internal.h"

#include <stdio.h>
#include "scenarios_words.h"

static bool fetch_per_head(Reading *reading, const WeightSource *source, LayerNumber number,
                           Error *err)
{
    Layer *layer = &reading->layers[number];
    ptrdiff_t heads = reading->scenario->options.heads;
    ptrdiff_t shape[] = {heads, layer->in, layer->out / heads};
    char why[80];
    snprintf(why, sizeof why, TELL(WEIGHTS_PER_HEAD), heads);
    Fetched found;
    if (!scenario_fetch_shaped(reading, source,
                               &(ShapedWish){layer_per_head_names[number], 3, shape, why}, &found,
                               err))
        return false;
    layer->per_head = found.tensor;
    layer->from = found.from;
    return true;
}

// The output layer takes the sizes that the file brings, unless the model names some.
static bool fetch_any_shape(Reading *reading, const WeightSource *source, LayerNumber number,
                            Error *err)
{
    Layer *layer = &reading->layers[number];
    Fetched found;
    char text[TENSOR_TEXT_MAX];
    if (!scenario_fetch(reading, source, layer_weight_names[number], &found, err))
        return false;
    if (found.tensor.rank != 2)
        return yaml_error(found.place, err, TELL(WEIGHTS_TWO_AXES), layer_weight_names[number],
                          tensor_shape_text(found.tensor.rank, found.tensor.shape, text));
    layer->weight = found.tensor;
    layer->from = found.from;
    layer->out = reading->scenario->size[SYMBOL_DOUT] = layer->weight.shape[0];
    layer->in = layer->weight.shape[1];
    return true;
}

static bool fetch_weight(Reading *reading, const WeightSource *source, LayerNumber number,
                         Error *err)
{
    Layer *layer = &reading->layers[number];
    ptrdiff_t shape[3];
    int rank = scenario_weight_shape(reading, number, shape);
    bool is_readout = number == LAYER_READOUT;
    char text[80];
    Fetched found;
    const char *why =
        is_readout ? TELL(WEIGHTS_READOUT) : scenario_layer_text(reading, number, text);
    if (!scenario_fetch_shaped(reading, source,
                               &(ShapedWish){layer_weight_names[number], rank, shape, why}, &found,
                               err))
        return false;
    layer->weight = found.tensor;
    layer->from = found.from;
    return true;
}

static bool fetch_bias(Reading *reading, const WeightSource *source, LayerNumber number, Error *err)
{
    Layer *layer = &reading->layers[number];
    char why[80];
    Fetched found;
    scenario_layer_text(reading, number, why);
    if (!scenario_fetch_shaped(reading, source,
                               &(ShapedWish){layer_bias_names[number], 1, &layer->out, why}, &found,
                               err))
        return false;
    layer->bias = found.tensor;
    layer->bias_from = found.from;
    return true;
}

static bool fetch_layer(Reading *reading, const WeightSource *source, LayerNumber number,
                        Error *err)
{
    const Layer *layer = &reading->layers[number];
    bool fetched = scenario_is_per_head(reading, number)
                       ? fetch_per_head(reading, source, number, err)
                   : layer->any_shape ? fetch_any_shape(reading, source, number, err)
                                      : fetch_weight(reading, source, number, err);
    return fetched && (!layer->has_bias || fetch_bias(reading, source, number, err));
}

bool scenario_layer_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    const char *needed[3 * LAYER_COUNT + 14] = {NULL};
    int count = 0;
    for (LayerNumber number = 0; number < LAYER_COUNT; number++) {
        if (!reading->layers[number].used)
            continue;
        needed[count++] = scenario_is_per_head(reading, number) ? layer_per_head_names[number]
                                                                : layer_weight_names[number];
        if (reading->layers[number].has_bias)
            needed[count++] = layer_bias_names[number];
    }
    count += scenario_norm_names(&reading->scenario->options, needed + count);
    count += scenario_block_names(reading, needed + count);
    if (source->values && !yaml_only(source->values, needed, err))
        return false;
    for (LayerNumber number = 0; number < LAYER_COUNT; number++)
        if (reading->layers[number].used && !scenario_is_fused(source, number) &&
            !fetch_layer(reading, source, number, err))
            return false;
    return scenario_norm_fetch(reading, source, err) &&
           scenario_block_fetch(reading, source, err) &&
           (reading->block > 0 || scenario_embedding_fetch(reading, source, err));
}
