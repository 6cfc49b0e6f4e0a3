// scenario_layout: weights under the names of libraries; see scenario_internal.h.
#include "scenario_internal.h"
#include "field.h"

#include <stdio.h>
#include "scenarios_words.h"

enum { NAMES_MAX = 64, OUT = LAYER_OUT - LAYER_Q };

bool scenario_is_fused(const WeightSource *source, LayerNumber number)
{
    const WeightLayout *layout = source->layer.layout;
    return layout &&
           ((layout->kind != WEIGHT_LAYOUT_APART && number >= LAYER_Q && number <= LAYER_V) ||
            (layout->kind == WEIGHT_LAYOUT_CONV1D && number == LAYER_OUT));
}

// --- which layer

static bool read_layout(const YamlNode *weights, const WeightLayout **layout, Error *err)
{
    const char *names[NAMES_MAX + 1] = {NULL};
    const YamlNode *node = yaml_get(weights, "layout");
    int which = 0;
    for (int i = 0; i < NAMES_MAX && weight_layout_get(i); i++)
        names[i] = weight_layout_get(i)->name;
    if (!field_word(node, names, NULL, &which, err))
        return false;
    *layout = weight_layout_get(which);
    return true;
}

static bool find_layer(Reading *reading, const YamlNode *weights, WeightSource *source, Error *err)
{
    const YamlNode *node = yaml_get(weights, "layer");
    const WeightLayout *layout;
    WeightLayers all;
    int64_t number = 0;
    if (!read_layout(weights, &layout, err) ||
        !weight_layout_layers(source->file, layout, reading->scratch, &all, err))
        return false;
    if (all.count == 0)
        return yaml_error(yaml_get(weights, "layout"), err, TELL(LAYOUT_NONE),
                          source->file_node->text, words_tell(layout->about), layout->weights[0],
                          layout->weights[OUT]);
    if (node && !yaml_integer(node, 0, all.count - 1, &number, err))
        return false;
    source->layer = all.layers[number];
    source->all = all;
    source->number = (int)number;
    return true;
}

// --- weights that lie together, or turned around

// Where a row of q, k, v in their order lies in a file that has them in that of the heads of k: of each
// those of its `share` heads of q, its own and that of v, `each` rows a head.
static ptrdiff_t row_by_head(ptrdiff_t row, ptrdiff_t groups, ptrdiff_t share, ptrdiff_t each)
{
    ptrdiff_t head = row / each, queries = groups * share;
    ptrdiff_t group = head < queries ? head / share : (head - queries) % groups;
    ptrdiff_t part = head < queries ? head % share : share + (head - queries) / groups;
    return (group * (share + 2) + part) * each + row % each;
}

static bool order_rows(Reading *reading, Fetched *fused, Error *err)
{
    const Tensor from = fused->tensor;
    const StageOptions *options = &reading->scenario->options;
    ptrdiff_t groups = options->kv_heads > 0 ? options->kv_heads : options->heads;
    ptrdiff_t share = options->heads / groups, rows = from.shape[0];
    ptrdiff_t each = rows / (groups * (share + 2)), columns = from.rank == 2 ? from.shape[1] : 1;
    Arena *arena = &reading->scenario->arena;
    if (!tensor_take(arena, DTYPE_F32, from.rank, from.shape, &fused->tensor, err))
        return false;
    for (ptrdiff_t row = 0; row < rows; row++)
        for (ptrdiff_t column = 0; column < columns; column++) {
            ptrdiff_t old = row_by_head(row, groups, share, each);
            const ptrdiff_t there[] = {old, column}, here[] = {row, column};
            fused->tensor.storage.f32[tensor_place(&fused->tensor, here)] =
                from.storage.f32[tensor_place(&from, there)];
        }
    fused->from = arena_format(arena, err, TELL(LAYOUT_ORDERED), fused->from);
    return fused->from;
}

// A tensor of the file under the role and name by which the stages find it.
static bool add_fused(Reading *reading, const WeightSource *source, LayerNumber number, bool bias,
                      const char *role, Error *err)
{
    const WeightLayout *layout = source->layer.layout;
    const ptrdiff_t *size = reading->scenario->size;
    bool is_out = number == LAYER_OUT, turned = layout->kind == WEIGHT_LAYOUT_CONV1D;
    ptrdiff_t in = is_out ? size[SYMBOL_DV] : size[SYMBOL_DIN];
    ptrdiff_t out = is_out ? reading->layers[LAYER_OUT].out : size[SYMBOL_DQKV];
    ptrdiff_t shape[] = {turned && !bias ? in : out, turned ? out : in};
    char name[40], why[120];
    Fetched found;
    snprintf(name, sizeof name, "%s_proj.%s", is_out ? "out" : "q", bias ? "bias" : "weight");
    snprintf(why, sizeof why, is_out ? "%s" : TELL(LAYOUT_FUSED), words_tell(layout->about),
             size[SYMBOL_DK]);
    if (!scenario_fetch_shaped(reading, source, &(ShapedWish){name, bias ? 1 : 2, shape, why},
                               &found, err))
        return false;
    if (layout->kind == WEIGHT_LAYOUT_PER_HEAD && !order_rows(reading, &found, err))
        return false;
    const char *end = layout->weights[is_out ? OUT : 0];
    const char *shown = arena_text(&reading->scenario->arena, bias ? "in_proj.bias" : end, err);
    if (shown)
        scenario_add(reading->scenario, role, shown, found.tensor, found.from);
    return shown != NULL;
}

