// The weights of one layer, from a file or from the scenario's own text; see scenario_internal.h.
#include <stdio.h>
#include <string.h>
#include "scenario_internal.h"
#include "trace.h"
#include "scenarios_words.def"

// --- a weight by name

// The file's name for one of our weights.
static const char *name_in_file(Reading *reading, const WeightSource *source, const char *name,
                                Error *err)
{
    const WeightLayer *layer = &source->layer;
    Arena *arena = reading->scratch;
    bool bias;
    if (!layer->layout)
        return arena_format(arena, err, "%s%s", source->prefix, name);
    for (LayerNumber i = LAYER_Q; i <= LAYER_OUT; i++) {
        bias = strcmp(name, layer_bias_names[i]) == 0;
        if (bias || strcmp(name, layer_weight_names[i]) == 0)
            return weight_layout_tensor(source->file, layer, i - LAYER_Q, bias, arena, err);
    }
    const char *extra = weight_layout_extra(layer, name, arena, err);
    if (!extra || *extra)
        return extra;
    if (strcmp(name, layer_weight_names[LAYER_READOUT]) == 0) {
        const char *head = weight_block_head(source->file, layer, false, arena, err);
        if (!head || *head)
            return head;
    }
    WeightBlockPart part = weight_block_part(name, &bias);
    if (strcmp(name, "relative_bias.weight") == 0)
        return weight_layout_relative(layer, arena, err);
    if (part < BLOCK_PARTS && weight_block_find(layer->layout))
        return weight_block_tensor(layer, part, bias, arena, err);
    return strncmp(name, "norm.", 5) == 0 ? weight_layout_norm(layer, name + 5, arena, err)
                                          : arena_text(arena, name, err);
}

// Whether the file has a tensor of this name; "": no. False if the name is NULL.
static bool find_in_file(const WeightSource *source, const char *full, bool *there)
{
    *there = false;
    for (int i = 0; full && *full && i < tensor_file_count(source->file); i++)
        *there |= tensor_file_same_name(tensor_file_name(source->file, i), full);
    return full != NULL;
}

// If no layout is given but the names are known, replaces `err` by a sentence that names the layout.
static void explain_missing(Reading *reading, const WeightSource *source, const char *name,
                            Error *err)
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
}

// Takes a weight from the open run that the request names. False if it is not there.
static bool take_from_run(Reading *reading, const WeightSource *source, const char *full,
                          Fetched *out)
{
    const Trace *like = reading->scenario->request.like;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    int rank;
    Error ignored;
    out->from =
        like ? scenario_file_from(reading, source->file, source->file_node->text, full, &ignored)
             : NULL;
    if (!out->from ||
        !tensor_file_shape(source->file, full, reading->scratch, &rank, shape, &ignored))
        return false;
    for (int i = 0; i < like->scenario->tensor_count; i++) {
        const ScenarioTensor *known = &like->scenario->tensors[i];
        out->tensor = known->tensor;
        if (known->from && strcmp(known->from, out->from) == 0 && known->tensor.rank == rank &&
            memcmp(known->tensor.shape, shape, (size_t)rank * sizeof *shape) == 0)
            return true;
    }
    return false;
}

static bool scenario_fetch(Reading *reading, const WeightSource *source, const char *name,
                           Fetched *out, Error *err)
{
    Arena *arena = &reading->scenario->arena;
    if (source->values) {
        TensorRule rule = {name, TELL(OF_NUMBERS), DTYPE_F32, 0, false, false};
        out->place = yaml_get(source->values, name);
        if (!out->place)
            return yaml_error(source->values, err, TELL(WEIGHTS_NEEDED), name);
        return scenario_tensor_read(reading, out->place, &rule, &out->tensor, &out->from, err);
    }
    out->place = source->file_node;
    const char *full = name_in_file(reading, source, name, err);
    if (!full)
        return false;
    if (take_from_run(reading, source, full, out))
        return true;
    if (!tensor_file_read(source->file, full, arena, &out->tensor, err)) {
        explain_missing(reading, source, name, err);
        return yaml_place(source->file_node, err);
    }
    if (out->tensor.dtype != DTYPE_F32)
        return yaml_error(source->file_node, err, TELL(WEIGHTS_DTYPE), full,
                          dtype_name(out->tensor.dtype));
    if (tensor_count(&out->tensor) == 0)
        return yaml_error(source->file_node, err, TELL(WEIGHTS_NO_NUMBERS), full);
    out->from = scenario_file_from(reading, source->file, source->file_node->text, full, err);
    return out->from != NULL;
}

