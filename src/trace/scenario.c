// Queries about a Scenario, and copying it; see scenario.h.
#include "scenario.h"

#include <math.h>
#include <assert.h>
#include <string.h>

const char *const symbol_names[SYMBOL_COUNT] = {
    [SYMBOL_B] = "B",
    [SYMBOL_L] = "L",
    [SYMBOL_LQ] = "Lq",
    [SYMBOL_LK] = "Lk",
    [SYMBOL_V] = "V",
    [SYMBOL_N] = "N",
    [SYMBOL_H] = "H",
    [SYMBOL_DIN] = "Din",
    [SYMBOL_D_K] = "d_k",
    [SYMBOL_D_V] = "d_v",
    [SYMBOL_DK] = "Dk",
    [SYMBOL_DV] = "Dv",
    [SYMBOL_DOUT] = "Dout",
    [SYMBOL_DQKV] = "Dqkv",
    [SYMBOL_Q] = "Q",
    [SYMBOL_G] = "G",
    [SYMBOL_GK] = "Gk",
    [SYMBOL_GV] = "Gv",
    [SYMBOL_P] = "P",
    [SYMBOL_DFF] = "Dff",
    [SYMBOL_LAYERS] = "layers",
    [SYMBOL_BUCKETS] = "buckets",
    [SYMBOL_DISTANCES] = "distances",
    [SYMBOL_BLOCKS] = "blocks",
    [SYMBOL_LT] = "Lt",
    [SYMBOL_LB] = "Lb",
    [SYMBOL_LP] = "Lp",
    [SYMBOL_DQ] = "Dq",
    [SYMBOL_PARTS] = "parts",
    [SYMBOL_TYPES] = "types",
};

const ScenarioTensor *scenario_tensor(const Scenario *scenario, const char *role)
{
    for (int i = 0; i < scenario->tensor_count; i++)
        if (strcmp(scenario->tensors[i].role, role) == 0)
            return &scenario->tensors[i];
    return NULL;
}

ScenarioTensor *scenario_layer_tensor(const Scenario *scenario, const char *role, int layer)
{
    for (int i = 0; i < scenario->tensor_count; i++)
        if (scenario->tensors[i].layer == layer && strcmp(scenario->tensors[i].role, role) == 0)
            return (ScenarioTensor *)&scenario->tensors[i];
    return NULL;
}

enum { BESIDE_HEADS_MAX = 4 };

// What a layer adds to the stream besides its heads, in order. Returns the count.
static int beside_heads(const Scenario *scenario, int layer, PartKind kinds[BESIDE_HEADS_MAX])
{
    int count = 0;
    if (scenario_layer_tensor(scenario, "out_proj.bias", layer))
        kinds[count++] = PART_BIAS;
    if (scenario_layer_tensor(scenario, "post_norm.bias", layer))
        kinds[count++] = PART_BIAS_OF_NORM;
    if (scenario->options.feed_forward > 0)
        kinds[count++] = PART_FEED_FORWARD;
    if (scenario_layer_tensor(scenario, "post_norm_2.bias", layer))
        kinds[count++] = PART_BIAS_OF_NORM_2;
    return count;
}

static ptrdiff_t parts_of_layer(const Scenario *scenario, int layer)
{
    PartKind kinds[BESIDE_HEADS_MAX];
    return scenario->options.heads + beside_heads(scenario, layer, kinds);
}

ptrdiff_t scenario_parts(const Scenario *scenario)
{
    ptrdiff_t parts = 1;
    int layers = scenario->layers > 1 ? scenario->layers : 1;
    for (int layer = 0; layer < layers; layer++)
        parts += parts_of_layer(scenario, layer);
    return parts + (scenario_layer_tensor(scenario, "final_norm.bias", 0) != NULL);
}

StreamPart scenario_part(const Scenario *scenario, ptrdiff_t number)
{
    PartKind kinds[BESIDE_HEADS_MAX];
    int layer = 0;
    if (number == 0)
        return (StreamPart){.kind = PART_EMBEDDING};
    int layers = scenario->layers > 1 ? scenario->layers : 1;
    for (number--; layer < layers && number >= parts_of_layer(scenario, layer); layer++)
        number -= parts_of_layer(scenario, layer);
    if (layer == layers)
        return (StreamPart){.kind = PART_BIAS_OF_LAST_NORM};
    ptrdiff_t heads = scenario->options.heads;
    if (number < heads)
        return (StreamPart){PART_HEAD, layer, number};
    beside_heads(scenario, layer, kinds);
    return (StreamPart){.kind = kinds[number - heads], .layer = layer};
}

ptrdiff_t scenario_text_keys(const Scenario *scenario)
{
    bool is_appended = scenario->size[SYMBOL_LT] > 0 && scenario->options.cached == 0;
    return scenario->size[is_appended ? SYMBOL_LT : SYMBOL_LK];
}

