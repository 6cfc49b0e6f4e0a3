// The weights of one layer, from a file or from the scenario's own text; see scenario_internal.h.
#include <stdio.h>
#include <string.h>
#include "scenario_internal.h"
#include "trace.h"
#include "scenarios_words.def"

// --- a weight by name

// The layer's name for one of our weights, or the prefix and our name.
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

// If no layout is given but the names are known, replaces `err` by a sentence that names the layout. Returns true, so that
// the caller appends to it.
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
    if (take_from_run(reading, source, full, out))
        return true;
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

static bool scenario_fetch_shaped(Reading *reading, const WeightSource *source,
                                  const ShapedWish *wish, Fetched *out, Error *err)
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

// --- library names

enum { NAMES_MAX = 64, OUT = LAYER_OUT - LAYER_Q };

// True if the weight is fused with others, or transposed.
static bool scenario_is_fused(const WeightSource *source, LayerNumber number)
{
    const WeightLayout *layout = source->layer.layout;
    return layout &&
           ((layout->kind != WEIGHT_LAYOUT_APART && number >= LAYER_Q && number <= LAYER_V) ||
            (layout->kind == WEIGHT_LAYOUT_CONV1D && number == LAYER_OUT));
}

// --- choosing a layer

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

// The output's bias is separate; add_layer finds it.
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

static bool layout_has_bias(Reading *reading, const WeightSource *source, LayerNumber number,
                            bool *bias, Error *err)
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
    if (!layout_has_bias(reading, source, LAYER_Q, &bias, err) ||
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

// True if the file has another weight that we call `ours`.
static bool has_extra(Reading *reading, const WeightSource *source, const char *ours, bool *there,
                      Error *err)
{
    const char *full = weight_layout_extra(&source->layer, ours, reading->scratch, err);
    *there = false;
    for (int i = 0; full && *full && i < tensor_file_count(source->file); i++)
        *there = *there || tensor_file_same_name(tensor_file_name(source->file, i), full);
    return full != NULL;
}

// Uses learned appended keys and values (bias_kv), unless the model forbids it.
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

// The biases of q, k and v may be fused where the weights are not.
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
        if (!layout_has_bias(reading, source, i, &reading->layers[i].has_bias, err))
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

// --- norms and residuals

static const char weight_name[] = "norm.weight", bias_name[] = "norm.bias";
static const char *const qk_names[] = {"q_norm.weight", "k_norm.weight"};

static bool is_normed(const StageOptions *options)
{
    return options->layer_norm || options->rms_norm;
}

static int scenario_norm_names(const StageOptions *options, const char *names[])
{
    int count = 0;
    if (is_normed(options))
        names[count++] = weight_name;
    if (options->layer_norm)
        names[count++] = bias_name;
    for (int i = 0; i < 2 && options->qk_norm; i++)
        names[count++] = qk_names[i];
    return count;
}

bool scenario_norm_check(const Reading *reading, const YamlNode *model, Error *err)
{
    const Scenario *scenario = reading->scenario;
    const StageOptions *options = &scenario->options;
    if (options->layer_norm && options->rms_norm)
        return yaml_key_error(yaml_get(model, "rms_norm"), err, TELL(NORM_BOTH));
    const YamlNode *norm = yaml_get(model, options->layer_norm ? "layer_norm" : "rms_norm");
    if (is_normed(options) && !options->post_norm && reading->inputs[INPUT_Q].node)
        return yaml_key_error(norm, err, TELL(NORM_INPUT));
    if (options->post_norm && !reading->layers[LAYER_OUT].used)
        return yaml_key_error(yaml_get(model, "post_norm"), err, TELL(NORM_BEHIND));
    bool has_ends = !reading->inputs[INPUT_Q].node && reading->layers[LAYER_OUT].used;
    return !options->residual || has_ends ||
           yaml_key_error(yaml_get(model, "residual"), err, TELL(RESIDUAL_ENDS));
}

// The norm comes after attention, before it, or before the queries of cross-attention, whose keys and values come from
// another layer.
static const char *const *roles_of(const Reading *reading)
{
    static const char *const behind[] = {"post_norm.weight", "post_norm.bias"};
    static const char *const before[] = {weight_name, bias_name};
    static const char *const queries[] = {"query_norm.weight", "query_norm.bias"};
    return reading->scenario->options.post_norm  ? behind
           : reading->inputs[INPUT_X_QUERY].node ? queries
                                                 : before;
}

// A norm's role, its width, and the origin of that width.
typedef struct Norm {
    const char *name, *role;
    ptrdiff_t width;
    const char *why;
} Norm;

static Norm norm_of(const Reading *reading, const char *name)
{
    const Scenario *scenario = reading->scenario;
    const ptrdiff_t *size = scenario->size;
    bool is_q = name == qk_names[0], is_k = name == qk_names[1];
    bool across = scenario->options.qk_norm_across, grouped = scenario->options.kv_heads > 0;
    ptrdiff_t all = size[is_k && grouped ? SYMBOL_GK : SYMBOL_DK];
    if ((is_q || is_k) && across)
        return (Norm){name, is_q ? "q_norm.across" : "k_norm.across", all, "qk_norm_across"};
    if (is_q || is_k)
        return (Norm){name, name, size[SYMBOL_D_K], "qk_norm"};
    Symbol in = size[SYMBOL_DQ] > 0 ? SYMBOL_DQ : SYMBOL_DIN; // cross-attention
    return (Norm){name, roles_of(reading)[name == bias_name],
                  size[scenario->options.post_norm ? SYMBOL_DOUT : in], "a norm"};
}

static bool scenario_norm_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    const char *names[SCENARIO_NORM_NAMES];
    int count = scenario_norm_names(&reading->scenario->options, names);
    for (int i = 0; i < count; i++) {
        Fetched found;
        Norm norm = norm_of(reading, names[i]);
        ShapedWish wish = {names[i], 1, &norm.width, norm.why};
        if (!scenario_fetch_shaped(reading, source, &wish, &found, err))
            return false;
        scenario_add(reading->scenario, norm.role, names[i], found.tensor, found.from);
    }
    return true;
}

