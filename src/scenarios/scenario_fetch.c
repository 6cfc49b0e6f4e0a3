// scenario_fetch: a weight by its name, from a file or from the scenario's own text. See
// scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "scenarios_words.h"

// What the layer calls a weight or bias of ours; otherwise the prefix and our own name.
static const char *name_in_file(Reading *reading, const WeightSource *source, const char *name,
                                Error *err)
{
    for (LayerNumber i = LAYER_Q; source->layer.layout && i <= LAYER_OUT; i++) {
        bool is_bias = strcmp(name, layer_bias_names[i]) == 0;
        if (is_bias || strcmp(name, layer_weight_names[i]) == 0)
            return weight_layout_tensor(source->file, &source->layer, i - LAYER_Q, is_bias,
                                        reading->scratch, err);
    }
    const char *extra = source->layer.layout
                            ? weight_layout_extra(&source->layer, name, reading->scratch, err)
                            : "";
    if (!extra || *extra)
        return extra;
    bool bias;
    WeightBlockPart part = weight_block_part(name, &bias);
    if (source->layer.layout && strcmp(name, "relative_bias.weight") == 0)
        return weight_layout_relative(&source->layer, reading->scratch, err);
    if (source->layer.layout && part < BLOCK_PARTS && weight_block_find(source->layer.layout))
        return weight_block_tensor(&source->layer, part, bias, reading->scratch, err);
    if (source->layer.layout && strncmp(name, "norm.", 5) == 0)
        return weight_layout_norm(&source->layer, name + 5, reading->scratch, err);
    return arena_format(reading->scratch, err, "%s%s", source->layer.layout ? "" : source->prefix,
                        name);
}

// Says in `err`, in place of what it says, whose names the file has, where that is known and no layout was
// given. True, so that the caller's sentence goes on.
static bool tell_whose(Reading *reading, const WeightSource *source, const char *name, Error *err)
{
    WeightLayers all;
    Error quiet;
    bool known = !err->of_machine && !source->layer.layout && strstr(name, ".weight") &&
                 weight_layout_layers(source->file, NULL, reading->scratch, &all, &quiet) &&
                 all.count > 0;
    if (known && strcmp(all.layers[0].layout->name, "proj") == 0)
        error_set(err, TELL(LAYOUT_PREFIX), source->prefix, name, all.layers[0].prefix);
    else if (known)
        error_set(err, TELL(LAYOUT_NAMES), source->prefix, name,
                  words_tell(all.layers[0].layout->about), all.layers[0].layout->name);
    return true;
}

bool scenario_fetch(Reading *reading, const WeightSource *source, const char *name, Fetched *out,
                    Error *err)
{
    Arena *arena = &reading->scenario->arena;
    if (source->values) {
        TensorWish wish = {name, TELL(OF_NUMBERS), DTYPE_F32, 0, false, false};
        out->place = yaml_get(source->values, name);
        if (!out->place)
            return yaml_error(source->values, err, TELL(WEIGHTS_NEEDED), name);
        return scenario_tensor_read(reading, out->place, &wish, &out->tensor, &out->from, err);
    }
    out->place = source->file_node;
    const char *full = name_in_file(reading, source, name, err);
    if (!full)
        return false;
    if (!tensor_file_read(source->file, full, arena, &out->tensor, err))
        return tell_whose(reading, source, name, err) && yaml_place(source->file_node, err);
    if (out->tensor.dtype != DTYPE_F32)
        return yaml_error(source->file_node, err, TELL(WEIGHTS_DTYPE), full,
                          dtype_name(out->tensor.dtype));
    if (tensor_count(&out->tensor) == 0)
        return yaml_error(source->file_node, err, TELL(WEIGHTS_NO_NUMBERS), full);
    out->from = scenario_file_from(reading, source->file, source->file_node->text, full, err);
    return out->from != NULL;
}

bool scenario_fetch_shaped(Reading *reading, const WeightSource *source, const ShapedWish *wish,
                           Fetched *out, Error *err)
{
    char have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
    if (!scenario_fetch(reading, source, wish->name, out, err))
        return false;
    const Tensor *tensor = &out->tensor;
    if (tensor->rank == wish->rank &&
        memcmp(tensor->shape, wish->shape, (size_t)wish->rank * sizeof *wish->shape) == 0)
        return true;
    return yaml_error(out->place, err, TELL(WEIGHTS_SHAPE), wish->name,
                      tensor_shape_text(tensor->rank, tensor->shape, have), wish->why,
                      tensor_shape_text(wish->rank, wish->shape, want));
}
