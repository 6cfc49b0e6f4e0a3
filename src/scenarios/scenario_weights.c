// scenario_weights: the section `weights`: drawn, from a file, or written in the scenario; and the
// roles under which the stages ask for them. See scenario_internal.h.
#include "scenario_internal.h"
#include "field.h"

#include <stdio.h>
#include <string.h>
#include "scenarios_words.h"

static const char *const weight_names[LAYER_COUNT] = {
    [LAYER_EMBEDDING] = "embedding.weight",
    [LAYER_Q] = "q_proj.weight",
    [LAYER_K] = "k_proj.weight",
    [LAYER_V] = "v_proj.weight",
    [LAYER_OUT] = "out_proj.weight",
};
static const char *const bias_names[LAYER_COUNT] = {
    [LAYER_Q] = "q_proj.bias",
    [LAYER_K] = "k_proj.bias",
    [LAYER_V] = "v_proj.bias",
    [LAYER_OUT] = "out_proj.bias",
};
static const char *const per_head_names[LAYER_COUNT] = {
    [LAYER_Q] = "q_proj.per_head",
    [LAYER_K] = "k_proj.per_head",
    [LAYER_V] = "v_proj.per_head",
};

static bool is_per_head(const Reading *reading, LayerNumber number)
{
    return reading->per_head && per_head_names[number];
}

// --- from a file, or from the scenario's own text

// What the layer calls a weight or bias of ours; otherwise the prefix and our own name.
static const char *name_in_file(Reading *reading, const WeightSource *source, const char *name,
                                Error *err)
{
    for (LayerNumber i = LAYER_Q; source->layer.layout && i <= LAYER_OUT; i++) {
        bool is_bias = strcmp(name, bias_names[i]) == 0;
        if (is_bias || strcmp(name, weight_names[i]) == 0)
            return weight_layout_tensor(source->file, &source->layer, i - LAYER_Q, is_bias,
                                        reading->scratch, err);
    }
    bool bias;
    WeightBlockPart part = weight_block_part(name, &bias);
    if (source->layer.layout && part < BLOCK_PARTS && weight_block_find(source->layer.layout))
        return weight_block_tensor(&source->layer, part, bias, reading->scratch, err);
    if (source->layer.layout && strncmp(name, "norm.", 5) == 0)
        return weight_layout_norm(&source->layer, name + 5, reading->scratch, err);
    return arena_format(reading->scratch, err, "%s%s", source->layer.layout ? "" : source->prefix,
                        name);
}

bool scenario_fetch(Reading *reading, const WeightSource *source, const char *name, Fetched *out,
                    Error *err)
{
    Arena *arena = &reading->scenario->arena;
    if (source->values) {
        TensorWish wish = {name, TELL(OF_NUMBERS), DTYPE_F32, 0, false};
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
        return scenario_layout_hint(reading, source, name, err) &&
               yaml_place(source->file_node, err);
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
                               &(ShapedWish){per_head_names[number], 3, shape, why}, &found, err))
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
    if (!scenario_fetch(reading, source, weight_names[number], &found, err))
        return false;
    if (found.tensor.rank != 2)
        return yaml_error(found.place, err, TELL(WEIGHTS_TWO_AXES), weight_names[number],
                          tensor_shape_text(found.tensor.rank, found.tensor.shape, text));
    layer->weight = found.tensor;
    layer->from = found.from;
    layer->out = reading->scenario->size[SYMBOL_DOUT] = layer->weight.shape[0];
    layer->in = layer->weight.shape[1];
    return true;
}

// A linear layer keeps a row for each output, an embedding one for each id.
static bool fetch_weight(Reading *reading, const WeightSource *source, LayerNumber number,
                         Error *err)
{
    Layer *layer = &reading->layers[number];
    ptrdiff_t linear[] = {layer->out, layer->in}, embedding[] = {layer->in, layer->out};
    const ptrdiff_t *shape = number == LAYER_EMBEDDING ? embedding : linear;
    char why[80];
    Fetched found;
    scenario_layer_text(reading, number, why);
    if (!scenario_fetch_shaped(reading, source, &(ShapedWish){weight_names[number], 2, shape, why},
                               &found, err))
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
                               &(ShapedWish){bias_names[number], 1, &layer->out, why}, &found, err))
        return false;
    layer->bias = found.tensor;
    return true;
}

static bool fetch_layer(Reading *reading, const WeightSource *source, LayerNumber number,
                        Error *err)
{
    const Layer *layer = &reading->layers[number];
    bool fetched = is_per_head(reading, number) ? fetch_per_head(reading, source, number, err)
                   : layer->any_shape           ? fetch_any_shape(reading, source, number, err)
                                                : fetch_weight(reading, source, number, err);
    return fetched && (!layer->has_bias || fetch_bias(reading, source, number, err));
}

