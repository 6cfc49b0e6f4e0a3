// Reading a scenario: fields, sections, names, roles and tensors; see scenario_internal.h.
#include "scenario_internal.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios_words.def"
#include "shown_name.h"
#include "stage.h"
#include "trace.h"
#include "utf8.h"

// --- fields

bool field_size(const YamlNode *map, const char *key, ptrdiff_t *size, Error *err)
{
    const YamlNode *node = yaml_get(map, key);
    int64_t number;
    if (!node)
        return true;
    if (!yaml_integer(node, 1, FIELD_SIZE_MAX, &number, err))
        return false;
    *size = (ptrdiff_t)number;
    return true;
}

bool field_flag(const YamlNode *map, const char *key, bool *flag, Error *err)
{
    const YamlNode *node = yaml_get(map, key);
    return !node || yaml_boolean(node, flag, err);
}

bool field_shape(const YamlNode *node, int *rank, ptrdiff_t shape[], Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (node->kind != YAML_LIST)
        return yaml_error(node, err, TELL(FIELD_LENGTHS), field_text(node, text));
    if (*rank > 0 && node->count != (size_t)*rank)
        return yaml_error(node, err, TELL(FIELD_LENGTH_COUNT), *rank, node->count);
    if (node->count == 0 || node->count > TENSOR_RANK_MAX)
        return yaml_error(node, err, TELL(FIELD_LENGTHS_MOST), TENSOR_RANK_MAX, node->count);
    *rank = 0;
    for (const YamlNode *item = node->first; item; item = item->next) {
        int64_t number;
        if (!yaml_integer(item, 1, FIELD_SIZE_MAX, &number, err))
            return false;
        shape[(*rank)++] = (ptrdiff_t)number;
    }
    return true;
}

bool field_seed(const YamlNode *node, uint64_t *seed, Error *err)
{
    char found[FIELD_TEXT_MAX];
    Error ignored;
    int64_t small;
    if (yaml_integer(node, INT64_MIN, INT64_MAX, &small, &ignored)) {
        *seed = (uint64_t)small;
        return true;
    }
    const char *text = node->kind == YAML_SCALAR && !node->quoted ? node->text : "";
    bool is_whole = *text && text[strspn(text, "0123456789")] == '\0';
    errno = 0;
    *seed = is_whole ? strtoull(text, NULL, 10) : 0;
    return (is_whole && errno == 0) ||
           yaml_error(node, err, TELL(FIELD_SEED), field_text(node, found));
}

bool field_word(const YamlNode *node, const char *const allowed[], const char *also, int *which,
                Error *err)
{
    const char *word = node->kind == YAML_SCALAR ? node->text : "";
    for (*which = 0; allowed[*which]; ++*which)
        if (strcmp(word, allowed[*which]) == 0)
            return true;

    char words[256] = "", text[FIELD_TEXT_MAX];
    size_t used = 0;
    for (int i = 0; allowed[i] && used < sizeof words; i++)
        used +=
            (size_t)snprintf(words + used, sizeof words - used, "%s%s", i ? ", " : "", allowed[i]);
    const char *near = *word ? nearest_word(word, allowed) : NULL;
    return yaml_error(node, err, TELL(FIELD_ONE_OF), words, also ? TELL(FIELD_OR) : "",
                      also ? also : "", field_text(node, text), near ? TELL(FIELD_MEANT) : "",
                      near ? near : "", near ? TELL(MEANT_CLOSE) : "");
}

const char *field_text(const YamlNode *node, char text[FIELD_TEXT_MAX])
{
    char cut[FIELD_TEXT_MAX - 2];
    if (node->kind != YAML_SCALAR)
        return node->kind == YAML_LIST ? TELL(FIELD_LIST) : TELL(FIELD_MAP);
    if (*node->text == '\0')
        return "nothing";
    utf8_cut(node->text, 40, cut, sizeof cut);
    snprintf(text, FIELD_TEXT_MAX, "'%s'", cut);
    return text;
}

// --- sections, and the names of inputs and layers

const char *const input_names[INPUT_COUNT] = {
    [INPUT_X] = "x", [INPUT_X_QUERY] = "x_query", [INPUT_Q] = "q", [INPUT_K] = "k", [INPUT_V] = "v",
};

