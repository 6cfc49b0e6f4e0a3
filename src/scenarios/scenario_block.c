// scenario_block: what stands around attention in a whole layer: feed-forward and its norm, places that
// were learned, the norm behind the last layer. See scenario_internal.h.
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

// A norm: of RMS norm the weight alone.
static bool add_norm(Reading *reading, const WeightSource *source, const char *const names[2],
                     const char *const roles[2], Error *err)
{
    bool of_input = strcmp(roles[0], "embedding_norm.weight") == 0;
    const ptrdiff_t *width = &reading->scenario->size[of_input ? SYMBOL_DIN : SYMBOL_DOUT];
    for (int i = 0; i < (reading->scenario->options.layer_norm ? 2 : 1); i++)
        if (!add(reading, source, &(ShapedWish){names[i], 1, width, "a norm"}, roles[i], err))
            return false;
    return true;
}

// Whether a layout's file has what we call so; false with `failed` when memory is short.
static bool file_has(Reading *reading, const WeightSource *source, const char *name, bool *failed,
                     Error *err)
{
    bool bias;
    WeightBlockPart part = weight_block_part(name, &bias);
    const WeightBlock *block =
        source->layer.layout ? weight_block_find(source->layer.layout) : NULL;
    if (!block || part == BLOCK_PARTS || !*block->ends[part])
        return false;
    const char *full = weight_block_tensor(&source->layer, part, bias, reading->scratch, err);
    *failed = full == NULL;
    for (int i = 0; full && i < tensor_file_count(source->file); i++)
        if (strcmp(tensor_file_name(source->file, i), full) == 0)
            return true;
    return false;
}

static const char *const appended_names[] = {"bias_k", "bias_v"};
static const char relative_name[] = "relative_bias.weight", distance_name[] = "relative_key.weight";

// --- feed-forward

// A layer of it, under our names: with the weight as nn.Linear keeps it, or turned around.
typedef struct Linear {
    const char *weight, *turned, *bias;
    bool expands;
} Linear;

// Where there is a gate, layers have a bias only if a file of that layout says so.
static bool has_bias(Reading *reading, const WeightSource *source, const Linear *linear,
                     bool *failed, Error *err)
{
    *failed = false;
    return !reading->scenario->options.gated ||
           file_has(reading, source, linear->bias, failed, err);
}

static bool add_linear(Reading *reading, const WeightSource *source, Linear linear, Error *err)
{
    const ptrdiff_t *size = reading->scenario->size;
    ptrdiff_t in = size[linear.expands ? SYMBOL_DOUT : SYMBOL_DFF];
    ptrdiff_t out = size[linear.expands ? SYMBOL_DFF : SYMBOL_DOUT];
    bool turned = source->layer.layout && source->layer.layout->kind == WEIGHT_LAYOUT_CONV1D;
    const ptrdiff_t shape[] = {turned ? in : out, turned ? out : in};
    ShapedWish weight = {linear.weight, 2, shape, "feed_forward"};
    bool failed;
    if (!add(reading, source, &weight, turned ? linear.turned : linear.weight, err))
        return false;
    if (turned) // what is turned has our name; what the file has, its own
        reading->scenario->tensors[reading->scenario->tensor_count - 1].name = linear.turned;
    if (has_bias(reading, source, &linear, &failed, err))
        return add(reading, source, &(ShapedWish){linear.bias, 1, &out, "feed_forward"},
                   linear.bias, err);
    return !failed;
}

