// What config.json and a weights file say about the model; see scenario_internal.h.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenario_internal.h"
#include "scenarios_words.def"
#include "utf8.h"

// --- unsupported features

enum { ONE_BYTES = 200, ALL_BYTES = 700, USED_MAX = 15 + 2 * BLOCK_PARTS };

// Appends to facts->odd.
static bool scenario_facts_odd(Facts *facts, Arena *arena, Error *err, const char *format, ...)
{
    char one[ONE_BYTES];
    va_list values;
    va_start(values, format);
    vsnprintf(one, sizeof one, format, values);
    va_end(values);
    if (strlen(facts->odd) > ALL_BYTES)
        return true; // long enough already
    facts->odd = arena_format(arena, err, "%s%s%s", facts->odd, *facts->odd ? "; " : "", one);
    return facts->odd != NULL;
}

// --- fields

static bool find_fields(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    const char *name;
    const JsonValue *value;
    for (int i = 0; (value = json_value_at(facts->config, i, &name)) != NULL; i++) {
        const char *shown = json_value_shown(value, arena, err);
        if (!shown)
            return false;
        if ((weight_field_changes(facts->model, name, shown, query->whole) ||
             weight_field_misfits(facts->model, name, value, query->whole)) &&
            !scenario_facts_odd(facts, arena, err, "%s: %s", name, shown))
            return false;
    }
    return true;
}

// --- tensors

typedef struct Used {
    const char *names[USED_MAX];
    int count;
} Used;

// Endings of supported tensors, and of the known parts of whole layers.
static bool find_used(const FactsQuery *query, const Facts *facts, Used *used, Arena *arena,
                      Error *err)
{
    const WeightLayer *layer = query->layer;
    const char *const extras[] = {facts->relative ? "relative_key.weight" : "",
                                  facts->qk_norm ? "q_norm.weight" : "",
                                  facts->qk_norm ? "k_norm.weight" : "",
                                  "bias_k",
                                  "bias_v",
                                  "in_proj.bias"};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        used->names[used->count] = weight_layout_extra(layer, extras[i], arena, err);
        if (!used->names[used->count++])
            return false;
    }
    for (int i = 0; i < 8; i++) {
        used->names[used->count] =
            weight_layout_tensor(query->file, layer, i / 2, i % 2 == 1, arena, err);
        if (!used->names[used->count++])
            return false;
    }
    used->names[used->count] = facts->buckets ? weight_layout_relative(layer, arena, err) : "";
    if (!used->names[used->count++])
        return false;
    if (!weight_block_find(layer->layout))
        return true;
    for (int i = 0; i < 2 * BLOCK_PARTS; i++) {
        used->names[used->count] =
            weight_block_tensor(layer, (WeightBlockPart)(i / 2), i % 2 == 1, arena, err);
        if (!used->names[used->count++])
            return false;
    }
    return true;
}

// The length of the common prefix, up to a dot, of a layer's weights.
static size_t own_length(const WeightLayout *layout)
{
    const char *first = layout->weights[0];
    size_t same = strlen(first), dot = 0;
    for (int i = 1; i < 4; i++) {
        size_t length = 0;
        while (length < same && first[length] == layout->weights[i][length])
            length++;
        same = *layout->weights[i] ? length : same;
    }
    for (size_t i = 0; i < same; i++)
        dot = first[i] == '.' ? i + 1 : dot;
    return dot;
}

// True if a tensor belongs to the computed layer: attention, a norm if there is a residual, the layer's block, and what
// precedes the first layer.
static bool is_of_layer(const FactsQuery *query, const char *name)
{
    const WeightLayer *layer = query->layer;
    size_t prefix = strlen(layer->prefix), own = own_length(layer->layout);
    bool begins = strncmp(name, layer->prefix, prefix) == 0;
    if (begins && strncmp(name + prefix, layer->layout->weights[0], own) == 0)
        // Without a prefix, the file may contain a whole model next to the layer.
        return prefix + own > 0 || weight_tensor_is_odd(name, WEIGHT_TENSOR_BESIDE);
    const WeightBlock *block = weight_block_find(layer->layout);
    size_t around = block ? weight_block_prefix(layer, block, false) : 0;
    size_t before = block ? weight_block_prefix(layer, block, true) : 0;
    bool is_around = around > 0 && strncmp(name, layer->prefix, around) == 0;
    if (query->whole && block && !is_around)
        return strncmp(name, layer->prefix, before) == 0 && strncmp(name + before, "embed", 5) == 0;
    return is_around &&
           (query->whole ||
            (block->rms_norm && weight_tensor_is_odd(name + around, WEIGHT_TENSOR_AROUND)));
}

