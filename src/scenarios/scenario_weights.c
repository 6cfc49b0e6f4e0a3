// The section `weights`; see scenario_internal.h.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "generator.h"
#include "scenario_internal.h"
#include "scenarios_words.def"

// --- missing weights as zeros

static bool take_layer(Reading *reading, LayerNumber number, Error *err)
{
    Layer *layer = &reading->layers[number];
    ptrdiff_t shape[3];
    int rank = scenario_weight_shape(reading, number, shape);
    const TensorPlan weight = {layer_weight_names[number], DTYPE_F32, rank, shape};
    const TensorPlan bias = {layer_bias_names[number], DTYPE_F32, 1, &layer->out};
    layer->from = layer->bias_from = "";
    return scenario_tensor_take(reading, reading->root, &weight, &layer->weight, err) &&
           (!layer->has_bias ||
            scenario_tensor_take(reading, reading->root, &bias, &layer->bias, err));
}

// Zeros for every layer that is used (the first layer's, if there are several).
static bool scenario_shapes_take(Reading *reading, const YamlNode *weights, Error *err)
{
    const YamlNode *layers = yaml_get(weights, "layers");
    int64_t count = 1;
    if (layers && !yaml_integer(layers, 1, SCENARIO_LAYERS_MAX, &count, err))
        return false;
    reading->scenario->layers = (int)count;
    for (LayerNumber number = 0; yaml_get(weights, "layout") && number < LAYER_COUNT; number++)
        reading->layers[number].has_bias = false; // only the file would tell
    for (LayerNumber number = 0; number < LAYER_COUNT; number++)
        if (reading->layers[number].used && !take_layer(reading, number, err))
            return false;
    return true;
}

// --- draws from PyTorch's generator, in the notebook's order

enum { ITEM_COUNT = LAYER_COUNT + INPUT_COUNT, TIMES_MAX = 1000 };

typedef struct Draws {
    Reading *reading;
    Generator generator;
    ScenarioDraw next; // position of the next draw in the stream
    uint64_t seed;
    bool is_negative;                   // the seed was written as negative
    int count;                          // including discarded ones
    const YamlNode *places[ITEM_COUNT]; // where the list names each item, or NULL
} Draws;

static const char *item_name(int item)
{
    return item < LAYER_COUNT ? layer_names[item] : input_names[item - LAYER_COUNT];
}

static bool can_be_drawn(const Reading *reading, int item)
{
    if (item < LAYER_COUNT)
        return reading->layers[item].in > 0 && !reading->weights_given;
    const Input *input = &reading->inputs[item - LAYER_COUNT];
    return input->node && !input->tensor.storage.bytes;
}

// --- the items

static bool item_number(const Draws *draws, const YamlNode *node, int *item, Error *err)
{
    const char *names[ITEM_COUNT + 1] = {NULL};
    int numbers[ITEM_COUNT], count = 0, which;
    for (int i = 0; i < ITEM_COUNT; i++) {
        if (can_be_drawn(draws->reading, i)) {
            numbers[count] = i;
            names[count++] = item_name(i);
        } else if (node->kind == YAML_SCALAR && strcmp(node->text, item_name(i)) == 0) {
            return yaml_error(node, err,
                              i < LAYER_COUNT && draws->reading->weights_given ? TELL(DRAW_IN_FILE)
                              : i == LAYER_EMBEDDING                           ? TELL(DRAW_NO_IDS)
                              : i == LAYER_READOUT ? TELL(DRAW_NO_QUESTIONS)
                              : i < LAYER_COUNT    ? TELL(DRAW_GIVEN)
                                                   : TELL(DRAW_NOT_RANDN),
                              item_name(i));
        }
    }
    if (!field_word(node, names, "skip: {...}", &which, err))
        return false;
    *item = numbers[which];
    return true;
}

// Draws that the notebook made and this scenario does not use.
typedef struct Skip {
    bool is_linear, has_bias;
    ptrdiff_t times;
    int rank;
    ptrdiff_t shape[TENSOR_RANK_MAX];
} Skip;