static bool scenario_fetch_shaped(Reading *reading, const WeightSource *source,
                                  const ShapeRule *rule, Fetched *out, Error *err)
{
    char have[TENSOR_TEXT_MAX], want[TENSOR_TEXT_MAX];
    if (!scenario_fetch(reading, source, rule->name, out, err))
        return false;
    const Tensor *tensor = &out->tensor;
    if (tensor->rank == rule->rank &&
        memcmp(tensor->shape, rule->shape, (size_t)rule->rank * sizeof *rule->shape) == 0)
        return true;
    return yaml_error(out->place, err, TELL(WEIGHTS_SHAPE), rule->name,
                      tensor_shape_text(tensor->rank, tensor->shape, have), rule->why,
                      tensor_shape_text(rule->rank, rule->shape, want));
}

// --- the layer of a file with library names

enum { NAMES_MAX = 64, OUT = LAYER_OUT - LAYER_Q };

// True if the weight is fused with others, or transposed.
static bool scenario_is_fused(const WeightSource *source, LayerNumber number)
{
    const WeightLayout *layout = source->layer.layout;
    return layout &&
           ((layout->kind != WEIGHT_LAYOUT_APART && number >= LAYER_Q && number <= LAYER_V) ||
            (layout->kind == WEIGHT_LAYOUT_CONV1D && number == LAYER_OUT));
}

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

// --- fused and transposed weights

// The row of the file for a row of q, k, v, if the file groups rows by heads of k: for each, its `share` heads of q, its
// own and that of v, `each` rows per head.
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