const char *const input_keys[INPUT_COUNT] = {
    [INPUT_X] = "vectors", [INPUT_X_QUERY] = "query_vectors", [INPUT_Q] = "q", [INPUT_K] = "k",
    [INPUT_V] = "v",
};

const char *const layer_names[LAYER_COUNT] = {
    [LAYER_EMBEDDING] = "embedding",
    [LAYER_Q] = "q_proj",
    [LAYER_K] = "k_proj",
    [LAYER_V] = "v_proj",
    [LAYER_OUT] = "out_proj",
    [LAYER_READOUT] = "readout",
};

const char *const layer_weight_names[LAYER_COUNT] = {
    [LAYER_EMBEDDING] = "embedding.weight",
    [LAYER_Q] = "q_proj.weight",
    [LAYER_K] = "k_proj.weight",
    [LAYER_V] = "v_proj.weight",
    [LAYER_OUT] = "out_proj.weight",
    [LAYER_READOUT] = "readout.weight",
};
const char *const layer_bias_names[LAYER_COUNT] = {
    [LAYER_Q] = "q_proj.bias",
    [LAYER_K] = "k_proj.bias",
    [LAYER_V] = "v_proj.bias",
    [LAYER_OUT] = "out_proj.bias",
};
const char *const layer_per_head_names[LAYER_COUNT] = {
    [LAYER_Q] = "q_proj.per_head",
    [LAYER_K] = "k_proj.per_head",
    [LAYER_V] = "v_proj.per_head",
};

const YamlNode *scenario_section(const Reading *reading, const char *key)
{
    const YamlNode *section = yaml_get(reading->root, key);
    return section ? section : &reading->nothing;
}

const char *scenario_layer_text(const Reading *reading, LayerNumber number, char text[80])
{
    const Layer *layer = &reading->layers[number];
    const char *ending = number == LAYER_EMBEDDING || layer->has_bias ? "" : ", bias=False";
    snprintf(text, 80, "nn.%s(%td, %td%s)", number == LAYER_EMBEDDING ? "Embedding" : "Linear",
             layer->in, layer->out, ending);
    return text;
}

int scenario_weight_shape(const Reading *reading, LayerNumber number, ptrdiff_t shape[3])
{
    const Layer *layer = &reading->layers[number];
    const ptrdiff_t *size = reading->scenario->size;
    if (number == LAYER_READOUT) {
        shape[0] = size[SYMBOL_Q];
        shape[1] = size[SYMBOL_V];
        shape[2] = size[SYMBOL_DOUT];
        return 3;
    }
    shape[0] = number == LAYER_EMBEDDING ? layer->in : layer->out;
    shape[1] = number == LAYER_EMBEDDING ? layer->out : layer->in;
    return 2;
}

bool scenario_is_per_head(const Reading *reading, LayerNumber number)
{
    return reading->per_head && layer_per_head_names[number];
}

// --- stage options (options.def)

enum { KEYS_MAX = 64 };

static bool belongs(const StageOption *option, const char *section)
{
    return option->section && strcmp(option->section, section) == 0;
}

// Rejects a key of another section, naming that section.
static bool is_elsewhere(const YamlNode *child, const char *const keys[], Error *err)
{
    const StageOption *option;
    const char *section = strcmp(child->key, "layers") == 0 ? "weights" : NULL;
    for (int i = 0; (option = stage_option_get(i)) != NULL && !section; i++)
        section = option->section && strcmp(option->name, child->key) == 0 ? option->section : NULL;
    for (int i = 0; section && keys[i]; i++)
        section = strcmp(child->key, keys[i]) == 0 ? NULL : section;
    if (section)
        yaml_key_error(child, err, TELL(KEY_ELSEWHERE), child->key, section, section, child->key);
    return section;
}

bool scenario_section_only(const YamlNode *map, const char *section, const char *const own[],
                           Error *err)
{
    const char *keys[KEYS_MAX + 1] = {NULL};
    const StageOption *option;
    int count = 0;
    for (; own[count]; count++)
        keys[count] = own[count];
    for (int i = 0; (option = stage_option_get(i)) != NULL && count < KEYS_MAX; i++)
        if (belongs(option, section))
            keys[count++] = option->name;
    for (YamlNode *child = map->kind == YAML_MAP ? map->first : NULL; child; child = child->next)
        if (is_elsewhere(child, keys, err))
            return false;
    return yaml_only(map, keys, err);
}

