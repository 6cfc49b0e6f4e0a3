// Relation: of a layer: its sums, or its bias, are right but for a factor; what is added to them is right.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_bias;

enum { SUM, BIAS, WAYS };              // what the factor is of
enum { CONSTANT, TIMES, OVER, FORMS }; // reading.a: FORMS * way + form; reading.b is the formula

typedef struct Layer {
    const Tensor *bias; // NULL: there is none
    int way;
    double factor;
} Layer;

// The one vector among the inputs of a layer.
static const Tensor *bias_of(const RelationCase *what)
{
    for (int slot = 0; slot < STAGE_READS_MAX; slot++) {
        const Tensor *input = &what->given->in[slot];
        if (input->storage.bytes && input->rank == 1 && input->dtype == DTYPE_F32)
            return input;
    }
    return NULL;
}

static double added(const RelationCase *what, const Layer *layer, const ptrdiff_t at[])
{
    return layer->bias ? tensor_number(layer->bias, &at[what->known->rank - 1]) : 0.0;
}

static double layered(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Layer *layer = context;
    double bias = added(what, layer, at), sum = tensor_number(what->known, at) - bias;
    return layer->way == SUM ? layer->factor * sum + bias : sum + layer->factor * bias;
}

// The factor of the largest number that has one: others have fewer digits that count.
static double factor_of(const RelationCase *what, const Layer *layer)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double largest = 0.0, factor = NAN;
    do {
        double bias = added(what, layer, at), known = tensor_number(what->known, at);
        double own = layer->way == SUM ? known - bias : bias;
        if (isfinite(own) && fabs(own) > largest) {
            largest = fabs(own);
            factor = 1.0 + (tensor_number(what->wrong, at) - known) / own;
        }
    } while (tensor_next(what->known, at));
    return factor;
}

// Formulas of Din, the length of the sums, are what people write: they come before a constant, unless Din
// is small. Other sizes agree by chance and come after it.
static void read_formulas(const RelationCase *what, RelationReadings *readings, const Layer *layer,
                          bool of_sums)
{
    const Scenario *scenario = what->right->scenario;
    for (int i = 0; relation_formula(i); i++) {
        double value = relation_formula_value(i, scenario);
        bool is_of_sums =
            relation_formula_symbol(i) == SYMBOL_DIN && scenario->size[SYMBOL_DIN] > 4;
        RelationReading times = {&relation_bias, FORMS * layer->way + TIMES, i, 0.0, NULL};
        RelationReading over = {&relation_bias, FORMS * layer->way + OVER, i, 0.0, NULL};
        if (is_of_sums != of_sums || !(value > 0.0))
            continue;
        if (fabs(layer->factor - value) <= 1e-4 * value)
            relation_add(what, readings, times);
        if (fabs(layer->factor * value - 1.0) <= 1e-4)
            relation_add(what, readings, over);
    }
}

static void read_way(const RelationCase *what, RelationReadings *readings, Layer *layer)
{
    layer->factor = factor_of(what, layer);
    if (!isfinite(layer->factor) || !relation_fits(what, layered, layer))
        return;
    RelationReading constant = {&relation_bias, FORMS * layer->way, 0, layer->factor, NULL};
    read_formulas(what, readings, layer, true);
    relation_add(what, readings, constant);
    read_formulas(what, readings, layer, false);
}

// A layer without a bias says as much of its sums as one that has one.
static void read(const RelationCase *what, RelationReadings *readings)
{
    Layer layer = {.way = SUM};
    if (!relation_is_stage(what, "project") && !relation_is_stage(what, "output_projection"))
        return;
    layer.bias = bias_of(what);
    for (; layer.way < WAYS; layer.way++)
        read_way(what, readings, &layer);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {[SUM] = ROW(BIAS_SUM_TIMES), [BIAS] = ROW(BIAS_TIMES)};
    char number[32];
    int form = reading->a % FORMS;
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a / FORMS].in[language],
                 form == OVER ? "1 / " : "",
                 form == CONSTANT ? relation_number(reading->number, number)
                                  : relation_formula(reading->b));
}

const Relation relation_bias = {.name = "bias", .read = read, .say = say};