// Adds a tensor of the file under its role and name for stages.
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
    if (!scenario_fetch_shaped(reading, source, &(ShapeRule){name, bias ? 1 : 2, shape, why},
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

// --- weights beside the layers' matrices: norms, feed-forward, positions, appended keys

static bool is_normed(const StageOptions *options)
{
    return options->layer_norm || options->rms_norm;
}

bool scenario_extras_check(const Reading *reading, const YamlNode *model, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    bool has_q = reading->inputs[INPUT_Q].node, has_out = reading->layers[LAYER_OUT].used;
    const YamlNode *norm = yaml_get(model, options->layer_norm ? "layer_norm" : "rms_norm");
    if (options->layer_norm && options->rms_norm)
        return yaml_key_error(yaml_get(model, "rms_norm"), err, TELL(NORM_BOTH));
    if (is_normed(options) && !options->post_norm && has_q)
        return yaml_key_error(norm, err, TELL(NORM_INPUT));
    if (options->post_norm && !has_out)
        return yaml_key_error(yaml_get(model, "post_norm"), err, TELL(NORM_BEHIND));
    if (options->residual && (has_q || !has_out))
        return yaml_key_error(yaml_get(model, "residual"), err, TELL(RESIDUAL_ENDS));
    if (options->feed_forward > 0 && !has_out)
        return yaml_key_error(yaml_get(model, "feed_forward"), err, TELL(BLOCK_OUT));
    bool has_sum = options->residual && !options->post_norm; // where parallel parts meet
    return !options->parallel || options->feed_forward == 0 || has_sum ||
           yaml_key_error(yaml_get(model, "parallel"), err, TELL(BLOCK_PARALLEL));
}

enum { EXTRAS_MAX = 20 };

typedef struct Extra {
    const char *name, *role; // ours; that for stages
    const char *why;         // the option that asks for it, or "a norm"
    int rank;
    ptrdiff_t shape[3]; // the first is 0: as many rows as there are
} Extra;

// What a model reads, in the order in which it is fetched.
typedef struct Extras {
    Extra rows[EXTRAS_MAX];
    int count;
} Extras;

static void put(Extras *to, bool is_read, Extra extra)
{
    if (is_read)
        to->rows[to->count++] = extra;
}

// True if the layout has our weight around its attention layers.
static bool has_part(const WeightSource *source, const char *name)
{
    bool bias;
    WeightBlockPart part = weight_block_part(name, &bias);
    const WeightLayout *layout = source->layer.layout;
    const WeightBlock *block = layout ? weight_block_find(layout) : NULL;
    return block && part < BLOCK_PARTS && *block->ends[part];
}

// The norm comes after attention, before it, or before the queries of cross-attention, whose keys and values come from
// another layer.
static void put_norms(Extras *to, const Reading *reading)
{
    const StageOptions *options = &reading->scenario->options;
    const ptrdiff_t *size = reading->scenario->size;
    bool behind = options->post_norm, across = options->qk_norm_across;
    bool queries = !behind && reading->inputs[INPUT_X_QUERY].node;
    ptrdiff_t in = size[size[SYMBOL_DQ] > 0 ? SYMBOL_DQ : SYMBOL_DIN];
    ptrdiff_t width = behind ? size[SYMBOL_DOUT] : in;
    const char *weight = behind    ? "post_norm.weight"
                         : queries ? "query_norm.weight"
                                   : "norm.weight";
    const char *bias = behind ? "post_norm.bias" : queries ? "query_norm.bias" : "norm.bias";
    put(to, is_normed(options), (Extra){"norm.weight", weight, "a norm", 1, {width}});
    put(to, options->layer_norm, (Extra){"norm.bias", bias, "a norm", 1, {width}});
    for (int i = 0; i < 2 && options->qk_norm; i++) {
        static const char *const names[] = {"q_norm.weight", "k_norm.weight"};
        static const char *const roles[] = {"q_norm.across", "k_norm.across"};
        ptrdiff_t all = size[i == 1 && options->kv_heads > 0 ? SYMBOL_GK : SYMBOL_DK];
        put(to, !across, (Extra){names[i], names[i], "qk_norm", 1, {size[SYMBOL_D_K]}});
        put(to, across, (Extra){names[i], roles[i], "qk_norm_across", 1, {all}});
    }
}

// A file may have matrices transposed. Gated ones have a bias only in layouts that do.
static void put_linear(Extras *to, const Reading *reading, const WeightSource *source, bool expands,
                       const char *const names[3])
{
    const ptrdiff_t *size = reading->scenario->size;
    ptrdiff_t in = size[expands ? SYMBOL_DOUT : SYMBOL_DFF];
    ptrdiff_t out = size[expands ? SYMBOL_DFF : SYMBOL_DOUT];
    bool turned = source->layer.layout && source->layer.layout->kind == WEIGHT_LAYOUT_CONV1D;
    bool gated = reading->scenario->options.gated;
    put(to, turned, (Extra){names[0], names[1], "feed_forward", 2, {in, out}});
    put(to, !turned, (Extra){names[0], names[0], "feed_forward", 2, {out, in}});
    put(to, !gated || has_part(source, names[2]),
        (Extra){names[2], names[2], "feed_forward", 1, {out}});
}

static void put_feed_forward(Extras *to, const Reading *reading, const WeightSource *source)
{
    static const char *const gate[] = {"gate.weight", "conv1d.gate.weight", "gate.bias"},
                             *const expand[] = {"expand.weight", "conv1d.expand.weight",
                                                "expand.bias"},
                             *const contract[] = {"contract.weight", "conv1d.contract.weight",
                                                  "contract.bias"};
    const StageOptions *options = &reading->scenario->options;
    ptrdiff_t width = reading->scenario->size[SYMBOL_DOUT];
    const char *weight = options->post_norm ? "post_norm_2.weight" : "norm_2.weight";
    const char *bias = options->post_norm ? "post_norm_2.bias" : "norm_2.bias";
    put(to, is_normed(options) && !options->parallel,
        (Extra){"norm_2.weight", weight, "a norm", 1, {width}});
    put(to, options->layer_norm && !options->parallel,
        (Extra){"norm_2.bias", bias, "a norm", 1, {width}});
    if (options->gated)
        put_linear(to, reading, source, true, gate);
    put_linear(to, reading, source, true, expand);
    put_linear(to, reading, source, false, contract);
}

// What precedes the layers comes with the first of them; in T5 it has the relative bias for all.
static Extras list_extras(const Reading *reading, const WeightSource *source)
{
    Extras all = {.count = 0}, *to = &all;
    const StageOptions *options = &reading->scenario->options;
    const ptrdiff_t *size = reading->scenario->size, in = size[SYMBOL_DIN];
    bool grouped = options->kv_heads > 0, is_first = reading->block == 0;
    bool places = is_first && options->learned_position;
    bool norm = places && has_part(source, "embedding_norm.weight");
    const ptrdiff_t k = size[grouped ? SYMBOL_GK : SYMBOL_DK],
                    v = size[grouped ? SYMBOL_GV : SYMBOL_DV];
    const char *bias = "relative_bias.weight", *key = "relative_key.weight";
    put_norms(to, reading);
    put(to, options->relative_key, (Extra){key, key, "relative_key", 2, {0, size[SYMBOL_D_K]}});
    put(to, options->add_bias_kv, (Extra){"bias_k", "bias_k", "add_bias_kv", 3, {1, 1, k}});
    put(to, options->add_bias_kv, (Extra){"bias_v", "bias_v", "add_bias_kv", 3, {1, 1, v}});
    if (options->feed_forward > 0)
        put_feed_forward(to, reading, source);
    put(to, is_first && options->relative_buckets > 0,
        (Extra){bias, bias, "relative_buckets", 2, {options->relative_buckets, options->heads}});
    put(to, places, (Extra){"position.weight", "position.weight", "position", 2, {0, in}});
    put(to, places && has_part(source, "token_type.weight"),
        (Extra){"token_type.weight", "token_type", "", 2, {0, in}});
    put(to, norm, (Extra){"embedding_norm.weight", "embedding_norm.weight", "a norm", 1, {in}});
    put(to, norm && options->layer_norm,
        (Extra){"embedding_norm.bias", "embedding_norm.bias", "a norm", 1, {in}});
    return all;
}

// PyTorch's initial norm.
static bool make_norm(Reading *reading, const Extra *extra, Error *err)
{
    Tensor made;
    TensorPlan plan = {extra->name, DTYPE_F32, 1, extra->shape};
    bool is_bias = strcmp(extra->name, "norm.bias") == 0;
    bool is_in = strcmp(extra->name, "norm.weight") == 0;
    bool across = reading->scenario->options.qk_norm_across;
    if (!scenario_tensor_take(reading, reading->root, &plan, &made, err))
        return false;
    for (ptrdiff_t d = 0; d < made.shape[0]; d++)
        *tensor_at1(&made, d) = is_bias ? 0.0f : 1.0f;
    scenario_add(reading->scenario, extra->role, extra->name, made,
                 is_bias  ? "torch.zeros(d_in)"
                 : is_in  ? "torch.ones(d_in)"
                 : across ? "torch.ones(num_heads * d_k)"
                          : "torch.ones(d_k)");
    return true;
}

bool scenario_extras_make(Reading *reading, Error *err)
{
    const YamlNode *model = scenario_section(reading, "model");
    Extras norms = {.count = 0}, all = list_extras(reading, &(WeightSource){.file = NULL});
    put_norms(&norms, reading);
    for (int i = norms.count; i < all.count; i++) {
        const Extra *extra = &all.rows[i];
        const YamlNode *option = yaml_get(model, extra->why);
        bool is_turned = strcmp(extra->why, "feed_forward") == 0 &&
                         scenario_tensor(reading->scenario, "conv1d.contract.weight");
        if (!option || is_turned || scenario_tensor(reading->scenario, extra->role))
            continue;
        return strcmp(extra->why, "position") == 0 ? yaml_error(option, err, TELL(BLOCK_DRAWN))
                                                   : yaml_key_error(option, err, TELL(BLOCK_DRAWN));
    }
    for (int i = 0; i < norms.count; i++)
        if (!scenario_tensor(reading->scenario, norms.rows[i].role) &&
            !make_norm(reading, &norms.rows[i], err))
            return false;
    return true;
}

// With two texts: the vectors of both, and which text each token belongs to; else the first text's vector.
static bool add_types(Reading *reading, const Fetched *found, Error *err)
{
    Scenario *scenario = reading->scenario;
    const ptrdiff_t length = scenario->size[SYMBOL_L];
    const TensorPlan plan = {"token_type_ids", DTYPE_I64, 2, (ptrdiff_t[]){1, length}};
    Tensor ids;
    bool has_second = false;
    for (ptrdiff_t l = 0; reading->token_types && l < length; l++)
        has_second |= reading->token_types[l] > 0;
    if (!has_second) {
        scenario_add(scenario, "token_type", "token_type", tensor_select(&found->tensor, 0, 0),
                     found->from);
        return true;
    }
    if (found->tensor.shape[0] < 2)
        return yaml_error(found->place, err, TELL(BLOCK_TYPES_ONE));
    if (!scenario_tensor_take(reading, found->place, &plan, &ids, err))
        return false;
    for (ptrdiff_t l = 0; l < length; l++)
        *tensor_id2(&ids, 0, l) = reading->token_types[l];
    scenario->size[SYMBOL_TYPES] = found->tensor.shape[0];
    scenario_add(scenario, "token_type.weight", "token_type.weight", found->tensor, found->from);
    scenario_add(scenario, "token_type_ids", "token_type_ids", ids, NULL);
    return true;
}

// Adds a weight under its role. A transposed one is shown under it too.
static bool fetch_extra(Reading *reading, const WeightSource *source, const Extra *extra,
                        Error *err)
{
    char text[TENSOR_TEXT_MAX];
    Fetched found;
    ptrdiff_t *size = reading->scenario->size;
    bool there = true, is_free = extra->shape[0] == 0;
    bool may_miss = reading->scenario->options.gated && extra->rank == 1 &&
                    strcmp(extra->why, "feed_forward") == 0;
    const ShapeRule rule = {extra->name, extra->rank, extra->shape, extra->why};
    const char *shown = strncmp(extra->role, "conv1d.", 7) == 0 ? extra->role : extra->name;
    if (may_miss && !find_in_file(source, name_in_file(reading, source, extra->name, err), &there))
        return false;
    if (!there)
        return true;
    if (is_free ? !scenario_fetch(reading, source, extra->name, &found, err)
                : !scenario_fetch_shaped(reading, source, &rule, &found, err))
        return false;
    const Tensor *tensor = &found.tensor;
    if (is_free && (tensor->rank != 2 || tensor->shape[1] != extra->shape[1]))
        return yaml_error(found.place, err, TELL(BLOCK_ROWS), extra->name,
                          tensor_shape_text(tensor->rank, tensor->shape, text), extra->shape[1]);
    if (strcmp(extra->role, "token_type") == 0)
        return add_types(reading, &found, err);
    if (is_free)
        size[strcmp(extra->why, "position") == 0 ? SYMBOL_P : SYMBOL_DISTANCES] = tensor->shape[0];
    scenario_add(reading->scenario, extra->role, shown, *tensor, found.from);
    return true;
}

bool scenario_final_norm_fetch(Reading *reading, const WeightSource *source, int layers, Error *err)
{
    static const char *const names[] = {"final_norm.weight", "final_norm.bias"};
    const StageOptions *options = &reading->scenario->options;
    bool there = source->number + layers == weight_block_end(&source->all, source->number) &&
                 is_normed(options) && !options->post_norm && options->feed_forward > 0 &&
                 has_part(source, names[0]);
    for (int i = 0; there && i < (options->layer_norm ? 2 : 1); i++) { // RMS norm has only a weight
        Extra norm = {names[i], names[i], "a norm", 1, {reading->scenario->size[SYMBOL_DOUT]}};
        if (!fetch_extra(reading, source, &norm, err))
            return false;
    }
    return true;
}

// --- attention

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
                               &(ShapeRule){layer_per_head_names[number], 3, shape, why}, &found,
                               err))
        return false;
    layer->per_head = found.tensor;
    layer->from = found.from;
    return true;
}