static bool read_value(const StageOption *option, const YamlNode *node, double *value, Error *err)
{
    int64_t whole = 0;
    bool flag = false;
    switch (option->kind) {
    case OPTION_KIND_FLAG:
        if (!yaml_boolean(node, &flag, err))
            return false;
        *value = flag;
        return true;
    case OPTION_KIND_SIZE:
        if (!yaml_integer(node, (int64_t)option->least, (int64_t)option->most, &whole, err))
            return false;
        *value = (double)whole;
        return true;
    default:
        return yaml_number(node, value, err) &&
               ((*value >= option->least && *value <= option->most) ||
                yaml_error(node, err, TELL(OPTION_RANGE), option->name, option->least, option->most,
                           node->text));
    }
}

bool scenario_options_read(Reading *reading, const char *section, Error *err)
{
    const YamlNode *map = scenario_section(reading, section);
    const StageOption *option;
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        if (!belongs(option, section))
            continue;
        const YamlNode *node = yaml_get(map, option->name);
        double value = option->usual;
        if (node && !read_value(option, node, &value, err))
            return false;
        stage_option_set(option, &reading->scenario->options, value);
    }
    return true;
}

// The same for options without a row in options.def. If `mask: none` or out_proj switches off what they need, they are
// kept for when it is switched on.
static bool check_own(const Reading *reading, Error *err)
{
    const Scenario *scenario = reading->scenario;
    const YamlNode *attention = scenario_section(reading, "attention");
    const YamlNode *model = scenario_section(reading, "model"), *out = yaml_get(model, "out_proj");
    bool may_mask = scenario->masked || yaml_get(attention, "mask");
    bool may_be_causal = scenario->options.causal || yaml_get(attention, "mask");
    bool of_file = yaml_get(scenario_section(reading, "weights"), "layout");
    bool makes_q = !reading->inputs[INPUT_Q].node && !of_file;
    const struct {
        const YamlNode *node;
        bool is_read;
    } rows[] = {
        {yaml_get(attention, "mask_value"), may_mask},
        {scenario->mask_before_scale ? yaml_get(attention, "mask_before_scale") : NULL, may_mask},
        {yaml_get(attention, "context_length"), may_be_causal},
        {yaml_get(model, "qkv_bias"), makes_q},
        {yaml_get(model, "out_bias"),
         !of_file && (reading->layers[LAYER_OUT].used || (out && yaml_is_given(out)))},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].node && !rows[i].is_read)
            return yaml_key_error(rows[i].node, err, TELL(OPTION_UNREAD), rows[i].node->key);
    return true;
}

bool scenario_check_uses(const Reading *reading, Error *err)
{
    const StageOptions *options = &reading->scenario->options;
    const StageOption *option;
    TraceUses uses;
    if (reading->scenario->request.shape_only) // without some weights and the stages that read them
        return true;
    if (!trace_uses(reading->scenario, &uses, err))
        return yaml_place(reading->root, err);
    uses.options |= OPTION(cached); // scenario_cache says what is missing
    for (int i = 0; (option = stage_option_get(i)) != NULL; i++) {
        const YamlNode *node =
            option->section ? yaml_get(scenario_section(reading, option->section), option->name)
                            : NULL;
        if (!node || (uses.options & OPTION_AT(i)))
            continue;
        StageOptions usual = *options;
        stage_option_set(option, &usual, option->usual);
        if (stage_option_differs(option, options, &usual))
            return yaml_key_error(node, err, TELL(OPTION_UNREAD), option->name);
    }
    bool is_told = !uses.unread || options->cached > 0; // scenario_cache does
    return check_own(reading, err) &&
           (is_told || yaml_error(reading->root, err, TELL(TENSOR_UNREAD), uses.unread));
}

// --- roles

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

// Adds a tensor that may be drawn later.
static void add_drawn(Scenario *scenario, ScenarioTensor added)
{
    scenario_add(scenario, added.role, added.name, added.tensor, added.from);
    scenario->tensors[scenario->tensor_count - 1].draw = added.draw;
}

