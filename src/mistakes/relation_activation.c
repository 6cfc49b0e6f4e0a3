// Relation: an activation was applied, to the numbers or, in a layer, to its sums before the bias is added.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_activation;

enum { RELU, TANH, SIGMOID, GELU, SWISH, LEAKY_RELU, FUNCTIONS }; // reading.b
enum { WHOLE, BEFORE_BIAS, PLACES };                              // reading.a

static const char *const names[] = {"relu", "tanh", "sigmoid", "gelu", "silu", "leaky_relu"};

typedef struct Activation {
    int place, function;
    const Tensor *bias; // of a layer
} Activation;

static double value(int function, double x)
{
    switch (function) {
    case RELU:
        return fmax(x, 0.0);
    case TANH:
        return tanh(x);
    case SIGMOID:
        return 1.0 / (1.0 + exp(-x));
    case GELU:
        return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
    case SWISH:
        return x / (1.0 + exp(-x));
    default:
        return x > 0.0 ? x : 0.01 * x;
    }
}

static double activated(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Activation *one = context;
    double bias =
        one->place == BEFORE_BIAS ? tensor_number(one->bias, &at[what->known->rank - 1]) : 0.0;
    return value(one->function, tensor_number(what->known, at) - bias) + bias;
}

// The bias of a layer, a vector; NULL: there is none.
static const Tensor *bias_of(const RelationCase *what)
{
    bool is_layer =
        relation_is_stage(what, "project") || relation_is_stage(what, "output_projection");
    const Tensor *bias = is_layer ? &what->given->in[2] : NULL;
    return bias && bias->storage.bytes && bias->rank == 1 ? bias : NULL;
}

// Without a bias both places are one, so that what cases with a bias read may hold.
static void read(const RelationCase *what, RelationReadings *readings)
{
    const Tensor *bias = bias_of(what);
    for (int place = 0; place < PLACES; place++)
        for (int function = 0; function < FUNCTIONS; function++) {
            Activation one = {bias ? place : WHOLE, function, bias};
            if (relation_fits(what, activated, &one))
                relation_add(what, readings,
                             (RelationReading){&relation_activation, place, function, 0.0, NULL});
        }
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX,
                 reading->a == WHOLE ? TELL_IN(language, ACTIVATION_WHOLE)
                                     : TELL_IN(language, ACTIVATION_BEFORE_BIAS),
                 names[reading->b]);
}

const Relation relation_activation = {.name = "activation", .read = read, .say = say};