// A vector for each distance, as wide as a head.
static bool fetch_relative_key(Reading *reading, const WeightSource *source, Error *err)
{
    Scenario *scenario = reading->scenario;
    Fetched found;
    char text[TENSOR_TEXT_MAX];
    if (!scenario->options.relative_key)
        return true;
    if (!scenario_fetch(reading, source, distance_name, &found, err))
        return false;
    if (found.tensor.rank != 2 || found.tensor.shape[1] != scenario->size[SYMBOL_D_K])
        return yaml_error(found.place, err, TELL(BLOCK_ROWS), distance_name,
                          tensor_shape_text(found.tensor.rank, found.tensor.shape, text),
                          scenario->size[SYMBOL_D_K]);
    scenario->size[SYMBOL_DISTANCES] = found.tensor.shape[0];
    scenario_add(scenario, distance_name, distance_name, found.tensor, found.from);
    return true;
}

// A key and a value behind those of the text, each as wide as the heads that make them.
static bool fetch_appended(Reading *reading, const WeightSource *source, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    for (int i = 0; i < 2 && options->add_bias_kv; i++) {
        bool grouped = options->kv_heads > 0;
        Symbol width = i == 0 ? (grouped ? SYMBOL_GK : SYMBOL_DK) : grouped ? SYMBOL_GV : SYMBOL_DV;
        const ptrdiff_t shape[] = {1, 1, reading->scenario->size[width]};
        if (!add(reading, source, &(ShapedWish){appended_names[i], 3, shape, "add_bias_kv"},
                 appended_names[i], err))
            return false;
    }
    return true;
}

static bool fetch_feed_forward(Reading *reading, const WeightSource *source, Error *err)
{
    static const char *const names[] = {"norm_2.weight", "norm_2.bias"};
    static const char *const behind[] = {"post_norm_2.weight", "post_norm_2.bias"};
    static const Linear gate = {"gate.weight", "conv1d.gate.weight", "gate.bias", true},
                        expand = {"expand.weight", "conv1d.expand.weight", "expand.bias", true},
                        contract = {"contract.weight", "conv1d.contract.weight", "contract.bias",
                                    false};
    const StageOptions *options = &reading->scenario->options;
    if (options->feed_forward == 0)
        return true;
    bool normed = (options->layer_norm || options->rms_norm) && !options->parallel;
    return (!normed ||
            add_norm(reading, source, names, options->post_norm ? behind : names, err)) &&
           (!options->gated || add_linear(reading, source, gate, err)) &&
           add_linear(reading, source, expand, err) && add_linear(reading, source, contract, err);
}

bool scenario_block_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    return fetch_relative_key(reading, source, err) && fetch_appended(reading, source, err) &&
           fetch_feed_forward(reading, source, err);
}

bool scenario_final_norm_fetch(Reading *reading, const WeightSource *source, int layers, Error *err)
{
    static const char *const names[] = {"final_norm.weight", "final_norm.bias"};
    const StageOptions *options = &reading->scenario->options;
    bool is_last = source->number + layers == weight_block_end(&source->all, source->number),
         failed = false;
    bool normed = (options->layer_norm || options->rms_norm) && !options->post_norm;
    if (!is_last || !normed || options->feed_forward == 0 ||
        !file_has(reading, source, names[0], &failed, err))
        return !failed;
    return add_norm(reading, source, names, names, err);
}

int scenario_block_names(const Reading *reading, const char *names[])
{
    static const char *const layers[] = {"expand.weight", "contract.weight", "expand.bias",
                                         "contract.bias"};
    const StageOptions *options = &reading->scenario->options;
    int count = 0;
    if (options->feed_forward > 0) {
        count = options->gated ? 2 : 4;
        memcpy(names, layers, sizeof *layers * (size_t)count);
        if (options->gated)
            names[count++] = "gate.weight";
        if ((options->layer_norm || options->rms_norm) && !options->parallel)
            names[count++] = "norm_2.weight";
        if (options->layer_norm && !options->parallel)
            names[count++] = "norm_2.bias";
    }
    if (options->learned_position)
        names[count++] = "position.weight";
    if (options->relative_buckets > 0)
        names[count++] = relative_name;
    if (options->relative_key)
        names[count++] = distance_name;
    for (int i = 0; i < 2 && options->add_bias_kv; i++)
        names[count++] = appended_names[i];
    return count;
}