static bool find_tensors(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    Used used = {.count = 0};
    Tensor tensor;
    if (!find_used(query, facts, &used, arena, err))
        return false;
    for (int i = 0; i < tensor_file_count(query->file); i++) {
        const char *name = tensor_file_name(query->file, i);
        bool is_used = false;
        for (int j = 0; j < used.count; j++)
            is_used |= tensor_file_same_name(used.names[j], name);
        if (!is_of_layer(query, name) || is_used)
            continue;
        bool read = tensor_file_read(query->file, name, arena, &tensor, err);
        if (!read && err->of_machine)
            return false;
        if ((!read || !weight_is_spare(facts->model, name, &tensor)) &&
            !scenario_facts_odd(facts, arena, err, TELL(FACTS_TENSOR), name))
            return false;
    }
    return true;
}

bool scenario_facts_check(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    if (!find_fields(query, facts, arena, err) || !find_tensors(query, facts, arena, err))
        return false;
    const char *as = facts->model->type;
    return query->as || !*facts->odd ||
           error_set(err, TELL(FACTS_ODD), query->path, facts->odd, as, as);
}

// --- facts

enum { HEADS_MAX = 100000 };

// --- the part of config.json, and the model

// The stacks of a composite model: the word in their layers' prefix, their object in config.json, and the field of
// their number of heads.
static const struct {
    const char *word, *part;
    WeightField heads;
} stacks[] = {
    {"decoder", "decoder", FIELD_DECODER_HEADS},
    {"vision", "vision_config", FIELD_ENCODER_HEADS},
    {"visual", "vision_config", FIELD_ENCODER_HEADS},
    {"audio", "audio_config", FIELD_ENCODER_HEADS},
    {"text_model", "text_config", FIELD_ENCODER_HEADS},
    {"language", "text_config", FIELD_ENCODER_HEADS},
    {"encoder", "encoder", FIELD_ENCODER_HEADS},
    {"", "text_config", FIELD_ENCODER_HEADS},
};

// The first stack from `from` on whose word the prefix has. The last one fits every prefix.
static size_t stack_of(const char *prefix, size_t from)
{
    while (!strstr(prefix, stacks[from].word))
        from++;
    return from;
}

static const JsonValue *part_of(const JsonValue *whole, const char *prefix)
{
    const char *name;
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        i = stack_of(prefix, i);
        const JsonValue *part = json_value(whole, stacks[i].part);
        if (json_value_at(part, 0, &name) && *name)
            return part;
    }
    return whole;
}

const char *scenario_model_type(const JsonValue *whole, const char *prefix)
{
    const JsonValue *part = part_of(whole, prefix);
    const char *type = json_string_value(json_value(part, "model_type"));
    type = type ? type : json_string_value(json_value(whole, "model_type"));
    return type && *type ? type : NULL; // transformers writes "" for a configuration of no model
}

// Rejects another known model, by config.json's type or by weight names.
static bool refuse_other(const FactsQuery *query, const char *type, Arena *arena, Error *err)
{
    const WeightModel *model;
    const char *known = "";
    for (int i = 0; known && (model = weight_model_get(i)) != NULL; i++)
        if (weight_layout_alike(weight_layout_find(model->layout), query->layer->layout))
            known = arena_format(arena, err, "%s%s%s", known, *known ? ", " : "", model->type);
    const char *as = query->layer->layout->name;
    const char *sentence = scenario_model_type(query->config, query->layer->prefix)
                               ? TELL(FACTS_OTHER)
                               : TELL(FACTS_OTHER_NAMES);
    return known && error_set(err, sentence, query->path, type, known, as, as);
}

// The number of heads stored next to the weights, in any of the usual places or under this prefix; 0: none.
static long number_beside(const TensorFile *file, const char *beginning)
{
    static const char *const names[] = {"model_args.n_head",
                                        "model_args.n_heads",
                                        "config.n_head",
                                        "config.model.n_head",
                                        "config.model_args.n_head",
                                        "config.n_heads",
                                        "hyper_parameters.n_head",
                                        "hyper_parameters.num_heads",
                                        "hyper_parameters.n_heads",
                                        "hyper_parameters.nhead",
                                        "hparams.n_head",
                                        "args.n_head",
                                        "args.n_heads",
                                        "args.num_heads",
                                        "args.nhead"};
    int64_t number = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(names[i], beginning, strlen(beginning)) == 0 &&
            tensor_file_number(file, names[i], &number) && number > 0 && number <= HEADS_MAX)
            return (long)number;
    return 0;
}