// Adds a layer's tensors under the roles of the call that uses it.
static void add_layer(Reading *reading, LayerNumber number, LayerNumber call)
{
    Layer *layer = &reading->layers[number];
    Scenario *scenario = reading->scenario;
    if (scenario_is_per_head(reading, number) && !layer->per_head.storage.bytes)
        layer->per_head = per_head_view(reading, layer);
    bool has_per_head = layer->per_head.storage.bytes != NULL;
    if (layer->weight.storage.bytes) // the whole matrix is only shown next to the heads'
        add_drawn(scenario, (ScenarioTensor){has_per_head ? "" : layer_weight_names[call],
                                             layer_weight_names[number], layer->weight, layer->from,
                                             layer->weight_draw, reading->block});
    if (has_per_head)
        add_drawn(scenario, (ScenarioTensor){layer_per_head_names[call],
                                             layer_per_head_names[number], layer->per_head,
                                             layer->from, layer->weight_draw, reading->block});
    if (layer->bias.storage.bytes)
        add_drawn(scenario,
                  (ScenarioTensor){layer_bias_names[call], layer_bias_names[number], layer->bias,
                                   layer->bias_from, layer->bias_draw, reading->block});
}

void scenario_attention_add(Reading *reading)
{
    for (int i = 0; i < 3 && !reading->inputs[INPUT_Q].node; i++)
        add_layer(reading, reading->projection[i], LAYER_Q + (LayerNumber)i);
    if (reading->layers[LAYER_OUT].used)
        add_layer(reading, LAYER_OUT, LAYER_OUT);
}

void scenario_tensors_add(Reading *reading)
{
    for (InputNumber i = 0; i < INPUT_COUNT; i++)
        if (reading->inputs[i].node)
            add_drawn(reading->scenario,
                      (ScenarioTensor){input_names[i], input_names[i], reading->inputs[i].tensor,
                                       reading->inputs[i].from, reading->inputs[i].draw, 0});
    if (reading->layers[LAYER_EMBEDDING].used)
        add_layer(reading, LAYER_EMBEDDING, LAYER_EMBEDDING);
    scenario_attention_add(reading);
    if (reading->layers[LAYER_READOUT].used)
        add_layer(reading, LAYER_READOUT, LAYER_READOUT);
}

// --- tensors: from nested lists, a file or the generator

const char *scenario_written_in(Reading *reading, const YamlNode *node, Error *err)
{
    if (strncmp(node->file, "--", 2) == 0)
        return arena_format(&reading->scenario->arena, err, TELL(FROM_OPTION), node->file);
    return arena_format(&reading->scenario->arena, err, TELL(FROM_LINE), path_name(node->file),
                        node->line);
}

const char *scenario_file_path(Reading *reading, const YamlNode *node, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (node->kind != YAML_SCALAR || *node->text == '\0') {
        yaml_error(node, err, TELL(TENSOR_FILE_NAME), field_text(node, text));
        return NULL;
    }
    bool is_given = yaml_is_given(node); // not in the scenario's own file
    if (reading->scenario->request.no_files && is_given) {
        error_set(err, "%s", reading->scenario->request.no_files);
        return NULL;
    }
    int folder = node->text[0] == '/' ? 0 : (int)(path_name(node->file) - node->file);
    return arena_format(reading->scratch, err, "%.*s%s", folder, node->file, node->text);
}

TensorFile *scenario_tensor_file(Reading *reading, const YamlNode *node, Error *err)
{
    const char *path = scenario_file_path(reading, node, err);
    TensorFile *file = path ? tensor_file_open(path, reading->scratch, err) : NULL;
    if (path && !file)
        yaml_place(node, err);
    return file;
}

bool scenario_tensor_fits(const Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Error *err)
{
    char text[TENSOR_TEXT_MAX];
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t taken = reading->scenario->arena.bytes + reading->scratch->bytes, bytes;
    ptrdiff_t count;
    tensor_shape_text(plan->rank, plan->shape, text);
    if (!tensor_count_of(plan->rank, plan->shape, &count) ||
        __builtin_mul_overflow((size_t)count, dtype_size(plan->dtype), &bytes))
        return yaml_error(node, err, TELL(TENSOR_TOO_LARGE), plan->name, text);
    if (bytes > machine || taken > machine - bytes)
        return yaml_error(node, err, TELL(TENSOR_TAKES), plan->name, text, bytes, taken, machine);
    return true;
}

