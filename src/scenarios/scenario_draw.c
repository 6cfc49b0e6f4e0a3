// scenario_draw: weights and inputs from PyTorch's generator, in the order a notebook drew them; see
// scenario_internal.h.
#include "scenario_internal.h"
#include "field.h"
#include "generator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "scenarios_words.h"

enum { ITEM_COUNT = LAYER_COUNT + INPUT_COUNT, TIMES_MAX = 1000 };

typedef struct Draws {
    Reading *reading;
    Generator generator;
    ScenarioDraw next; // where in the stream the next draw begins
    uint64_t seed;
    bool is_negative;                   // the seed, as it was written
    int count;                          // draws made, those thrown away included
    const YamlNode *places[ITEM_COUNT]; // where the list names each item; NULL: it does not
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

static bool must_be_drawn(const Reading *reading, int item)
{
    return item < LAYER_COUNT ? reading->layers[item].used && !reading->weights_given
                              : can_be_drawn(reading, item);
}

// --- which items

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

// What a notebook drew and this scenario does not use.
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
        if (!draws->places[item] && must_be_drawn(draws->reading, item))
            return yaml_error(list, err, TELL(DRAW_MISSING), item_name(item));
    return true;
}

// --- memory for all of them, before the first number is drawn

// What no stage asks for is thrown away with the scratch memory.
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

// Goes past one draw of `count` numbers; says where it was.
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

static bool draw_next(Draws *draws, const YamlNode *node, Error *err)
{
    for (int item = 0; item < ITEM_COUNT; item++)
        if (draws->places[item] == node)
            return draw_item(draws, item, err);
    return draw_skip(draws, node, err);
}

bool scenario_draw(Reading *reading, const YamlNode *weights, Error *err)
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
    for (const YamlNode *node = list->first; node; node = node->next)
        if (!draw_next(&draws, node, err))
            return false;
    return true;
}