static bool find_model(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    const char *type = scenario_model_type(query->config, query->layer->prefix);
    const char *meant = query->as ? query->as : type;
    const char *other = meant ? NULL : weight_model_other(query->layer);
    if (other)
        return refuse_other(query, other, arena, err);
    facts->model = meant ? weight_model_find(meant) : weight_model_by_names(query->layer);
    facts->is_said = meant != NULL || json_value(query->config, "dim") ||
                     number_beside(query->file, "model_args") > 0;
    if (!facts->model)
        return query->as ? error_set(err, TELL(FACTS_AS), query->as)
                         : refuse_other(query, type, arena, err);
    if (query->as && type && strcmp(type, facts->model->type) != 0 &&
        !scenario_facts_odd(facts, arena, err, "model_type: %s", type))
        return false;
    const WeightLayout *layout = weight_layout_find(facts->model->layout);
    return weight_layout_namesakes(layout, query->layer->layout) ||
           error_set(err, TELL(FACTS_NAMES), query->path, meant, words_tell(layout->about),
                     words_tell(query->layer->layout->about));
}

// --- numbers

static double number_of(const Facts *facts, WeightField field, double usual)
{
    double number = usual;
    json_value_number(weight_field_value(field, facts->config), &number);
    return number;
}

static long whole_of(const Facts *facts, WeightField field, double most)
{
    double number = number_of(facts, field, 0.0);
    return number >= 1.0 && number <= most ? (long)number : 0;
}

// In a model with two stacks, the field of the layer's stack.
static long heads_of(const FactsQuery *query, const Facts *facts)
{
    double number = number_of(facts, stacks[stack_of(query->layer->prefix, 0)].heads, 0.0);
    if (number == 0.0)
        json_value_number(json_value(facts->config, query->layer->layout->heads), &number);
    if (number == 0.0)
        number = number_of(facts, FIELD_HEADS, 0.0);
    if (number == 0.0)
        number = (double)number_beside(query->file, "");
    return number >= 1.0 && number <= HEADS_MAX ? (long)number : 0;
}

// --- rotary positions

// A field of the scaling, or its default.
static double scaling_number(const JsonValue *scaling, const char *name, double usual)
{
    json_value_number(json_value(scaling, name), &usual);
    return usual;
}

// YaRN's factor for cosines and sines. (Source: transformers, modeling_rope_utils.py)
static double yarn_growth(const JsonValue *scaling, double factor)
{
    double of_all = scaling_number(scaling, "mscale_all_dim", 0.0);
    double of_one = scaling_number(scaling, "mscale", 0.0);
    double usual = factor <= 1.0 ? 1.0 : 0.1 * log(factor) + 1.0;
    if (factor > 1.0 && of_one != 0.0 && of_all != 0.0)
        usual = (0.1 * of_one * log(factor) + 1.0) / (0.1 * of_all * log(factor) + 1.0);
    return scaling_number(scaling, "attention_factor", usual);
}

// True if every number of the scaling is one, and the factor is there, which has no default.
static bool has_numbers(const JsonValue *scaling)
{
    static const char *const names[] = {
        "factor",         "low_freq_factor", "high_freq_factor",
        "beta_slow",      "beta_fast",       "original_max_position_embeddings",
        "mscale_all_dim", "mscale",          "attention_factor"};
    double number;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const JsonValue *value = json_value(scaling, names[i]);
        if (value && !json_value_number(value, &number))
            return false;
    }
    return json_value(scaling, "factor");
}

// The scenario lines for a kind of scaling; NULL: unsupported, or no memory.
static const char *scaling_lines(const Facts *facts, const JsonValue *scaling, const char *word,
                                 Arena *arena, Error *err)
{
    double factor = scaling_number(scaling, "factor", 1.0);
    double usual = scaling_number(facts->config, "max_position_embeddings", 0.0);
    double original = scaling_number(scaling, "original_max_position_embeddings", usual);
    double low = scaling_number(scaling, "low_freq_factor", 1.0);
    double high = scaling_number(scaling, "high_freq_factor", 4.0);
    double slow = scaling_number(scaling, "beta_slow", 1.0);
    double fast = scaling_number(scaling, "beta_fast", 32.0);
    double whole = scaling_number(scaling, "truncate", 1.0);
    err->of_machine = false;
    if (factor < 1.0 || !has_numbers(scaling))
        return NULL;
    if (strcmp(word, "linear") == 0)
        return arena_format(arena, err, "  rope_factor: %.9g\n", factor);
    if (strcmp(word, "dynamic") == 0) // LlamaConfig's default
        original = scaling_number(facts->config, "max_position_embeddings", 2048.0);
    if (original < 1.0)
        return NULL;
    if (strcmp(word, "dynamic") == 0)
        return arena_format(arena, err, "  rope_factor: %.9g\n  rope_dynamic: %.0f\n", factor,
                            original);
    bool has_turns = json_value(scaling, "low_freq_factor") && // which have no defaults either
                     json_value(scaling, "high_freq_factor");
    if (strcmp(word, "llama3") == 0 && has_turns && low < high)
        return arena_format(arena, err,
                            "  rope_factor: %.9g\n  rope_original: %.0f\n"
                            "  rope_low: %.9g\n  rope_high: %.9g\n",
                            factor, original, low, high);
    if (strcmp(word, "yarn") == 0 && slow < fast && whole != 0.0)
        return arena_format(arena, err,
                            "  rope_factor: %.9g\n  rope_original: %.0f\n  rope_yarn: %.9g\n"
                            "  rope_low: %.9g\n  rope_high: %.9g\n",
                            factor, original, yarn_growth(scaling, factor), slow, fast);
    return NULL;
}