bool scenario_tensor_take(Reading *reading, const YamlNode *node, const TensorPlan *plan,
                          Tensor *out, Error *err)
{
    return scenario_tensor_fits(reading, node, plan, err) &&
           tensor_take(&reading->scenario->arena, plan->dtype, plan->rank, plan->shape, out, err);
}

// --- nested lists

// The lengths, from the first item of every list.
static bool literal_shape(const YamlNode *node, const TensorRule *rule, int *rank,
                          ptrdiff_t shape[], Error *err)
{
    const YamlNode *inner = node;
    for (*rank = 0; inner->kind == YAML_LIST; inner = inner->first) {
        if (inner->count == 0)
            return yaml_error(inner, err, TELL(LIST_EMPTY), rule->name);
        if (*rank == TENSOR_RANK_MAX)
            return yaml_error(inner, err, TELL(LIST_AXES), rule->name, TENSOR_RANK_MAX);
        shape[(*rank)++] = (ptrdiff_t)inner->count;
    }
    return true;
}

static bool literal_number(const YamlNode *node, float *out, Error *err)
{
    double number;
    if (!yaml_number(node, &number, err))
        return false;
    if (isfinite(number) && fabs(number) > FLT_MAX)
        return yaml_error(node, err, TELL(LIST_BEYOND), node->text);
    *out = (float)number;
    return true;
}

static bool literal_fill(const YamlNode *node, int axis, const TensorRule *rule, Tensor *out,
                         ptrdiff_t *place, Error *err)
{
    if (axis == out->rank) {
        if (node->kind != YAML_SCALAR)
            return yaml_error(node, err, TELL(LIST_AMONG_VALUES), rule->name);
        bool flag = false;
        if (out->dtype == DTYPE_F32)
            return literal_number(node, &out->storage.f32[(*place)++], err);
        if (!yaml_boolean(node, &flag, err))
            return false;
        out->storage.boolean[(*place)++] = flag;
        return true;
    }
    if (node->kind != YAML_LIST)
        return yaml_error(node, err, TELL(VALUE_AMONG_LISTS), rule->name);
    if (node->count != (size_t)out->shape[axis])
        return yaml_error(node, err, TELL(LIST_RAGGED), rule->name, node->count, out->shape[axis]);
    for (const YamlNode *child = node->first; child; child = child->next)
        if (!literal_fill(child, axis + 1, rule, out, place, err))
            return false;
    return true;
}

static bool check_rank(const YamlNode *node, const TensorRule *rule, int rank,
                       const ptrdiff_t shape[], Error *err)
{
    char text[TENSOR_TEXT_MAX];
    if (rule->rank == 0 || rank == rule->rank)
        return true;
    return yaml_error(node, err, TELL(TENSOR_RANK), rule->name,
                      tensor_shape_text(rank, shape, text), rule->rank, rule->axes);
}

// True if nested lists contain anything besides 0 and 1, which may be flags.
static bool holds_numbers(const YamlNode *node)
{
    bool flag;
    Error unused;
    for (const YamlNode *child = node->kind == YAML_LIST ? node->first : NULL; child;
         child = child->next)
        if (holds_numbers(child))
            return true;
    return node->kind == YAML_SCALAR && !yaml_boolean(node, &flag, &unused) &&
           strcmp(node->text, "0") != 0 && strcmp(node->text, "1") != 0;
}

static bool read_literal(Reading *reading, const YamlNode *node, const TensorRule *rule,
                         Tensor *out, const char **from, Error *err)
{
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX], place = 0;
    Dtype dtype = rule->or_numbers && holds_numbers(node) ? DTYPE_F32 : rule->dtype;
    *from = scenario_written_in(reading, node, err);
    return *from && literal_shape(node, rule, &rank, shape, err) &&
           check_rank(node, rule, rank, shape, err) &&
           scenario_tensor_take(reading, node, &(TensorPlan){rule->name, dtype, rank, shape}, out,
                                err) &&
           literal_fill(node, 0, rule, out, &place, err);
}