bool scenario_is_untrained(const Scenario *scenario)
{
    bool drawn = scenario->untrained;
    for (int i = 0; i < scenario->tensor_count; i++)
        drawn = drawn || scenario->tensors[i].draw.of_layer;
    return drawn;
}

bool scenario_sums_to_one(double sum)
{
    const double apart = 0.005; // bfloat16 rounds each weight by up to 1/512 of itself
    return fabs(sum - 1.0) <= apart;
}

bool scenario_is_asked(const Scenario *scenario, ptrdiff_t head, ptrdiff_t row, int64_t id)
{
    if (!scenario->asked || id < 0 || id >= scenario->size[SYMBOL_V])
        return true;
    const ScenarioAsked *asked = &scenario->asked[head];
    return asked->of_word[id] && (row > 0 || asked->at_first);
}

void scenario_add(Scenario *scenario, const char *role, const char *name, Tensor tensor,
                  const char *from)
{
    assert(scenario->tensor_count < SCENARIO_TENSORS_MAX);
    scenario->tensors[scenario->tensor_count++] =
        (ScenarioTensor){.role = role, .name = name, .tensor = tensor, .from = from};
}

// True if all widths are equal, so that one letter is enough.
static bool one_width(const Scenario *scenario)
{
    static const Symbol widths[] = {SYMBOL_DIN, SYMBOL_DK, SYMBOL_DV, SYMBOL_DOUT};
    ptrdiff_t width = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        ptrdiff_t size = scenario->size[widths[i]];
        if (size != 0 && width != 0 && size != width)
            return false;
        width = size != 0 ? size : width;
    }
    return true;
}

const StageOptions *scenario_options(const Scenario *scenario, int layer)
{
    return scenario->layer_options ? &scenario->layer_options[layer] : &scenario->options;
}

const char *scenario_axis_name(const Scenario *scenario, const char *symbol)
{
    static const char *const apart[][2] = {
        {"Din", "d_in"}, {"Dk", "H*d_k"}, {"Dv", "H*d_v"}, {"Dout", "d_out"}};
    static const char *const grouped[][2] = {
        {"Gk", "G*d_k"}, {"Gv", "G*d_v"}, {"Dff", "d_ff"}, {"Dq", "d_query"}};
    for (size_t i = 0; i < sizeof grouped / sizeof *grouped; i++)
        if (strcmp(symbol, grouped[i][0]) == 0)
            return grouped[i][1];
    if (strcmp(symbol, "Lt") == 0 && scenario->options.cached > 0)
        return "Ln";
    if (strcmp(symbol, "Dqkv") == 0)
        return one_width(scenario) ? "3*D" : "2*H*d_k + H*d_v";
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (strcmp(symbol, apart[i][0]) == 0)
            return one_width(scenario) ? "D" : apart[i][1];
    return symbol;
}

// The elements of a storage that the scenario's tensors use.
static size_t storage_length(const Scenario *scenario, const void *storage)
{
    ptrdiff_t longest = 0;
    for (int i = 0; i < scenario->tensor_count; i++) {
        const Tensor *tensor = &scenario->tensors[i].tensor;
        if (tensor->storage.bytes == storage && tensor_span(tensor) > longest)
            longest = tensor_span(tensor);
    }
    return (size_t)longest;
}

void scenario_share(Scenario *to, const Scenario *from)
{
    *to = *from;
    to->arena = (Arena){0};
    to->shared = from;
}

bool scenario_own(Scenario *scenario, int tensor, Error *err)
{
    const Tensor *shared = &scenario->tensors[tensor].tensor;
    const void *storage = shared->storage.bytes;
    if (!scenario->shared || scenario->shared->tensors[tensor].tensor.storage.bytes != storage)
        return true;
    size_t length = storage_length(scenario, storage), size = dtype_size(shared->dtype);
    void *own = arena_take_unset(&scenario->arena, length, size, err);
    if (!own)
        return false;
    memcpy(own, storage, length * size);
    for (int i = 0; i < scenario->tensor_count; i++)
        if (scenario->tensors[i].tensor.storage.bytes == storage)
            scenario->tensors[i].tensor.storage.bytes = own;
    return true;
}

bool scenario_copy(Scenario *to, const Scenario *from, Error *err)
{
    scenario_share(to, from);
    for (int i = 0; i < from->tensor_count; i++)
        if (!scenario_own(to, i, err)) {
            scenario_finish(to);
            return false;
        }
    to->shared = NULL;
    return true;
}

void scenario_finish(Scenario *scenario)
{
    Arena arena = scenario->arena;
    *scenario = (Scenario){0};
    arena_finish(&arena);
}