// The kind of scaling, by its name of today or the earlier one; NULL: none.
static const JsonValue *kind_of(const JsonValue *scaling)
{
    const JsonValue *kind = json_value(scaling, "rope_type");
    return kind ? kind : json_value(scaling, "type");
}

// Scaling for texts longer than in training.
static bool read_scaling(Facts *facts, const JsonValue *scaling, const char *name, Arena *arena,
                         Error *err)
{
    const char *word = json_string_value(kind_of(scaling));
    if (!scaling || (word && strcmp(word, "default") == 0))
        return true;
    const char *lines = word ? scaling_lines(facts, scaling, word, arena, err) : NULL;
    if (lines)
        facts->rope_scaling = lines;
    if (lines || err->of_machine)
        return lines;
    const char *shown = json_value_shown(scaling, arena, err);
    return shown && scenario_facts_odd(facts, arena, err, "%s: %s", name, shown);
}

// BERT and its descendants name their kind of positions: learned vectors before the layers, or something in attention
// without such vectors.
static bool read_type(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    const char *type = json_string_value(weight_field_value(FIELD_POSITION_TYPE, facts->config));
    bool can_turn = weight_model_has(facts->model, "turn_type");
    bool turns = can_turn && type && strcmp(type, "rotary") == 0;
    if (can_turn)
        facts->turns = turns;
    if (!type || !weight_model_has(facts->model, "relative") || strcmp(type, "absolute") == 0)
        return true;
    facts->relative = strcmp(type, "relative_key") == 0         ? 1
                      : strcmp(type, "relative_key_query") == 0 ? 2
                                                                : 0;
    return (!query->whole && (turns || facts->relative)) ||
           scenario_facts_odd(facts, arena, err, "position_embedding_type: \"%s\"", type);
}

// --- differences between layers

// GPT-Neo lists each layer, or groups of layers and how often each comes: [[["global", "local"], 12]].
static const char *word_of_neo(const Facts *facts, long place)
{
    const char *name;
    const JsonValue *list = weight_field_value(FIELD_LOCAL_LAYERS, facts->config), *group;
    const JsonValue *types = weight_field_value(FIELD_LOCAL_TYPES, facts->config);
    if (list || !types)
        return list        ? json_string_value(json_value_at(list, (int)place, &name))
               : place % 2 ? "local"
                           : "global";
    for (int i = 0; (group = json_value_at(types, i, &name)) != NULL; i++) {
        double times = 0.0;
        int count = 0;
        list = json_value_at(group, 0, &name);
        json_value_number(json_value_at(group, 1, &name), &times);
        while (json_value_at(list, count, &name))
            count++;
        if (count > 0 && (double)place < (double)count * times)
            return json_string_value(json_value_at(list, (int)(place % count), &name));
        place -= (long)(count * (times < 1e5 ? times : 1e5));
    }
    return NULL;
}

static bool is_local(const Facts *facts, long place)
{
    const char *word = word_of_neo(facts, place);
    return word && strcmp(word, "local") == 0;
}

// True if the lists of what each layer does have a known word for this one.
static bool has_words(const Facts *facts, long place)
{
    const char *name, *type = "full_attention", *word = "global";
    const JsonValue *types = weight_field_value(FIELD_LAYER_TYPES, facts->config);
    if (weight_model_has(facts->model, "window") && types)
        type = json_string_value(json_value_at(types, (int)place, &name));
    if (weight_model_has(facts->model, "local"))
        word = word_of_neo(facts, place);
    return type && word &&
           (strcmp(type, "full_attention") == 0 || strcmp(type, "sliding_attention") == 0) &&
           (strcmp(word, "global") == 0 || strcmp(word, "local") == 0);
}

static bool check_lists(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    bool is_neo = weight_model_has(facts->model, "local");
    const WeightLayer *last = query->whole ? query->last : query->layer;
    for (const WeightLayer *layer = query->layer; layer <= last; layer++)
        if (layer->layout == query->layer->layout && !has_words(facts, weight_layer_place(layer)))
            return scenario_facts_odd(facts, arena, err, TELL(FACTS_PLACE),
                                      is_neo ? "attention_types" : "layer_types",
                                      weight_layer_place(layer));
    return true;
}