// --- files

const char *scenario_file_from(Reading *reading, const TensorFile *file, const char *path,
                               const char *name, Error *err)
{
    const char *became = tensor_file_conversion(file);
    return arena_format(&reading->scenario->arena, err, "%s%s%s%s%s%s", path, *name ? ", " : "",
                        name, became ? " (" : "", became ? became : "", became ? ")" : "");
}

// The tensor's name; "" for .npy, which has one unnamed tensor.
static bool read_name(const YamlNode *node, const TensorFile *file, const char **name, Error *err)
{
    const YamlNode *name_node = yaml_get(node, "name");
    bool is_nameless = tensor_file_count(file) == 1 && *tensor_file_name(file, 0) == '\0';
    char text[FIELD_TEXT_MAX];
    *name = "";
    if (!name_node)
        return is_nameless || yaml_error(node, err, TELL(TENSOR_NAMELESS));
    if (name_node->kind != YAML_SCALAR)
        return yaml_error(name_node, err, TELL(TENSOR_NAME), field_text(name_node, text));
    *name = name_node->text;
    return true;
}

static bool read_from_file(Reading *reading, const YamlNode *node, const TensorRule *rule,
                           Tensor *out, const char **from, Error *err)
{
    const YamlNode *file_node = yaml_get(node, "file");
    const char *name;
    Arena *arena = &reading->scenario->arena;
    TensorFile *file = scenario_tensor_file(reading, file_node, err);
    if (!file)
        return false;
    bool is_read = read_name(node, file, &name, err);
    if (is_read && !tensor_file_read(file, name, arena, out, err))
        is_read = yaml_place(node, err);
    *from = is_read ? scenario_file_from(reading, file, file_node->text, name, err) : NULL;
    tensor_file_close(file);
    if (!*from)
        return false;
    if (out->dtype != rule->dtype && !(rule->or_numbers && out->dtype == DTYPE_F32))
        return yaml_error(node, err, TELL(TENSOR_DTYPE), rule->name, dtype_name(out->dtype),
                          file_node->text, dtype_name(rule->dtype));
    if (tensor_count(out) == 0)
        return yaml_error(node, err, TELL(TENSOR_NO_NUMBERS), rule->name, file_node->text);
    return check_rank(node, rule, out->rank, out->shape, err);
}

// --- draws

static bool read_drawn(Reading *reading, const YamlNode *node, const TensorRule *rule, Tensor *out,
                       Error *err)
{
    int rank = 0;
    ptrdiff_t shape[TENSOR_RANK_MAX];
    const YamlNode *list = yaml_get(node, "randn");
    if (!rule->may_be_drawn)
        return yaml_key_error(list, err, TELL(TENSOR_NOT_DRAWN), rule->name);
    if (!field_shape(list, &rank, shape, err) || !check_rank(list, rule, rank, shape, err) ||
        !scenario_tensor_fits(reading, list, &(TensorPlan){rule->name, DTYPE_F32, rank, shape},
                              err))
        return false;
    *out = tensor_over(NULL, DTYPE_F32, rank, shape);
    return true;
}

bool scenario_tensor_read(Reading *reading, const YamlNode *node, const TensorRule *rule,
                          Tensor *out, const char **from, Error *err)
{
    static const char *const file_keys[] = {"file", "name", NULL};
    static const char *const drawn_keys[] = {"randn", NULL};
    static const char *const all_keys[] = {"file", "name", "randn", NULL};
    char text[FIELD_TEXT_MAX];
    if (node->kind == YAML_LIST)
        return read_literal(reading, node, rule, out, from, err);
    if (node->kind == YAML_SCALAR)
        return yaml_error(node, err, TELL(TENSOR_FORM), rule->name, rule->axes,
                          field_text(node, text));
    if (yaml_get(node, "file"))
        return yaml_only(node, file_keys, err) &&
               read_from_file(reading, node, rule, out, from, err);
    if (yaml_get(node, "randn"))
        return yaml_only(node, drawn_keys, err) && read_drawn(reading, node, rule, out, err);
    return yaml_only(node, all_keys, err) &&
           yaml_error(node, err, TELL(TENSOR_NO_FILE), rule->name);
}