bool scenario_block_check(const Reading *reading, const YamlNode *model, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    const YamlNode *given = yaml_get(model, "feed_forward");
    return options->feed_forward == 0 || reading->layers[LAYER_OUT].used ||
           yaml_key_error(given, err, TELL(BLOCK_OUT));
}

bool scenario_block_made(const Reading *reading, Error *err)
{
    const YamlNode *model = scenario_section(reading, "model");
    const StageOptions *options = &reading->scenario->options;
    bool has_layers =
        has_role(reading, "contract.weight") || has_role(reading, "conv1d.contract.weight");
    if (options->feed_forward > 0 && !has_layers)
        return yaml_key_error(yaml_get(model, "feed_forward"), err, TELL(BLOCK_DRAWN));
    if (options->relative_buckets > 0 && !has_role(reading, relative_name))
        return yaml_key_error(yaml_get(model, "relative_buckets"), err, TELL(BLOCK_DRAWN));
    if (options->relative_key && !has_role(reading, distance_name))
        return yaml_key_error(yaml_get(model, "relative_key"), err, TELL(BLOCK_DRAWN));
    if (options->add_bias_kv && !has_role(reading, appended_names[0]))
        return yaml_key_error(yaml_get(model, "add_bias_kv"), err, TELL(BLOCK_DRAWN));
    return !options->learned_position || has_role(reading, "position.weight") ||
           yaml_error(yaml_get(model, "position"), err, TELL(BLOCK_DRAWN));
}

// --- before the layers

// Where there are two texts, the vector of its own for each token.
static bool add_types(Reading *reading, const Fetched *found, Error *err)
{
    const ptrdiff_t *size = reading->scenario->size;
    const ptrdiff_t length = size[SYMBOL_L], width = size[SYMBOL_DIN], shape[] = {length, width};
    const TensorPlan plan = {"token_types", DTYPE_F32, 2, shape};
    Tensor types;
    if (found->tensor.shape[0] < 2)
        return yaml_error(found->place, err, TELL(BLOCK_TYPES_ONE));
    if (!scenario_tensor_take(reading, found->place, &plan, &types, err))
        return false;
    for (ptrdiff_t l = 0; l < length; l++)
        for (ptrdiff_t d = 0; d < width; d++)
            *tensor_at2(&types, l, d) = *tensor_at2(&found->tensor, reading->token_types[l], d);
    scenario_add(reading->scenario, "token_types", "token_types", types, found->from);
    return true;
}

static bool has_pair(const Reading *reading)
{
    bool is_second = false;
    for (ptrdiff_t l = 0; reading->token_types && l < reading->scenario->size[SYMBOL_L]; l++)
        is_second |= reading->token_types[l] > 0;
    return is_second;
}

// Of the vectors that tell two texts apart, that of the first, where there is no second.
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
    if (has_pair(reading))
        return add_types(reading, &found, err);
    scenario_add(reading->scenario, "token_type", "token_type", tensor_select(&found.tensor, 0, 0),
                 found.from);
    return true;
}

// Of T5's layers the first has it, for all of them.
static bool fetch_relative_bias(Reading *reading, const WeightSource *source, Error *err)
{
    const ptrdiff_t shape[] = {reading->scenario->options.relative_buckets,
                               reading->scenario->options.heads};
    return shape[0] == 0 ||
           add(reading, source, &(ShapedWish){relative_name, 2, shape, "relative_buckets"},
               relative_name, err);
}

bool scenario_embedding_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    static const char *const norm[] = {"embedding_norm.weight", "embedding_norm.bias"};
    Scenario *scenario = reading->scenario;
    Fetched found;
    char text[TENSOR_TEXT_MAX];
    if (!fetch_relative_bias(reading, source, err))
        return false;
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
            add_norm(reading, source, norm, norm, err));
}