// True if this layer has the model's window: by layer_types, or else all but one in N, or in Qwen2 from a layer on.
static bool is_windowed(const Facts *facts, long place)
{
    static const char *const patterns[] = {"pattern_2", "pattern_4", "pattern_6"};
    const char *name;
    const JsonValue *types = weight_field_value(FIELD_LAYER_TYPES, facts->config);
    const char *type = json_string_value(json_value_at(types, (int)place, &name));
    if (type)
        return strcmp(type, "sliding_attention") == 0;
    for (int i = 0; i < 3; i++)
        if (weight_model_has(facts->model, patterns[i])) {
            double pattern = number_of(facts, FIELD_WINDOW_PATTERN, 2.0 * (i + 1));
            return pattern < 1.0 || (place + 1) % (long)pattern != 0;
        }
    if (!weight_model_has(facts->model, "windows"))
        return true;
    return number_of(facts, FIELD_WINDOW_ON, 0.0) != 0.0 &&
           (double)place >= number_of(facts, FIELD_WINDOW_FROM, 28.0);
}

FactsOfLayer scenario_facts_layer(const Facts *facts, const WeightLayer *layer)
{
    long place = weight_layer_place(layer), window = 0; // 0: none
    double root = sqrt((double)facts->d_k);
    if (weight_model_has(facts->model, "local") && is_local(facts, place))
        window = (long)number_of(facts, FIELD_LOCAL_WINDOW, 256.0);
    else if (!weight_model_has(facts->model, "local") && weight_model_has(facts->model, "window") &&
             is_windowed(facts, place))
        window = whole_of(facts, FIELD_WINDOW, 1e9);
    bool by_layer = weight_model_has(facts->model, "by_layer") &&
                    number_of(facts, FIELD_SCALED_BY_LAYER, 0.0) != 0.0;
    return (FactsOfLayer){
        .window = window,
        .scale = by_layer ? (facts->unscaled ? 1.0 : root) * (double)(place + 1) : facts->scale,
    };
}

// --- rotary positions of a layer

// How many numbers of a head are rotated; 0: all. Must be even.
static bool read_width(const FactsQuery *query, Facts *facts, const JsonValue *part, Error *err)
{
    double share = weight_model_has(facts->model, "half")      ? 0.5
                   : weight_model_has(facts->model, "quarter") ? 0.25
                                                               : 1.0;
    json_value_number(part, &share);
    if (!(share >= 0.0 && share <= 1.0))
        return error_set(err, TELL(FACTS_SHARE), query->path, share);
    facts->rope_width = whole_of(facts, FIELD_ROPE_WIDTH, 65536.0);
    if (weight_model_has(facts->model, "rotary_dim") && facts->rope_width == 0)
        facts->rope_width = 64;
    if (share < 1.0 && query->d_k > 0) {
        facts->rope_width = (long)((double)query->d_k * share);
        facts->turns = facts->rope_width > 0;
        if (facts->rope_width % 2 == 1)
            return error_set(err, TELL(FACTS_HALF_PAIR), query->path, share, facts->rope_width,
                             query->d_k);
    }
    if (facts->rope_width >= query->d_k)
        facts->rope_width = 0;
    return true;
}

// True if this layer rotates queries and keys, in models where some do not.
static bool layer_turns(const Facts *facts, long place)
{
    const char *name;
    double turns = 1.0, interval = number_of(facts, FIELD_NO_ROPE_INTERVAL, 4.0);
    const JsonValue *list = weight_field_value(FIELD_NO_ROPE_LAYERS, facts->config);
    if (weight_model_has(facts->model, "no_turn"))
        return is_windowed(facts, place);
    if (!weight_model_has(facts->model, "some_turn"))
        return true;
    if (!list)
        return interval < 1.0 || (place + 1) % (long)interval != 0;
    json_value_number(json_value_at(list, (int)place, &name), &turns);
    return turns != 0.0;
}

// Layers with a window may have their own base, and no scaling.
typedef struct Rope {
    const JsonValue *parameters, *scaling;
    const JsonValue *odd; // a rope_theta that is not a number, or NULL
    double base;
} Rope;

// Where config.json has no rope_theta: the default of the model's code.
static double usual_base(const Facts *facts)
{
    return weight_model_has(facts->model, "base_1000000")   ? 1e6
           : weight_model_has(facts->model, "base_2000000") ? 2e6
                                                            : 1e4;
}