// The output layer takes the file's sizes unless the model gives some.
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

// A language model's readout: its own matrix, or the embedding (tied weights).
static bool take_head(Reading *reading, const WeightSource *source, const ptrdiff_t shape[3],
                      Error *err)
{
    Layer *layer = &reading->layers[LAYER_READOUT];
    const Layer *embedding = &reading->layers[LAYER_EMBEDDING];
    const WeightBlock *block = weight_block_find(source->layer.layout);
    const char *name = layer_weight_names[LAYER_READOUT], *file = source->file_node->text;
    if (!block || !*block->head)
        return error_set(err, TELL(WEIGHTS_NO_HEAD), file, words_tell(source->layer.layout->about));
    const char *own = weight_block_head(source->file, &source->layer, false, reading->scratch, err);
    const char *bias =
        own ? weight_block_head(source->file, &source->layer, true, reading->scratch, err) : NULL;
    if (!bias)
        return false;
    if (*bias)
        return error_set(err, TELL(WEIGHTS_HEAD_BIAS), file, bias);
    Fetched head = {.tensor = embedding->weight, .from = embedding->from};
    bool is_tied = !*own && head.tensor.rank == 2 && head.tensor.shape[1] == shape[2];
    const ShapeRule rule = {name, 2, shape + 1, TELL(WEIGHTS_READOUT)};
    if (!is_tied && !scenario_fetch_shaped(reading, source, &rule, &head, err))
        return false;
    layer->weight = tensor_unsqueeze(&head.tensor, 0);
    layer->from = head.from;
    return true;
}