// The output's bias is no one's but its own; add_layer finds it.
static bool fetch_out_bias(Reading *reading, const WeightSource *source, Error *err)
{
    Layer *out = &reading->layers[LAYER_OUT];
    Fetched found;
    if (!out->has_bias)
        return true;
    if (!scenario_fetch_shaped(
            reading, source,
            &(ShapedWish){"out_proj.bias", 1, &out->out, words_tell(source->layer.layout->about)},
            &found, err))
        return false;
    out->bias = found.tensor;
    out->bias_from = found.from;
    return true;
}

static bool has_bias(Reading *reading, const WeightSource *source, LayerNumber number, bool *bias,
                     Error *err)
{
    const char *name = weight_layout_tensor(source->file, &source->layer, number - LAYER_Q, true,
                                            reading->scratch, err);
    *bias = name && *name;
    return name != NULL;
}

static bool fetch_fused(Reading *reading, const WeightSource *source, Error *err)
{
    bool turned = source->layer.layout->kind == WEIGHT_LAYOUT_CONV1D, bias;
    const ptrdiff_t *size = reading->scenario->size;
    reading->scenario->size[SYMBOL_DQKV] =
        size[SYMBOL_DK] + reading->layers[LAYER_K].out + reading->layers[LAYER_V].out;
    if (!has_bias(reading, source, LAYER_Q, &bias, err) ||
        !add_fused(reading, source, LAYER_Q, false,
                   turned ? "conv1d.in_proj.weight" : "in_proj.weight", err) ||
        (bias && !add_fused(reading, source, LAYER_Q, true, "in_proj.bias", err)))
        return false;
    Layer *out = &reading->layers[LAYER_OUT];
    if (!turned || !out->used)
        return true;
    return add_fused(reading, source, LAYER_OUT, false, "conv1d.out_proj.weight", err) &&
           fetch_out_bias(reading, source, err);
}

// Whether the file has one more weight of the layer, which we call `ours`.
static bool has_extra(Reading *reading, const WeightSource *source, const char *ours, bool *there,
                      Error *err)
{
    const char *full = weight_layout_extra(&source->layer, ours, reading->scratch, err);
    *there = false;
    for (int i = 0; full && *full && i < tensor_file_count(source->file); i++)
        *there = *there || tensor_file_same_name(tensor_file_name(source->file, i), full);
    return full != NULL;
}

// A key and a value that were learned: what the file has of them is used, unless the model says otherwise.
static bool find_appended(Reading *reading, const WeightSource *source, Error *err)
{
    bool has_k, has_v;
    if (!has_extra(reading, source, "bias_k", &has_k, err) ||
        !has_extra(reading, source, "bias_v", &has_v, err))
        return false;
    if (!yaml_get(scenario_section(reading, "model"), "add_bias_kv"))
        reading->scenario->options.add_bias_kv = has_k || has_v;
    return true;
}

// The biases of q, k and v may lie together where their weights do not.
static bool fetch_fused_bias(Reading *reading, const WeightSource *source, Error *err)
{
    ptrdiff_t *size = reading->scenario->size;
    bool there;
    Fetched found;
    if (!has_extra(reading, source, "in_proj.bias", &there, err))
        return false;
    if (!there)
        return true;
    size[SYMBOL_DQKV] =
        size[SYMBOL_DK] + reading->layers[LAYER_K].out + reading->layers[LAYER_V].out;
    if (!scenario_fetch_shaped(reading, source,
                               &(ShapedWish){"in_proj.bias", 1, &size[SYMBOL_DQKV],
                                             words_tell(source->layer.layout->about)},
                               &found, err))
        return false;
    scenario_add(reading->scenario, "in_proj.bias", "in_proj.bias", found.tensor, found.from);
    return true;
}

bool scenario_layout_take(Reading *reading, const WeightSource *source, Error *err)
{
    for (LayerNumber i = LAYER_Q; i <= LAYER_OUT; i++)
        if (!has_bias(reading, source, i, &reading->layers[i].has_bias, err))
            return false;
    if (!find_appended(reading, source, err))
        return false;
    return source->layer.layout->kind == WEIGHT_LAYOUT_APART
               ? fetch_fused_bias(reading, source, err)
               : fetch_fused(reading, source, err);
}

bool scenario_layout_read(Reading *reading, const YamlNode *weights, WeightSource *source,
                          Error *err)
{
    if (!yaml_get(weights, "layout"))
        return true;
    if (yaml_get(weights, "prefix"))
        return yaml_key_error(yaml_get(weights, "prefix"), err, TELL(LAYOUT_NO_PREFIX));
    if (reading->per_head)
        return yaml_error(weights, err, TELL(LAYOUT_PER_HEAD));
    return find_layer(reading, weights, source, err) && scenario_layout_take(reading, source, err);
}