static const char readout_name[] = "readout.weight";

// A row for every word, for each question: (Q, V, Dout).
static bool fetch_readout(Reading *reading, const WeightSource *source, Error *err)
{
    const ptrdiff_t *size = reading->scenario->size;
    ptrdiff_t shape[] = {size[SYMBOL_Q], size[SYMBOL_V], size[SYMBOL_DOUT]};
    Fetched found;
    if (!scenario_fetch_shaped(reading, source,
                               &(ShapedWish){readout_name, 3, shape, TELL(WEIGHTS_READOUT)}, &found,
                               err))
        return false;
    scenario_add(reading->scenario, readout_name, readout_name, found.tensor, found.from);
    return true;
}

static bool fetch_layers(Reading *reading, const WeightSource *source, Error *err)
{
    const char *needed[3 * LAYER_COUNT + 12] = {NULL};
    bool has_questions = reading->scenario->size[SYMBOL_Q] > 0;
    int count = 0;
    for (LayerNumber number = 0; number < LAYER_COUNT; number++) {
        if (!reading->layers[number].used)
            continue;
        needed[count++] =
            is_per_head(reading, number) ? per_head_names[number] : weight_names[number];
        if (reading->layers[number].has_bias)
            needed[count++] = bias_names[number];
    }
    if (has_questions)
        needed[count++] = readout_name;
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
           (reading->block > 0 || scenario_embedding_fetch(reading, source, err)) &&
           (!has_questions || fetch_readout(reading, source, err));
}

static bool fetch_from_file(Reading *reading, const YamlNode *weights, Error *err)
{
    const YamlNode *prefix = yaml_get(weights, "prefix");
    WeightSource source = {.file_node = yaml_get(weights, "file"), .prefix = ""};
    if (prefix && prefix->kind != YAML_SCALAR)
        return yaml_error(prefix, err, TELL(WEIGHTS_PREFIX));
    if (prefix)
        source.prefix = prefix->text;
    source.file = scenario_tensor_file(reading, source.file_node, err);
    if (!source.file)
        return false;
    bool fetched = scenario_layout_read(reading, weights, &source, err) &&
                   fetch_layers(reading, &source, err) &&
                   scenario_layers_read(reading, weights, &source, err);
    tensor_file_close(source.file);
    const char *slash = strrchr(source.file_node->text, '/');
    Scenario *scenario = reading->scenario;
    scenario->weights =
        arena_format(&scenario->arena, err, "%s", slash ? slash + 1 : source.file_node->text);
    return fetched && scenario->weights;
}

// --- the section

// Keys that mean nothing without the one they go with.
static bool check_goes_with(const YamlNode *weights, Error *err)
{
    static const char *const pairs[][2] = {{"manual_seed", "draw"}, {"prefix", "file"},
                                           {"layout", "file"},      {"untrained", "file"},
                                           {"layer", "layout"},     {"layers", "layout"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *key = pairs[i][0], *with = pairs[i][1];
        if (yaml_get(weights, key) && !yaml_get(weights, with))
            return yaml_key_error(yaml_get(weights, key), err, TELL(WEIGHTS_GOES_WITH), key, with);
    }
    return true;
}

// The one key that says where weights come from; NULL with no error when there is none.
static bool find_source(const YamlNode *weights, const YamlNode **source, Error *err)
{
    static const char *const sources[] = {"draw", "file", "values"};
    *source = NULL;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const YamlNode *given = yaml_get(weights, sources[i]);
        bool is_input = *source && strcmp((*source)->key, "draw") == 0 && i == 1; // draws inputs
        if (given && *source && !is_input)
            return yaml_key_error(given, err, TELL(WEIGHTS_BOTH), (*source)->key, given->key);
        *source = given ? given : *source;
    }
    return true;
}

// Refuses what only `draw` can give when there is no draw.
static bool check_sourced(const Reading *reading, const YamlNode *weights, const YamlNode *source,
                          Error *err)
{
    bool is_drawn = yaml_get(weights, "draw") != NULL;
    for (InputNumber i = 0; i < INPUT_COUNT && !is_drawn; i++)
        if (reading->inputs[i].node && !reading->inputs[i].tensor.storage.bytes)
            return yaml_error(reading->inputs[i].node, err, TELL(WEIGHTS_RANDN), input_keys[i],
                              input_names[i]);
    for (LayerNumber i = 0; i < LAYER_COUNT && !source; i++)
        if (reading->layers[i].used)
            return yaml_error(weights, err, TELL(WEIGHTS_NONE), layer_names[i]);
    return true;
}

