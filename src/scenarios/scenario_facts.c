// scenario_facts: what config.json, or the person, says of the model that a file's layer is of; see
// scenario_internal.h.
#include "scenario_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios_words.h"

enum { HEADS_MAX = 100000 };

// --- which part of config.json, and which model

// A model of several parts has an object for each: that of the words which a layer's name has.
static const JsonValue *part_of(const JsonValue *whole, const char *prefix)
{
    static const struct {
        const char *word, *part;
    } rows[] = {{"vision", "vision_config"}, {"visual", "vision_config"},
                {"audio", "audio_config"},   {"text_model", "text_config"},
                {"language", "text_config"}, {"encoder", "encoder"},
                {"decoder", "decoder"},      {"", "text_config"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const JsonValue *part = json_value(whole, rows[i].part);
        const char *name;
        if (strstr(prefix, rows[i].word) && json_value_at(part, 0, &name) && *name)
            return part;
    }
    return whole;
}

const char *scenario_model_type(const JsonValue *whole, const char *prefix)
{
    const JsonValue *part = part_of(whole, prefix);
    const char *type = json_value_text(json_value(part, "model_type"));
    return type ? type : json_value_text(json_value(whole, "model_type"));
}

static bool tell_other(const FactsWish *wish, const char *type, Arena *arena, Error *err)
{
    const WeightModel *model;
    const char *known = "";
    for (int i = 0; known && (model = weight_model_get(i)) != NULL; i++)
        if (weight_layout_alike(weight_layout_find(model->layout), wish->layer->layout))
            known = arena_format(arena, err, "%s%s%s", known, *known ? ", " : "", model->type);
    const char *as = wish->layer->layout->name;
    return known && error_set(err, TELL(FACTS_OTHER), wish->path, type, known, as, as);
}

// How many heads lie in the file beside the weights, in any of the places where trainers keep them, or in
// that of this beginning; 0: none.
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

static bool find_model(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    const char *type = scenario_model_type(wish->config, wish->layer->prefix);
    const char *meant = wish->as ? wish->as : type;
    facts->model = meant ? weight_model_find(meant) : weight_model_by_names(wish->layer);
    facts->is_said = meant != NULL || json_value(wish->config, "dim") ||
                     number_beside(wish->file, "model_args") > 0;
    if (!facts->model)
        return wish->as ? error_set(err, TELL(FACTS_AS), wish->as)
                        : tell_other(wish, type, arena, err);
    if (wish->as && type && strcmp(type, facts->model->type) != 0 &&
        !scenario_facts_odd(facts, arena, err, "model_type: %s", type))
        return false;
    const WeightLayout *layout = weight_layout_find(facts->model->layout);
    return weight_layout_alike(layout, wish->layer->layout) ||
           error_set(err, TELL(FACTS_NAMES), wish->path, meant, words_tell(layout->about),
                     words_tell(wish->layer->layout->about));
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

// Of a model with two stacks, its own number is that of the layer's stack.
static long heads_of(const FactsWish *wish, const Facts *facts)
{
    const char *own[] = {wish->layer->layout->heads, weight_layout_stack_heads(wish->layer)};
    const WeightField fields[] = {FIELD_HEADS, strstr(wish->layer->prefix, "decoder")
                                                   ? FIELD_DECODER_HEADS
                                                   : FIELD_ENCODER_HEADS};
    double number = 0.0;
    for (size_t i = 0; i < 2 && number == 0.0; i++)
        json_value_number(json_value(facts->config, own[i]), &number);
    for (size_t i = 0; i < 2 && number == 0.0; i++)
        number = number_of(facts, fields[i], 0.0);
    if (number == 0.0)
        number = (double)number_beside(wish->file, "");
    return number >= 1.0 && number <= HEADS_MAX ? (long)number : 0;
}

// --- rotary positions

// Of texts longer than those of the training. What is dynamic changes only such.
static bool read_scaling(Facts *facts, const JsonValue *scaling, const char *name, Arena *arena,
                         Error *err)
{
    const JsonValue *kind = json_value(scaling, "rope_type");
    const char *word = json_value_text(kind ? kind : json_value(scaling, "type"));
    double factor = 1.0, low = 1.0, high = 4.0, original = 0.0;
    if (!scaling || (word && (strcmp(word, "default") == 0 || strcmp(word, "dynamic") == 0)))
        return true;
    json_value_number(json_value(scaling, "factor"), &factor);
    json_value_number(json_value(scaling, "low_freq_factor"), &low);
    json_value_number(json_value(scaling, "high_freq_factor"), &high);
    json_value_number(json_value(scaling, "original_max_position_embeddings"), &original);
    bool is_llama3 = word && strcmp(word, "llama3") == 0 && original >= 1.0 && low < high;
    if (factor >= 1.0 && is_llama3)
        facts->rope_scaling = arena_format(arena, err,
                                           "  rope_factor: %.9g\n  rope_original: %.0f\n"
                                           "  rope_low: %.9g\n  rope_high: %.9g\n",
                                           factor, original, low, high);
    else if (factor >= 1.0 && word && strcmp(word, "linear") == 0)
        facts->rope_scaling = arena_format(arena, err, "  rope_factor: %.9g\n", factor);
    else {
        const char *shown = json_value_shown(scaling, arena, err);
        return shown && scenario_facts_odd(facts, arena, err, "%s: %s", name, shown);
    }
    return facts->rope_scaling != NULL;
}

// BERT and what has become of it say what tells their tokens' places: a vector for each, which is added
// before the layers, or something in attention, in whose layers no such vectors are added.
static bool read_type(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    const char *type = json_value_text(weight_field_value(FIELD_POSITION_TYPE, facts->config));
    bool can_turn = weight_model_has(facts->model, "turn_type");
    bool turns = can_turn && type && strcmp(type, "rotary") == 0;
    if (can_turn)
        facts->turns = turns;
    if (!type || !weight_model_has(facts->model, "relative") || strcmp(type, "absolute") == 0)
        return true;
    facts->relative = strcmp(type, "relative_key") == 0         ? 1
                      : strcmp(type, "relative_key_query") == 0 ? 2
                                                                : 0;
    return (!wish->whole && (turns || facts->relative)) ||
           scenario_facts_odd(facts, arena, err, "position_embedding_type: \"%s\"", type);
}

static bool read_rope(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    const WeightModel *model = facts->model;
    const JsonValue *all = weight_field_value(FIELD_ROPE_PARAMETERS, facts->config);
    const JsonValue *part = weight_field_value(FIELD_ROPE_PART, facts->config);
    double share = 1.0;
    facts->neighbours = weight_model_has(model, "neighbours");
    facts->turns = facts->neighbours || weight_model_has(model, "rotary");
    if (!read_type(wish, facts, arena, err))
        return false;
    if (!facts->turns)
        return true;
    facts->rope = number_of(facts, FIELD_ROPE_BASE, 10000.0);
    json_value_number(json_value(all, "rope_theta"), &facts->rope);
    part = part ? part : json_value(all, "partial_rotary_factor");
    json_value_number(part, &share);
    facts->rope_width = whole_of(facts, FIELD_ROPE_WIDTH, 65536.0);
    if (weight_model_has(model, "rotary_dim") && facts->rope_width == 0)
        facts->rope_width = 64;
    if (share < 1.0)
        facts->rope_width = (long)((double)wish->d_k * share);
    if (facts->rope_width >= wish->d_k)
        facts->rope_width = 0;
    return read_scaling(facts, weight_field_value(FIELD_ROPE_SCALING, facts->config),
                        "rope_scaling", arena, err) &&
           read_scaling(facts, json_value(all, "rope_type") ? all : NULL, "rope_parameters", arena,
                        err) &&
           read_scaling(facts, json_value(all, "full_attention"), "rope_parameters", arena, err);
}

// --- what differs between layers

// The number of a layer in its stack, as its name has it.
static long place_of(const WeightLayer *layer)
{
    const char *at = layer->prefix + strlen(layer->prefix);
    while (at > layer->prefix && !isdigit((unsigned char)at[-1]))
        at--;
    while (at > layer->prefix && isdigit((unsigned char)at[-1]))
        at--;
    long number = strtol(at, NULL, 10);
    return number < 100000 ? number : 100000;
}

// GPT-Neo tells of every layer, or of groups that come again: [[["global", "local"], 12]].
static bool is_local(const Facts *facts, long place)
{
    const char *name;
    const JsonValue *list = weight_field_value(FIELD_LOCAL_LAYERS, facts->config);
    const JsonValue *types = weight_field_value(FIELD_LOCAL_TYPES, facts->config);
    if (!list)
        list = json_value_at(json_value_at(types, 0, &name), 0, &name);
    int count = 0;
    while (json_value_at(list, count, &name))
        count++;
    const char *word =
        count ? json_value_text(json_value_at(list, (int)(place % count), &name)) : NULL;
    return word ? strcmp(word, "local") == 0 : !list && place % 2 == 1;
}

// Where layer_types tells of this layer, that; otherwise Qwen2 has windows from a layer on.
static long window_of(const Facts *facts, long place)
{
    const char *name;
    if (weight_model_has(facts->model, "local"))
        return is_local(facts, place) ? (long)number_of(facts, FIELD_LOCAL_WINDOW, 256.0) : 0;
    long window = weight_model_has(facts->model, "window") ? whole_of(facts, FIELD_WINDOW, 1e9) : 0;
    if (!weight_model_has(facts->model, "windows"))
        return window;
    const JsonValue *types = weight_field_value(FIELD_LAYER_TYPES, facts->config);
    const char *type = json_value_text(json_value_at(types, (int)place, &name));
    if (type)
        return strcmp(type, "sliding_attention") == 0 ? window : 0;
    bool on = number_of(facts, FIELD_WINDOW_ON, 0.0) != 0.0;
    return on && (double)place >= number_of(facts, FIELD_WINDOW_FROM, 28.0) ? window : 0;
}

FactsOfLayer scenario_facts_layer(const Facts *facts, const WeightLayer *layer)
{
    long place = place_of(layer);
    double root = sqrt((double)facts->d_k);
    bool by_layer = weight_model_has(facts->model, "by_layer") &&
                    number_of(facts, FIELD_SCALED_BY_LAYER, 0.0) != 0.0;
    return (FactsOfLayer){
        .window = window_of(facts, place),
        .scale = by_layer ? (facts->unscaled ? 1.0 : root) * (double)(place + 1) : 0.0,
    };
}

// --- all of it

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

// The heads are known before the rest is asked: d_k depends on them.
bool scenario_facts_begin(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    *facts = (Facts){.odd = "", .rope_scaling = ""};
    facts->config = part_of(wish->config, wish->layer->prefix);
    if (!find_model(wish, facts, arena, err))
        return false;
    facts->heads = heads_of(wish, facts);
    return true;
}

bool scenario_facts_read(const FactsWish *wish, Facts *facts, Arena *arena, Error *err)
{
    const char *act = json_value_text(weight_field_value(FIELD_ACT, facts->config));
    facts->d_k = wish->d_k;
    facts->causal = is_causal(facts, wish->layer);
    facts->unscaled = weight_model_has(facts->model, "unscaled") ||
                      (weight_model_has(facts->model, "scale_switch") &&
                       number_of(facts, FIELD_SCALED, 1.0) == 0.0);
    facts->biased = weight_model_has(facts->model, "biased");
    if (weight_model_has(facts->model, "buckets")) {
        facts->buckets = (long)number_of(facts, FIELD_BUCKETS, 32.0);
        facts->distance = (long)number_of(facts, FIELD_BUCKETS_TO, 128.0);
    }
    facts->epsilon = number_of(facts, FIELD_EPSILON, 0.0);
    facts->first_place = first_place(facts);
    if (!act && weight_model_has(facts->model, "plus_one"))
        act = "gelu_pytorch_tanh";
    facts->act = act ? arena_text(arena, act, err) : NULL;
    return (!act || facts->act) && read_rope(wish, facts, arena, err);
}