static Rope rope_of(const Facts *facts, long place)
{
    bool windowed = is_windowed(facts, place);
    bool local = windowed && weight_model_has(facts->model, "local_base");
    const JsonValue *all = weight_field_value(FIELD_ROPE_PARAMETERS, facts->config);
    const JsonValue *own = json_value(all, windowed ? "sliding_attention" : "full_attention");
    const JsonValue *scaling = weight_field_value(FIELD_ROPE_SCALING, facts->config);
    Rope rope = {.parameters = own ? own : all, .scaling = local ? NULL : scaling};
    rope.base = local ? number_of(facts, FIELD_LOCAL_BASE, 10000.0)
                      : number_of(facts, FIELD_ROPE_BASE, usual_base(facts));
    const JsonValue *base = json_value(rope.parameters, "rope_theta");
    if (base && !json_value_number(base, &rope.base))
        rope.odd = base;
    return rope;
}

// Whole layers share their angles.
static bool check_angles(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    long first = weight_layer_place(query->layer);
    Rope angles = rope_of(facts, first);
    for (const WeightLayer *layer = query->layer; query->whole && layer <= query->last; layer++) {
        long place = weight_layer_place(layer);
        Rope own = rope_of(facts, place);
        if (layer_turns(facts, place) != layer_turns(facts, first) || own.base != angles.base ||
            own.parameters != angles.parameters || own.scaling != angles.scaling)
            return scenario_facts_odd(facts, arena, err, TELL(FACTS_ANGLES), place, first);
    }
    return true;
}

static bool read_rope(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    const WeightModel *model = facts->model;
    const JsonValue *part = weight_field_value(FIELD_ROPE_PART, facts->config);
    long place = weight_layer_place(query->layer);
    facts->neighbours = weight_model_has(model, "neighbours");
    facts->turns = facts->neighbours || weight_model_has(model, "rotary");
    if (!read_type(query, facts, arena, err) ||
        (facts->turns && !check_angles(query, facts, arena, err)))
        return false;
    facts->turns = facts->turns && layer_turns(facts, place);
    if (!facts->turns)
        return true;
    Rope rope = rope_of(facts, place);
    facts->rope = rope.base;
    const char *odd = rope.odd ? json_value_shown(rope.odd, arena, err) : "";
    if (!odd || (rope.odd && !scenario_facts_odd(facts, arena, err, "rope_theta: %s", odd)))
        return false;
    if (!(rope.base >= 1.0 && rope.base <= 1e12) &&
        !scenario_facts_odd(facts, arena, err, "rope_theta: %.9g", rope.base))
        return false;
    part = part ? part : json_value(rope.parameters, "partial_rotary_factor");
    return read_width(query, facts, part, err) &&
           read_scaling(facts, rope.scaling, "rope_scaling", arena, err) &&
           read_scaling(facts, kind_of(rope.parameters) ? rope.parameters : NULL, "rope_parameters",
                        arena, err);
}

// --- all facts

// MPT describes attention in an object of its own. Without ALiBi, it has learned positions before the layers.
static bool read_attn_config(Facts *facts, Arena *arena, Error *err)
{
    static const struct {
        const char *name, *neutral;
    } rows[] = {{"alibi_bias_max", "8"},
                {"attn_logit_softcapping", "null"},
                {"attn_type", "\"multihead_attention\""},
                {"attn_uses_sequence_id", "false"},
                {"clip_qkv", "null"},
                {"kv_n_heads", "null"},
                {"prefix_lm", "false"},
                {"qk_gn", "false"},
                {"qk_ln", "false"},
                {"rope", "false"},
                {"sliding_window_size", "-1"},
                {"softmax_scale", "null"}};
    const JsonValue *own = json_value(facts->config, "attn_config");
    double biased = 1.0;
    if (!weight_model_has(facts->model, "attn_config"))
        return true;
    const JsonValue *alibi = json_value(own, "alibi");
    if (alibi && !json_value_number(alibi, &biased) &&
        !scenario_facts_odd(facts, arena, err, "attn_config.alibi"))
        return false;
    facts->biased = biased != 0.0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const JsonValue *value = json_value(own, rows[i].name);
        const char *shown = value ? json_value_shown(value, arena, err) : "null";
        if (!shown)
            return false;
        if (value && strcmp(shown, rows[i].neutral) != 0 &&
            !scenario_facts_odd(facts, arena, err, "attn_config.%s: %s", rows[i].name, shown))
            return false;
    }
    return true;
}

static bool is_causal(const Facts *facts, const WeightLayer *layer)
{
    bool decodes =
        weight_model_has(facts->model, "decoder") && number_of(facts, FIELD_DECODER, 0.0) != 0.0;
    return decodes || facts->model->mask == WEIGHT_MASK_CAUSAL ||
           (facts->model->mask == WEIGHT_MASK_BY_NAME && weight_layout_is_causal(layer));
}

