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
    const ptrdiff_t linear[] = {layer->out, layer->in}, embedding[] = {layer->in, layer->out};
    const ptrdiff_t *shape = number == LAYER_EMBEDDING ? embedding : linear;
    layer->from = "";
    return take_zeros(reading, layer_weight_names[number], 2, shape, &layer->weight, err) &&
           (!layer->has_bias ||
            take_zeros(reading, layer_bias_names[number], 1, &layer->out, &layer->bias, err));
}

bool scenario_shapes_take(Reading *reading, Error *err)
{
    const ptrdiff_t *size = reading->scenario->size;
    const ptrdiff_t shape[] = {size[SYMBOL_Q], size[SYMBOL_V], size[SYMBOL_DOUT]};
    Tensor readout;
    for (LayerNumber number = 0; number < LAYER_COUNT; number++)
        if (reading->layers[number].used && !take_layer(reading, number, err))
            return false;
    if (shape[0] > 0) {
        if (!take_zeros(reading, "readout.weight", 3, shape, &readout, err))
            return false;
        scenario_add(reading->scenario, "readout.weight", "readout.weight", readout, "");
    }
    return true;
}