static bool fetch_weight(Reading *reading, const WeightSource *source, LayerNumber number,
                         Error *err)
{
    Layer *layer = &reading->layers[number];
    ptrdiff_t shape[3];
    int rank = scenario_weight_shape(reading, number, shape);
    bool is_readout = number == LAYER_READOUT, has_own = true;
    char text[80];
    Fetched found;
    const char *why =
        is_readout ? TELL(WEIGHTS_READOUT) : scenario_layer_text(reading, number, text);
    if (is_readout && source->layer.layout && shape[0] == 1 &&
        !find_in_file(source, layer_weight_names[number], &has_own))
        return false;
    if (!has_own)
        return take_head(reading, source, shape, err);
    if (!scenario_fetch_shaped(reading, source,
                               &(ShapeRule){layer_weight_names[number], rank, shape, why}, &found,
                               err))
        return false;
    layer->weight = found.tensor;
    layer->from = found.from;
    return true;
}

static bool fetch_bias(Reading *reading, const WeightSource *source, LayerNumber number,
                       const char *why, Error *err)
{
    Layer *layer = &reading->layers[number];
    const ShapeRule rule = {layer_bias_names[number], 1, &layer->out, why};
    Fetched found;
    if (!scenario_fetch_shaped(reading, source, &rule, &found, err))
        return false;
    layer->bias = found.tensor;
    layer->bias_from = found.from;
    return true;
}