bool scenario_norm_make(Reading *reading, Error *err)
{
    Scenario *scenario = reading->scenario;
    const char *names[SCENARIO_NORM_NAMES];
    int count = scenario_norm_names(&scenario->options, names);
    for (int i = 0; i < count && !scenario_tensor(scenario, norm_of(reading, names[i]).role); i++) {
        Tensor made;
        Norm norm = norm_of(reading, names[i]);
        TensorPlan plan = {names[i], DTYPE_F32, 1, &norm.width};
        if (!scenario_tensor_take(reading, reading->root, &plan, &made, err))
            return false;
        for (ptrdiff_t d = 0; d < made.shape[0]; d++)
            *tensor_at1(&made, d) = names[i] == bias_name ? 0.0f : 1.0f;
        scenario_add(scenario, norm.role, names[i], made,
                     names[i] == bias_name              ? "torch.zeros(d_in)"
                     : names[i] == weight_name          ? "torch.ones(d_in)"
                     : scenario->options.qk_norm_across ? "torch.ones(num_heads * d_k)"
                                                        : "torch.ones(d_k)");
    }
    return true;
}

// --- whole layers: feed-forward with its norm, learned positions, the final norm

static bool has_role(const Reading *reading, const char *role)
{
    return scenario_tensor(reading->scenario, role) != NULL;
}

// Adds a tensor of that shape under a role and name.
static bool add(Reading *reading, const WeightSource *source, const ShapedWish *wish,
                const char *role, Error *err)
{
    Fetched found;
    if (!scenario_fetch_shaped(reading, source, wish, &found, err))
        return false;
    scenario_add(reading->scenario, role, wish->name, found.tensor, found.from);
    return true;
}

// Adds a norm; RMS norm has only a weight.
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

// True if the file has our `name`; false and `failed` without memory.
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

// Adds a layer of it under our names, transposed if the file needs it.
typedef struct Linear {
    const char *weight, *turned, *bias;
    bool expands;
} Linear;

// Gated layers have a bias only in layouts that do.
static bool block_has_bias(Reading *reading, const WeightSource *source, const Linear *linear,
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
    if (turned) // transposed: our name; else the file's
        reading->scenario->tensors[reading->scenario->tensor_count - 1].name = linear.turned;
    if (block_has_bias(reading, source, &linear, &failed, err))
        return add(reading, source, &(ShapedWish){linear.bias, 1, &out, "feed_forward"},
                   linear.bias, err);
    return !failed;
}

// Fetches a matrix with rows of this width, as many as it has.
static bool fetch_rows(Reading *reading, const WeightSource *source, const char *name,
                       ptrdiff_t width, Fetched *found, Error *err)
{
    char text[TENSOR_TEXT_MAX];
    if (!scenario_fetch(reading, source, name, found, err))
        return false;
    const Tensor *tensor = &found->tensor;
    return (tensor->rank == 2 && tensor->shape[1] == width) ||
           yaml_error(found->place, err, TELL(BLOCK_ROWS), name,
                      tensor_shape_text(tensor->rank, tensor->shape, text), width);
}