static bool read_skip(const YamlNode *node, Skip *skip, Error *err)
{
    static const char *const item_keys[] = {"skip", NULL};
    static const char *const keys[] = {"linear", "embedding", "randn", "bias", "times", NULL};
    const YamlNode *map = yaml_get(node, "skip"), *kind = NULL;
    if (!yaml_only(node, item_keys, err))
        return false;
    if (!map)
        return yaml_error(node, err, TELL(DRAW_SKIP_FORM));
    *skip = (Skip){.has_bias = true, .times = 1};
    if (!yaml_only(map, keys, err) || !field_flag(map, "bias", &skip->has_bias, err) ||
        !field_size(map, "times", &skip->times, err))
        return false;
    for (int i = 0; i < 3; i++) {
        const YamlNode *given = yaml_get(map, keys[i]);
        if (given && kind)
            return yaml_key_error(given, err, TELL(DRAW_SKIP_BOTH), kind->key, given->key);
        kind = given ? given : kind;
    }
    if (!kind)
        return yaml_error(map, err, TELL(DRAW_SKIP_WHAT));
    if (skip->times > TIMES_MAX)
        return yaml_error(yaml_get(map, "times"), err, TELL(DRAW_TIMES), TIMES_MAX);
    skip->is_linear = strcmp(kind->key, "linear") == 0;
    skip->rank = strcmp(kind->key, "randn") == 0 ? 0 : 2;
    return field_shape(kind, &skip->rank, skip->shape, err);
}

static bool find_items(Draws *draws, const YamlNode *list, Error *err)
{
    char text[FIELD_TEXT_MAX];
    if (list->kind != YAML_LIST)
        return yaml_error(list, err, TELL(DRAW_LIST), field_text(list, text));
    for (const YamlNode *node = list->first; node; node = node->next) {
        int item = 0;
        Skip skip;
        if (node->kind == YAML_MAP) {
            if (!read_skip(node, &skip, err))
                return false;
            continue;
        }
        if (!item_number(draws, node, &item, err))
            return false;
        if (draws->places[item])
            return yaml_error(node, err, TELL(DRAW_ALREADY), node->text, draws->places[item]->line);
        draws->places[item] = node;
    }
    for (int item = 0; item < ITEM_COUNT; item++)
        if (!draws->places[item] && can_be_drawn(draws->reading, item) &&
            (item >= LAYER_COUNT || draws->reading->layers[item].used))
            return yaml_error(list, err, TELL(DRAW_MISSING), item_name(item));
    return true;
}

// --- memory for all items, before the first draw

// Unused items go to scratch memory.
static bool take(Draws *draws, int item, bool used, const TensorPlan *plan, Tensor *out, Error *err)
{
    Reading *reading = draws->reading;
    Arena *arena = used ? &reading->scenario->arena : reading->scratch;
    return scenario_tensor_fits(reading, draws->places[item], plan, err) &&
           tensor_take(arena, plan->dtype, plan->rank, plan->shape, out, err);
}

static bool take_items(Draws *draws, Error *err)
{
    for (int item = 0; item < ITEM_COUNT; item++) {
        if (!draws->places[item])
            continue;
        if (item >= LAYER_COUNT) {
            Tensor *input = &draws->reading->inputs[item - LAYER_COUNT].tensor, planned = *input;
            if (!take(draws, item, true,
                      &(TensorPlan){item_name(item), DTYPE_F32, planned.rank, planned.shape}, input,
                      err))
                return false;
            continue;
        }
        Layer *layer = &draws->reading->layers[item];
        ptrdiff_t shape[3];
        int rank = scenario_weight_shape(draws->reading, (LayerNumber)item, shape);
        const TensorPlan weight = {item_name(item), DTYPE_F32, rank, shape};
        const TensorPlan bias = {item_name(item), DTYPE_F32, 1, shape};
        if (!take(draws, item, layer->used, &weight, &layer->weight, err) ||
            (layer->has_bias && !take(draws, item, layer->used, &bias, &layer->bias, err)))
            return false;
    }
    return true;
}

// --- drawing

// Skips a draw of `count` numbers; returns its position.
static ScenarioDraw pass_draw(Draws *draws, DrawKind kind, double bound, ptrdiff_t count)
{
    enum { BLOCK = 16, PAIR_WORDS = 4 };
    ScenarioDraw *next = &draws->next, draw = *next;
    uint64_t numbers = (uint64_t)count;
    draw.bound = bound;
    draw.kind = kind == DRAW_NORMAL && numbers < BLOCK ? DRAW_SMALL_NORMAL : kind;
    if (draw.kind == DRAW_SMALL_NORMAL) {
        uint64_t cached = next->begins_with_cached && numbers > 0;
        uint64_t pairs = (numbers - cached + 1) / 2;
        if (numbers > 0)
            next->begins_with_cached = (numbers - cached) % 2 == 1;
        next->first_word += PAIR_WORDS * pairs;
        if (pairs > 0)
            next->cached_word = next->first_word - PAIR_WORDS;
    } else {
        bool drawn_again = kind == DRAW_NORMAL && numbers % BLOCK != 0;
        next->first_word += numbers + (drawn_again ? BLOCK : 0);
    }
    return draw;
}