static long first_place(const Facts *facts)
{
    double pad = 1.0;
    if (weight_model_has(facts->model, "places_2"))
        return 2;
    if (!weight_model_has(facts->model, "places_pad"))
        return 0;
    json_value_number(json_value(facts->config, "pad_token_id"), &pad);
    return pad >= 0.0 && pad < 1e6 ? (long)pad + 1 : 0;
}

// A positive number; otherwise sets err, with the field's name.
static bool read_positive(Facts *facts, WeightField field, const char *name, double *number,
                          Arena *arena, Error *err)
{
    const JsonValue *value = weight_field_value(field, facts->config);
    const char *shown = value ? json_value_shown(value, arena, err) : "";
    if (value && !json_value_number(value, number))
        *number = 0.0;
    return shown && (!value || (*number > 0.0 && *number < 1e30) ||
                     scenario_facts_odd(facts, arena, err, "%s: %s", name, shown));
}

// The softcap and scale of Gemma 2 and Granite: null means no cap, missing the default.
static bool read_scores(Facts *facts, Arena *arena, Error *err)
{
    double times = 1.0, under = 256.0;
    const char *name = "";
    bool has_cap = false;
    for (int i = 0; json_value_at(facts->config, i, &name); i++)
        has_cap |= strcmp(name, "attn_logit_softcapping") == 0;
    bool scalar = weight_model_has(facts->model, "scalar");
    bool multiplied = weight_model_has(facts->model, "multiplied");
    facts->softcap = weight_model_has(facts->model, "pattern_2") && !has_cap ? 50.0 : 0.0;
    if ((weight_model_has(facts->model, "softcap") &&
         !read_positive(facts, FIELD_SOFTCAP, "attn_logit_softcapping", &facts->softcap, arena,
                        err)) ||
        (scalar &&
         !read_positive(facts, FIELD_SCALAR, "query_pre_attn_scalar", &under, arena, err)) ||
        (multiplied &&
         !read_positive(facts, FIELD_MULTIPLIED, "attention_multiplier", &times, arena, err)))
        return false;
    facts->scale = scalar && under > 0.0       ? sqrt(under)
                   : multiplied && times > 0.0 ? 1.0 / times
                                               : 0.0;
    return true;
}

// Compares the sizes that config.json gives with those of the weights.
static bool check_sizes(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    long said = whole_of(facts, FIELD_HEAD_DIM, 1e9), keys = whole_of(facts, FIELD_KEY_HEADS, 1e9);
    long have = query->d_k > 0 ? query->keys / query->d_k : 0, width = 0;
    bool is_width = false;
    const char *name;
    const JsonValue *value;
    for (int i = 0; (value = json_value_at(facts->config, i, &name)) != NULL; i++) {
        double number = 0.0;
        if (!weight_field_is(FIELD_WIDTH, name) || !json_value_number(value, &number))
            continue;
        is_width = is_width || (long)number == query->width;
        width = width ? width : (long)number;
    }
    if (said != 0 && said != query->d_k &&
        !scenario_facts_odd(facts, arena, err, TELL(FACTS_HEAD_WIDTH), said, query->d_k))
        return false;
    if (keys > 0 && have > 0 && keys != have &&
        !scenario_facts_odd(facts, arena, err, TELL(FACTS_KEY_HEADS), keys, have))
        return false;
    if (weight_model_has(facts->model, "one_key") && have > 1 &&
        !scenario_facts_odd(facts, arena, err, TELL(FACTS_ONE_KEY), have))
        return false;
    return width == 0 || query->width == 0 || is_width ||
           scenario_facts_odd(facts, arena, err, TELL(FACTS_WIDTH), width, query->width);
}

// The final norm stands behind the last layer: of another number of layers it would follow the wrong one.
static bool check_layers(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    if (!query->whole)
        return true;
    long said = whole_of(facts, FIELD_LAYERS, 1e6), last = weight_layer_place(query->last);
    long have = weight_layer_place(query->end) + 1;
    bool matters = query->last == query->end || last >= said;
    return said == 0 || have <= 0 || said == have || !matters ||
           scenario_facts_odd(facts, arena, err, TELL(FACTS_LAYERS), said, have);
}

// transformers leaves out biases in the file that the model of config.json does not have.
static bool check_bias(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    enum { OUTPUT = 3, LAYERS }; // of the layers of attention
    bool is_switched = weight_model_has(facts->model, "bias_switch");
    const JsonValue *said = json_value(facts->config, "attention_bias");
    double has_bias = 0.0;
    json_value_number(said, &has_bias);
    int first = LAYERS;
    if (is_switched ? has_bias == 0.0 : weight_model_has(facts->model, "bare"))
        first = 0;
    else if (weight_model_has(facts->model, "bare_output"))
        first = OUTPUT;
    const char *name = "";
    for (int i = first; i < LAYERS && !*name; i++) {
        name = weight_layout_tensor(query->file, query->layer, i, true, arena, err);
        if (!name)
            return false;
    }
    return !*name || !scenario_model_type(query->config, query->layer->prefix) ||
           scenario_facts_odd(facts, arena, err,
                              is_switched && said ? TELL(FACTS_BIAS) : TELL(FACTS_NO_BIAS), name);
}