// A vector per distance, of a head's width.
static bool fetch_relative_key(Reading *reading, const WeightSource *source, Error *err)
{
    Scenario *scenario = reading->scenario;
    Fetched found;
    if (!scenario->options.relative_key)
        return true;
    if (!fetch_rows(reading, source, distance_name, scenario->size[SYMBOL_D_K], &found, err))
        return false;
    scenario->size[SYMBOL_DISTANCES] = found.tensor.shape[0];
    scenario_add(scenario, distance_name, distance_name, found.tensor, found.from);
    return true;
}

// An appended key and value, of the width of all heads.
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

static bool scenario_block_fetch(Reading *reading, const WeightSource *source, Error *err)
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

// Our names of the weights of feed-forward and learned positions, besides attention's and its norm's; returns the count, at
// most 11.
static int scenario_block_names(const Reading *reading, const char *names[])
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
    if (options->feed_forward > 0 && !reading->layers[LAYER_OUT].used)
        return yaml_key_error(given, err, TELL(BLOCK_OUT));
    bool has_sum = options->residual && !options->post_norm; // where parallel parts meet
    return !options->parallel || options->feed_forward == 0 || has_sum ||
           yaml_key_error(yaml_get(model, "parallel"), err, TELL(BLOCK_PARALLEL));
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

// With two texts: the vector of each token's text.
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

// Without a second text: the first text's vector.
static bool add_type(Reading *reading, const WeightSource *source, Error *err)
{
    Fetched found;
    if (!fetch_rows(reading, source, "token_type.weight", reading->scenario->size[SYMBOL_DIN],
                    &found, err))
        return false;
    if (has_pair(reading))
        return add_types(reading, &found, err);
    scenario_add(reading->scenario, "token_type", "token_type", tensor_select(&found.tensor, 0, 0),
                 found.from);
    return true;
}

// In T5 the first layer has it for all.
static bool fetch_relative_bias(Reading *reading, const WeightSource *source, Error *err)
{
    const ptrdiff_t shape[] = {reading->scenario->options.relative_buckets,
                               reading->scenario->options.heads};
    return shape[0] == 0 ||
           add(reading, source, &(ShapedWish){relative_name, 2, shape, "relative_buckets"},
               relative_name, err);
}

static bool scenario_embedding_fetch(Reading *reading, const WeightSource *source, Error *err)
{
    static const char *const norm[] = {"embedding_norm.weight", "embedding_norm.bias"};
    Scenario *scenario = reading->scenario;
    Fetched found;
    if (!fetch_relative_bias(reading, source, err))
        return false;
    if (!scenario->options.learned_position)
        return true;
    if (!fetch_rows(reading, source, "position.weight", scenario->size[SYMBOL_DIN], &found, err))
        return false;
    scenario->size[SYMBOL_P] = found.tensor.shape[0];
    scenario_add(scenario, "position.weight", "position.weight", found.tensor, found.from);
    const WeightBlock *block =
        source->layer.layout ? weight_block_find(source->layer.layout) : NULL;
    return (!block || !*block->ends[BLOCK_TYPES] || add_type(reading, source, err)) &&
           (!block || !*block->ends[BLOCK_EMBEDDING_NORM] ||
            add_norm(reading, source, norm, norm, err));
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
                               &(ShapedWish){layer_per_head_names[number], 3, shape, why}, &found,
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

// Adds a language model's readout: its own matrix, or the embedding (tied weights). Returns false if there is neither, or
// the shape is wrong.
static bool take_head(Reading *reading, const WeightSource *source, const ptrdiff_t shape[3])
{
    static const char own[] = "lm_head.weight";
    Layer *layer = &reading->layers[LAYER_READOUT];
    const Layer *embedding = &reading->layers[LAYER_EMBEDDING];
    Error ignored;
    ptrdiff_t sides[TENSOR_RANK_MAX];
    int rank = 0;
    Arena *arena = &reading->scenario->arena;
    if (!source->file || shape[0] != 1 ||
        tensor_file_shape(source->file, layer_weight_names[LAYER_READOUT], arena, &rank, sides,
                          &ignored))
        return false;
    Tensor head = embedding->weight;
    layer->from = embedding->from;
    if (tensor_file_shape(source->file, own, arena, &rank, sides, &ignored) &&
        tensor_file_read(source->file, own, arena, &head, &ignored))
        layer->from = own;
    if (!head.storage.bytes || head.dtype != DTYPE_F32 || head.rank != 2 ||
        head.shape[0] != shape[1] || head.shape[1] != shape[2])
        return false;
    layer->weight = tensor_unsqueeze(&head, 0);
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
    if (is_readout && take_head(reading, source, shape))
        return true;
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