static bool fetch_layer(Reading *reading, const WeightSource *source, LayerNumber number,
                        Error *err)
{
    const Layer *layer = &reading->layers[number];
    char text[80];
    bool fetched = scenario_is_per_head(reading, number)
                       ? fetch_per_head(reading, source, number, err)
                   : layer->any_shape ? fetch_any_shape(reading, source, number, err)
                                      : fetch_weight(reading, source, number, err);
    return fetched &&
           (!layer->has_bias ||
            fetch_bias(reading, source, number, scenario_layer_text(reading, number, text), err));
}

// Whether the file has a weight that only some layouts have.
static bool find_extra(Reading *reading, const WeightSource *source, const char *ours, bool *there,
                       Error *err)
{
    return find_in_file(source, weight_layout_extra(&source->layer, ours, reading->scratch, err),
                        there);
}

// The biases of q, k and v may be fused where the weights are not. That of a transposed output is separate.
bool scenario_layout_take(Reading *reading, const WeightSource *source, Error *err)
{
    Scenario *scenario = reading->scenario;
    Layer *layers = reading->layers;
    const WeightLayout *layout = source->layer.layout;
    bool turned = layout->kind == WEIGHT_LAYOUT_CONV1D, apart = layout->kind == WEIGHT_LAYOUT_APART;
    bool has_k, has_v, bias;
    for (LayerNumber i = LAYER_Q; i <= LAYER_OUT; i++) {
        const char *name = weight_layout_tensor(source->file, &source->layer, i - LAYER_Q, true,
                                                reading->scratch, err);
        if (!name)
            return false;
        layers[i].has_bias = *name;
    }
    if (!find_extra(reading, source, "bias_k", &has_k, err) ||
        !find_extra(reading, source, "bias_v", &has_v, err) ||
        !find_extra(reading, source, "in_proj.bias", &bias, err))
        return false;
    if (!yaml_get(scenario_section(reading, "model"), "add_bias_kv"))
        scenario->options.add_bias_kv = has_k || has_v;
    if (!apart || bias)
        scenario->size[SYMBOL_DQKV] =
            scenario->size[SYMBOL_DK] + layers[LAYER_K].out + layers[LAYER_V].out;
    Extra fused = {"in_proj.bias",
                   "in_proj.bias",
                   words_tell(layout->about),
                   1,
                   {scenario->size[SYMBOL_DQKV]}};
    if (apart)
        return !bias || fetch_extra(reading, source, &fused, err);
    return add_fused(reading, source, LAYER_Q, false,
                     turned ? "conv1d.in_proj.weight" : "in_proj.weight", err) &&
           (!layers[LAYER_Q].has_bias ||
            add_fused(reading, source, LAYER_Q, true, "in_proj.bias", err)) &&
           (!turned || !layers[LAYER_OUT].used ||
            (add_fused(reading, source, LAYER_OUT, false, "conv1d.out_proj.weight", err) &&
             (!layers[LAYER_OUT].has_bias ||
              fetch_bias(reading, source, LAYER_OUT, words_tell(layout->about), err))));
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

bool scenario_layer_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    const char *needed[3 * LAYER_COUNT + EXTRAS_MAX] = {NULL};
    int count = 0;
    Extras extras = list_extras(reading, source);
    for (LayerNumber number = 0; number < LAYER_COUNT; number++) {
        if (!reading->layers[number].used)
            continue;
        needed[count++] = scenario_is_per_head(reading, number) ? layer_per_head_names[number]
                                                                : layer_weight_names[number];
        if (reading->layers[number].has_bias)
            needed[count++] = layer_bias_names[number];
    }
    for (int i = 0; i < extras.count; i++)
        needed[count++] = extras.rows[i].name;
    if (source->values && !yaml_only(source->values, needed, err))
        return false;
    for (LayerNumber number = 0; number < LAYER_COUNT; number++)
        if (reading->layers[number].used && !scenario_is_fused(source, number) &&
            !fetch_layer(reading, source, number, err))
            return false;
    extras = list_extras(reading, source); // out_proj may have set the width of what follows it
    for (int i = 0; i < extras.count; i++)
        if (!fetch_extra(reading, source, &extras.rows[i], err))
            return false;
    return true;
}