static void pass_linear(Draws *draws, const Layer *layer, ScenarioDraw *weight, ScenarioDraw *bias)
{
    double bound = layer->in > 0 ? 1.0 / sqrt((double)layer->in) : 0.0;
    *weight = pass_draw(draws, DRAW_UNIFORM, bound, layer->in * layer->out);
    if (layer->has_bias)
        *bias = pass_draw(draws, DRAW_UNIFORM, bound, layer->out);
}

// "manual_seed 42, 5th draw: nn.Linear(12, 12)"
static const char *from_text(const Draws *draws, const char *call, Error *err)
{
    const char *const endings[] = {TELL(DRAW_TH), TELL(DRAW_ST), TELL(DRAW_ND), TELL(DRAW_RD)};
    int last = draws->count % 10;
    bool is_teen = draws->count / 10 % 10 == 1;
    const char *ending = endings[is_teen || last > 3 ? 0 : last];
    Arena *arena = &draws->reading->scenario->arena;
    return draws->is_negative
               ? arena_format(arena, err, TELL(DRAW_SIGNED), (long long)draws->seed, draws->count,
                              ending, call)
               : arena_format(arena, err, TELL(DRAW_UNSIGNED), (unsigned long long)draws->seed,
                              draws->count, ending, call);
}

static bool draw_item(Draws *draws, int item, Error *err)
{
    char call[TENSOR_TEXT_MAX + 16], shape[TENSOR_TEXT_MAX];
    draws->count++;
    if (item >= LAYER_COUNT) {
        Input *input = &draws->reading->inputs[item - LAYER_COUNT];
        Tensor *tensor = &input->tensor;
        generator_randn(&draws->generator, tensor->storage.f32, (size_t)tensor_count(tensor));
        input->draw = pass_draw(draws, DRAW_NORMAL, 0.0, tensor_count(tensor));
        tensor_shape_text(tensor->rank, tensor->shape, shape);
        snprintf(call, sizeof call, "torch.randn%s", shape);
        input->from = from_text(draws, call, err);
        return input->from != NULL;
    }
    Layer *layer = &draws->reading->layers[item];
    if (item == LAYER_EMBEDDING) {
        generator_randn(&draws->generator, layer->weight.storage.f32,
                        (size_t)tensor_count(&layer->weight));
        layer->weight_draw = pass_draw(draws, DRAW_NORMAL, 0.0, tensor_count(&layer->weight));
    } else {
        generator_linear(&draws->generator, (size_t)layer->in, (size_t)layer->out,
                         layer->weight.storage.f32, layer->bias.storage.f32);
        pass_linear(draws, layer, &layer->weight_draw, &layer->bias_draw);
    }
    layer->weight_draw.of_layer = layer->bias_draw.of_layer = true;
    layer->from =
        from_text(draws, scenario_layer_text(draws->reading, (LayerNumber)item, call), err);
    layer->bias_from = layer->from;
    return layer->from != NULL;
}

static bool draw_skip(Draws *draws, const YamlNode *node, Error *err)
{
    Skip skip;
    Tensor weight, bias = {.rank = 0};
    Arena thrown_away = {0};
    if (!read_skip(node, &skip, err) ||
        !scenario_tensor_fits(draws->reading, node,
                              &(TensorPlan){"skip", DTYPE_F32, skip.rank, skip.shape}, err))
        return false;
    bool taken = tensor_take(&thrown_away, DTYPE_F32, skip.rank, skip.shape, &weight, err) &&
                 (!skip.is_linear || !skip.has_bias ||
                  tensor_take(&thrown_away, DTYPE_F32, 1, &skip.shape[1], &bias, err));
    Layer layer = {.in = skip.shape[0], .out = skip.shape[1], .has_bias = skip.has_bias};
    for (ptrdiff_t i = 0; taken && i < skip.times; i++) {
        draws->count++;
        if (skip.is_linear) {
            generator_linear(&draws->generator, (size_t)skip.shape[0], (size_t)skip.shape[1],
                             weight.storage.f32, bias.storage.f32);
            pass_linear(draws, &layer, &layer.weight_draw, &layer.bias_draw);
        } else {
            generator_randn(&draws->generator, weight.storage.f32, (size_t)tensor_count(&weight));
            pass_draw(draws, DRAW_NORMAL, 0.0, tensor_count(&weight));
        }
    }
    arena_finish(&thrown_away);
    return taken;
}

