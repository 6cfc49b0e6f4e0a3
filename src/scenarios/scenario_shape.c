// scenario_shape: weights that are not there yet, as zeros; see scenario_internal.h.
#include "scenario_internal.h"

static bool take_zeros(Reading *reading, const char *name, int rank, const ptrdiff_t shape[],
                       Tensor *out, Error *err)
{
    TensorPlan plan = {name, DTYPE_F32, rank, shape};
    return scenario_tensor_take(reading, reading->root, &plan, out, err);
}

static bool take_layer(Reading *reading, LayerNumber number, Error *err)
{
    Layer *layer = &reading->layers[number];
    ptrdiff_t shape[3];
    int rank = scenario_weight_shape(reading, number, shape);
    layer->from = layer->bias_from = "";
    return take_zeros(reading, layer_weight_names[number], rank, shape, &layer->weight, err) &&
           (!layer->has_bias ||
            take_zeros(reading, layer_bias_names[number], 1, &layer->out, &layer->bias, err));
}

bool scenario_shapes_take(Reading *reading, Error *err)
{
    for (LayerNumber number = 0; number < LAYER_COUNT; number++)
        if (reading->layers[number].used && !take_layer(reading, number, err))
            return false;
    return true;
}