// True if both tensors have the same numbers.
static bool are_equal(const FactsQuery *query, const char *one, const char *other, bool *equal,
                      Arena *arena, Error *err)
{
    Tensor a, b;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    if (!tensor_file_read(query->file, one, arena, &a, err) ||
        !tensor_file_read(query->file, other, arena, &b, err))
        return false;
    *equal = tensor_same_shape(&a, &b) && a.dtype == DTYPE_F32 && b.dtype == DTYPE_F32;
    size_t bytes = (size_t)tensor_count(&a) * sizeof *a.storage.f32;
    if (*equal && tensor_is_contiguous(&a) && tensor_is_contiguous(&b) &&
        memcmp(a.storage.f32 + a.offset, b.storage.f32 + b.offset, bytes) == 0)
        return true; // the usual case, and both may be large
    for (bool more = *equal; more && *equal; more = tensor_next(&a, at))
        *equal = tensor_number(&a, at) == tensor_number(&b, at);
    return true;
}

// The matrix that makes logits: transformers takes the embedding for a tied one, and draws another that is missing.
static bool check_readout(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    const WeightBlock *block = weight_block_find(query->layer->layout);
    if (!query->whole || !query->reads_out || !facts->is_said || !block || !*block->head)
        return true;
    bool equal = true;
    double is_tied = weight_model_has(facts->model, "untied") ? 0.0 : 1.0;
    const JsonValue *said = weight_field_value(FIELD_TIED, facts->config);
    json_value_number(said ? said : weight_field_value(FIELD_TIED, query->config), &is_tied);
    const char *own = weight_block_head(query->file, query->layer, false, arena, err);
    const char *tokens =
        own ? weight_block_tensor(query->layer, BLOCK_TOKENS, false, arena, err) : NULL;
    if (!tokens || (is_tied != 0.0 && *own && !are_equal(query, own, tokens, &equal, arena, err)))
        return false;
    if (is_tied == 0.0 && !*own)
        return scenario_facts_odd(facts, arena, err, TELL(FACTS_UNTIED), block->head);
    return equal || scenario_facts_odd(facts, arena, err, TELL(FACTS_TIED), own, tokens);
}

// The heads come first, because d_k depends on them.
bool scenario_facts_begin(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    *facts = (Facts){.odd = "", .rope_scaling = ""};
    facts->config = part_of(query->config, query->layer->prefix);
    if (!find_model(query, facts, arena, err))
        return false;
    facts->heads = heads_of(query, facts);
    return true;
}

bool scenario_facts_read(const FactsQuery *query, Facts *facts, Arena *arena, Error *err)
{
    const char *act = json_string_value(weight_field_value(FIELD_ACT, facts->config));
    facts->d_k = query->d_k;
    facts->causal = is_causal(facts, query->layer);
    facts->unscaled = weight_model_has(facts->model, "unscaled") ||
                      (weight_model_has(facts->model, "scale_switch") &&
                       number_of(facts, FIELD_SCALED, 1.0) == 0.0);
    facts->biased = weight_model_has(facts->model, "biased");
    facts->qk_norm = weight_model_has(facts->model, "head_norm")  ? 1
                     : weight_model_has(facts->model, "all_norm") ? 2
                                                                  : 0;
    facts->bias_kv = number_of(facts, FIELD_BIAS_KV, 0.0) != 0.0;
    facts->zero_key = number_of(facts, FIELD_ZERO_KEY, 0.0) != 0.0;
    if (weight_model_has(facts->model, "buckets")) {
        facts->buckets = (long)number_of(facts, FIELD_BUCKETS, 32.0);
        facts->distance = (long)number_of(facts, FIELD_BUCKETS_TO, 128.0);
    }
    facts->epsilon =
        number_of(facts, FIELD_EPSILON, weight_model_has(facts->model, "epsilon_5") ? 1e-5 : 0.0);
    facts->first_place = first_place(facts);
    if (!act && weight_model_has(facts->model, "plus_one"))
        act = "gelu_pytorch_tanh";
    facts->act = act ? arena_text(arena, act, err) : NULL;
    if (act && !facts->act)
        return false;
    return check_sizes(query, facts, arena, err) && check_layers(query, facts, arena, err) &&
           check_bias(query, facts, arena, err) && check_readout(query, facts, arena, err) &&
           check_lists(query, facts, arena, err) && read_scores(facts, arena, err) &&
           read_rope(query, facts, arena, err) && read_attn_config(facts, arena, err);
}