// per_head[h,d,i] = weight[h*d_k+i, d]: a view.
static Tensor per_head_view(const Reading *reading, const Layer *layer)
{
    ptrdiff_t heads = reading->scenario->options.heads;
    ptrdiff_t split[] = {heads, layer->out / heads, layer->in};
    Tensor view;
    Error err;
    bool viewed = tensor_view(&layer->weight, 3, split, &view, &err);
    return viewed ? tensor_transpose(&view, 1, 2) : (Tensor){.rank = 0};
}

// The tensors of a layer under the roles of the call that uses it.
// Adds a tensor that may have been drawn.
static void add_drawn(Scenario *scenario, ScenarioTensor added)
{
    scenario_add(scenario, added.role, added.name, added.tensor, added.from);
    scenario->tensors[scenario->tensor_count - 1].draw = added.draw;
}

static void add_layer(Reading *reading, LayerNumber number, LayerNumber call)
{
    Layer *layer = &reading->layers[number];
    Scenario *scenario = reading->scenario;
    if (is_per_head(reading, number) && !layer->per_head.storage.bytes)
        layer->per_head = per_head_view(reading, layer);
    bool has_per_head = layer->per_head.storage.bytes != NULL;
    if (layer->weight.storage.bytes) // what the matrices of the heads are views of is only shown
        add_drawn(scenario,
                  (ScenarioTensor){has_per_head ? "" : weight_names[call], weight_names[number],
                                   layer->weight, layer->from, layer->weight_draw, reading->block});
    if (has_per_head)
        add_drawn(scenario,
                  (ScenarioTensor){per_head_names[call], per_head_names[number], layer->per_head,
                                   layer->from, layer->weight_draw, reading->block});
    if (layer->bias.storage.bytes)
        add_drawn(scenario, (ScenarioTensor){bias_names[call], bias_names[number], layer->bias,
                                             layer->from, layer->bias_draw, reading->block});
}

static void add_attention(Reading *reading)
{
    for (int i = 0; i < 3 && !reading->inputs[INPUT_Q].node; i++)
        add_layer(reading, reading->projection[i], LAYER_Q + (LayerNumber)i);
    if (reading->layers[LAYER_OUT].used)
        add_layer(reading, LAYER_OUT, LAYER_OUT);
}

bool scenario_layer_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    if (!scenario_layout_take(reading, source, err) || !fetch_layers(reading, source, err))
        return false;
    add_attention(reading);
    return true;
}

static void add_tensors(Reading *reading)
{
    for (InputNumber i = 0; i < INPUT_COUNT; i++)
        if (reading->inputs[i].node)
            add_drawn(reading->scenario,
                      (ScenarioTensor){input_names[i], input_names[i], reading->inputs[i].tensor,
                                       reading->inputs[i].from, reading->inputs[i].draw, 0});
    if (reading->layers[LAYER_EMBEDDING].used)
        add_layer(reading, LAYER_EMBEDDING, LAYER_EMBEDDING);
    add_attention(reading);
}

// For what the program says of the numbers later.
static bool keep_seed(Reading *reading, const YamlNode *weights, Error *err)
{
    Scenario *scenario = reading->scenario;
    scenario->seed = arena_text(&scenario->arena, yaml_get(weights, "manual_seed")->text, err);
    return scenario->seed != NULL;
}

bool scenario_weights_read(Reading *reading, Error *err)
{
    static const char *const keys[] = {"manual_seed", "draw",   "file",   "prefix",    "layout",
                                       "layer",       "values", "layers", "untrained", NULL};
    const YamlNode *weights = scenario_section(reading, "weights"), *source;
    const YamlNode *questions = yaml_get(scenario_section(reading, "model"), "questions");
    if (reading->scenario->request.shape_only) {
        if (!scenario_shapes_take(reading, err))
            return false;
        add_tensors(reading);
        return true;
    }
    if (questions && yaml_get(weights, "draw"))
        return yaml_key_error(questions, err, TELL(WEIGHTS_TRAINED));
    if (!yaml_only(weights, keys, err) || !find_source(weights, &source, err) ||
        !check_sourced(reading, weights, source, err) || !check_goes_with(weights, err) ||
        !field_flag(weights, "untrained", &reading->scenario->untrained, err))
        return false;
    reading->weights_given = source && strcmp(source->key, "file") == 0;
    if (yaml_get(weights, "draw") &&
        (!scenario_draw(reading, weights, err) || !keep_seed(reading, weights, err)))
        return false;
    bool is_written = source && strcmp(source->key, "values") == 0;
    if ((reading->weights_given && !fetch_from_file(reading, weights, err)) ||
        (is_written && !fetch_layers(reading, &(WeightSource){.values = source}, err)))
        return false;
    add_tensors(reading);
    return scenario_block_made(reading, err) && scenario_norm_make(reading, err);
}