// Draws the items of weights.draw, in order, into layers and inputs.
static bool scenario_draw(Reading *reading, const YamlNode *weights, Error *err)
{
    const YamlNode *list = yaml_get(weights, "draw"), *seed = yaml_get(weights, "manual_seed");
    Draws draws = {.reading = reading};
    if (!seed)
        return yaml_key_error(list, err, TELL(DRAW_SEED));
    draws.is_negative = seed->kind == YAML_SCALAR && seed->text[0] == '-';
    if (!field_seed(seed, &draws.seed, err) || !find_items(&draws, list, err) ||
        !take_items(&draws, err))
        return false;

    generator_seed(&draws.generator, draws.seed);
    for (const YamlNode *node = list->first; node; node = node->next) {
        int item = 0;
        while (item < ITEM_COUNT && draws.places[item] != node)
            item++;
        if (item < ITEM_COUNT ? !draw_item(&draws, item, err) : !draw_skip(&draws, node, err))
            return false;
    }
    Scenario *scenario = reading->scenario;
    scenario->seed = arena_text(&scenario->arena, seed->text, err); // for later messages
    return scenario->seed;
}

// --- layers after the first, whose weights come from a file

// Assigns tensors from index `first` on to the current layer.
static bool name_layer(Reading *reading, int first, Error *err)
{
    Scenario *scenario = reading->scenario;
    for (int i = first; i < scenario->tensor_count; i++) {
        ScenarioTensor *added = &scenario->tensors[i];
        added->layer = reading->block;
        added->name =
            arena_format(&scenario->arena, err, SCENARIO_LAYER_NAME, reading->block, added->name);
        if (!added->name)
            return false;
    }
    return true;
}

// True if one more layer fits, with two tensors for the cache or the patches of each, and what there is once.
static bool has_room(const Scenario *scenario, int64_t layers)
{
    enum { OF_LAYER = 28, AT_LAST = 12 };
    return scenario->tensor_count + OF_LAYER + 2 * layers + AT_LAST <= SCENARIO_TENSORS_MAX;
}

// The file decides which parts have a bias.
static bool read_layer(Reading *reading, WeightSource *source, Error *err)
{
    int first = reading->scenario->tensor_count;
    for (LayerNumber i = LAYER_Q; i <= LAYER_OUT; i++)
        reading->layers[i].weight = reading->layers[i].bias = (Tensor){.rank = 0};
    source->layer = source->all.layers[source->number + reading->block];
    if (!scenario_layout_take(reading, source, err) || !scenario_layer_fetch(reading, source, err))
        return false;
    scenario_attention_add(reading);
    return name_layer(reading, first, err);
}

// Checks that no layer of the model is missing between those of the file, as where one of its files is.
static bool layers_are_neighbours(const YamlNode *node, const WeightSource *source, int64_t layers,
                                  Error *err)
{
    const WeightLayer *layer = &source->all.layers[source->number];
    for (int64_t i = 1; i < layers; i++)
        if (weight_layer_place(&layer[i]) > weight_layer_place(&layer[i - 1]) + 1)
            return yaml_error(node, err, TELL(BLOCK_GAP), layer[i].prefix, layer[i - 1].prefix,
                              (ptrdiff_t)i);
    return true;
}

