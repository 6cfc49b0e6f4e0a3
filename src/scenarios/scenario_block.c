// scenario_block: what stands around attention in a whole layer (feed-forward and its norm, places that
// were learned), and the layers after the first. See scenario_internal.h.
#include "scenario_internal.h"

#include <string.h>
#include "scenarios_words.h"

static bool has_role(const Reading *reading, const char *role)
{
    return scenario_tensor(reading->scenario, role) != NULL;
}

// One tensor of that shape, under the name and the role that stages ask for.
static bool add(Reading *reading, const WeightSource *source, const ShapedWish *wish,
                const char *role, Error *err)
{
    Fetched found;
    if (!scenario_fetch_shaped(reading, source, wish, &found, err))
        return false;
    scenario_add(reading->scenario, role, wish->name, found.tensor, found.from);
    return true;
}

static bool add_pair(Reading *reading, const WeightSource *source, const char *const names[2],
                     const char *const roles[2], Error *err)
{
    const ptrdiff_t *width = &reading->scenario->size[SYMBOL_DIN];
    for (int i = 0; i < 2; i++)
        if (!add(reading, source, &(ShapedWish){names[i], 1, width, "a norm"}, roles[i], err))
            return false;
    return true;
}

// --- feed-forward

// The two weights: as nn.Linear keeps them, or turned around.
static bool add_linear(Reading *reading, const WeightSource *source, bool expands, Error *err)
{
    static const char *const roles[2][3] = {
        {"contract.weight", "conv1d.contract.weight", "contract.bias"},
        {"expand.weight", "conv1d.expand.weight", "expand.bias"}};
    const ptrdiff_t *size = reading->scenario->size;
    ptrdiff_t in = size[expands ? SYMBOL_DOUT : SYMBOL_DFF];
    ptrdiff_t out = size[expands ? SYMBOL_DFF : SYMBOL_DOUT];
    bool turned = source->layer.layout && source->layer.layout->kind == WEIGHT_LAYOUT_CONV1D;
    const ptrdiff_t shape[] = {turned ? in : out, turned ? out : in};
    const char *const *role = roles[expands];
    ShapedWish weight = {role[0], 2, shape, "feed_forward"};
    if (!add(reading, source, &weight, role[turned], err) ||
        !add(reading, source, &(ShapedWish){role[2], 1, &out, "feed_forward"}, role[2], err))
        return false;
    if (turned) // what is turned has our name; what the file has, its own
        reading->scenario->tensors[reading->scenario->tensor_count - 2].name = role[1];
    return true;
}

bool scenario_block_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    static const char *const names[] = {"norm_2.weight", "norm_2.bias"};
    static const char *const behind[] = {"post_norm_2.weight", "post_norm_2.bias"};
    const StageOptions *options = &reading->scenario->options;
    if (options->feed_forward == 0)
        return true;
    return (!options->layer_norm ||
            add_pair(reading, source, names, options->post_norm ? behind : names, err)) &&
           add_linear(reading, source, true, err) && add_linear(reading, source, false, err);
}

int scenario_block_names(const Reading *reading, const char *names[])
{
    static const char *const all[] = {"expand.weight", "expand.bias",   "contract.weight",
                                      "contract.bias", "norm_2.weight", "norm_2.bias"};
    const StageOptions *options = &reading->scenario->options;
    int count = options->feed_forward == 0 ? 0 : options->layer_norm ? 6 : 4;
    memcpy(names, all, sizeof *all * (size_t)count);
    if (options->learned_position)
        names[count++] = "position.weight";
    return count;
}

bool scenario_block_check(const Reading *reading, const YamlNode *model, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    const YamlNode *given = yaml_get(model, "feed_forward");
    bool stays = options->residual &&
                 reading->scenario->size[SYMBOL_DOUT] == reading->scenario->size[SYMBOL_DIN];
    return !given || stays || yaml_key_error(given, err, TELL(BLOCK_RESIDUAL));
}

bool scenario_block_made(const Reading *reading, Error *err)
{
    const YamlNode *model = scenario_section(reading, "model");
    const StageOptions *options = &reading->scenario->options;
    if (options->feed_forward > 0 && !has_role(reading, "contract.bias"))
        return yaml_key_error(yaml_get(model, "feed_forward"), err, TELL(BLOCK_DRAWN));
    return !options->learned_position || has_role(reading, "position.weight") ||
           yaml_error(yaml_get(model, "position"), err, TELL(BLOCK_DRAWN));
}

// --- before the layers

// Of the vectors that tell two texts apart, that of the first.
static bool add_type(Reading *reading, const WeightSource *source, Error *err)
{
    Fetched found;
    char text[TENSOR_TEXT_MAX];
    if (!scenario_fetch(reading, source, "token_type.weight", &found, err))
        return false;
    if (found.tensor.rank != 2 || found.tensor.shape[1] != reading->scenario->size[SYMBOL_DIN])
        return yaml_error(found.place, err, TELL(BLOCK_ROWS), "token_type.weight",
                          tensor_shape_text(found.tensor.rank, found.tensor.shape, text),
                          reading->scenario->size[SYMBOL_DIN]);
    scenario_add(reading->scenario, "token_type", "token_type", tensor_select(&found.tensor, 0, 0),
                 found.from);
    return true;
}

bool scenario_embedding_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    static const char *const norm[] = {"embedding_norm.weight", "embedding_norm.bias"};
    Scenario *scenario = reading->scenario;
    Fetched found;
    char text[TENSOR_TEXT_MAX];
    if (!scenario->options.learned_position)
        return true;
    if (!scenario_fetch(reading, source, "position.weight", &found, err))
        return false;
    if (found.tensor.rank != 2 || found.tensor.shape[1] != scenario->size[SYMBOL_DIN])
        return yaml_error(found.place, err, TELL(BLOCK_ROWS), "position.weight",
                          tensor_shape_text(found.tensor.rank, found.tensor.shape, text),
                          scenario->size[SYMBOL_DIN]);
    scenario->size[SYMBOL_P] = found.tensor.shape[0];
    scenario_add(scenario, "position.weight", "position.weight", found.tensor, found.from);
    const WeightBlock *block =
        source->layer.layout ? weight_block_find(source->layer.layout) : NULL;
    return (!block || !*block->ends[BLOCK_TYPES] || add_type(reading, source, err)) &&
           (!block || !*block->ends[BLOCK_EMBEDDING_NORM] ||
            add_pair(reading, source, norm, norm, err));
}

// --- the layers after the first

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

static bool read_layer(Reading *reading, WeightSource *source, Error *err)
{
    int first = reading->scenario->tensor_count;
    for (LayerNumber i = LAYER_Q; i <= LAYER_OUT; i++)
        reading->layers[i].weight = reading->layers[i].bias = (Tensor){.rank = 0};
    source->layer = source->all.layers[source->number + reading->block];
    return scenario_layer_fetch(reading, source, err) && name_layer(reading, first, err);
}

// Whether the file has so many layers, and a scenario room for them.
static bool layers_are_there(const YamlNode *node, const WeightSource *source, int64_t layers,
                             Error *err)
{
    int left = source->all.count - source->number;
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
        return true;
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
    return good;
}