// Reads `layers`, and the weights after the first.
static bool scenario_layers_read(Reading *reading, const YamlNode *weights, WeightSource *source,
                                 Error *err)
{
    const YamlNode *node = yaml_get(weights, "layers");
    const StageOptions *options = &reading->scenario->options;
    int64_t layers = 1;
    if (!node)
        return scenario_final_norm_fetch(reading, source, 1, err);
    if (!yaml_integer(node, 1, INT32_MAX, &layers, err))
        return false;
    int left = weight_block_end(&source->all, source->number) - source->number;
    if (layers > left)
        return yaml_error(node, err, TELL(BLOCK_FEW_LAYERS), source->all.count - 1,
                          source->all.count, source->number, left, node->text);
    if (layers > SCENARIO_LAYERS_MAX)
        return yaml_error(node, err, TELL(BLOCK_MANY_LAYERS), SCENARIO_LAYERS_MAX, node->text);
    if (!layers_are_neighbours(node, source, layers, err))
        return false;
    bool flows = reading->inputs[INPUT_X].node || reading->scenario->size[SYMBOL_V] > 0;
    if (layers > 1 && (!flows || reading->inputs[INPUT_X_QUERY].node || !options->residual))
        return yaml_error(node, err, TELL(BLOCK_LAYERS));
    Layer first[LAYER_COUNT];
    memcpy(first, reading->layers, sizeof first);
    reading->layers[LAYER_EMBEDDING].used = reading->layers[LAYER_READOUT].used = false;
    bool good = true;
    for (reading->block = 1; good && reading->block < layers; reading->block++)
        good = has_room(reading->scenario, layers)
                   ? read_layer(reading, source, err)
                   : yaml_error(node, err, TELL(BLOCK_MANY_LAYERS), reading->block, node->text);
    reading->block = 0;
    memcpy(reading->layers, first, sizeof first);
    reading->scenario->layers = (int)layers;
    source->layer = source->all.layers[source->number];
    return good && scenario_final_norm_fetch(reading, source, (int)layers, err);
}

// --- the section `weights`: drawn, from a file, or literal

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
                   scenario_layer_fetch(reading, &source, err) &&
                   scenario_layers_read(reading, weights, &source, err);
    tensor_file_close(source.file);
    Scenario *scenario = reading->scenario;
    scenario->weights = arena_text(&scenario->arena, path_name(source.file_node->text), err);
    return fetched && scenario->weights;
}

// --- keys

// Keys that require another one.
static bool check_goes_with(const YamlNode *weights, Error *err)
{
    static const char *const pairs[][2] = {
        {"manual_seed", "draw"}, {"prefix", "file"},   {"layout", "file"}, {"untrained", "file"},
        {"layer", "layout"},     {"layers", "layout"}, {"as", "layout"},   {"note", "file"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *key = pairs[i][0], *with = pairs[i][1];
        if (yaml_get(weights, key) && !yaml_get(weights, with))
            return yaml_key_error(yaml_get(weights, key), err, TELL(WEIGHTS_GOES_WITH), key, with);
    }
    return true;
}

// The key that gives the weights' origin; NULL without an error if there is none.
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

// Rejects keys that need `draw`.
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

// Appends the file's own note to scenario->note.
static bool keep_note(Reading *reading, const YamlNode *weights, Error *err)
{
    Scenario *scenario = reading->scenario;
    const YamlNode *note = yaml_get(weights, "note");
    if (!note)
        return true;
    if (note->kind != YAML_SCALAR || strchr(note->text, '\n'))
        return yaml_error(note, err, TELL(WEIGHTS_NOTE));
    scenario->note = arena_format(&scenario->arena, err, "%s%s%s", note->text,
                                  scenario->note ? "; " : "", scenario->note ? scenario->note : "");
    return scenario->note != NULL;
}

bool scenario_weights_read(Reading *reading, Error *err)
{
    static const char *const keys[] = {"manual_seed", "draw",  "file",   "prefix",
                                       "layout",      "layer", "values", "layers",
                                       "untrained",   "as",    "note",   NULL};
    const YamlNode *weights = scenario_section(reading, "weights"), *source;
    if (reading->scenario->request.shape_only) {
        if (!scenario_shapes_take(reading, weights, err))
            return false;
        scenario_tensors_add(reading);
        return true;
    }
    if (!yaml_only(weights, keys, err) || !find_source(weights, &source, err) ||
        !check_sourced(reading, weights, source, err) || !check_goes_with(weights, err) ||
        !field_flag(weights, "untrained", &reading->scenario->untrained, err) ||
        !keep_note(reading, weights, err))
        return false;
    reading->weights_given = source && strcmp(source->key, "file") == 0;
    if (yaml_get(weights, "draw") && !scenario_draw(reading, weights, err))
        return false;
    bool is_written = source && strcmp(source->key, "values") == 0;
    if ((reading->weights_given && !fetch_from_file(reading, weights, err)) ||
        (is_written && !scenario_layer_fetch(reading, &(WeightSource){.values = source}, err)))
        return false;
    scenario_tensors_add(reading);
    return scenario_extras_make(reading, err);
}
