// Relation: of a step of Adam: one of its constants is another, or the weight decays besides.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>
#include "relation_words.h"

extern const Relation relation_update_constant;

enum {
    BETA1,
    BETA2,
    EPSILON,
    DECAY,
    DECAY_IN_GRADIENT,
    WAYS
}; // reading.a: of what is reading.number

typedef struct Constant {
    int way;
    double number;
    const Tensor *in[RELATION_ADAM_INPUTS];
} Constant;

static double updated(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Constant *constant = context;
    const StageOptions *options = what->given->options;
    double number = constant->number, steps = (double)options->update;
    double beta1 = constant->way == BETA1 ? number : (double)options->beta1;
    double beta2 = constant->way == BETA2 ? number : (double)options->beta2;
    double epsilon = constant->way == EPSILON ? number : (double)options->epsilon;
    double weight = tensor_number(constant->in[0], at), g = tensor_number(constant->in[1], at);
    g += constant->way == DECAY_IN_GRADIENT ? number * weight : 0.0;
    double m = beta1 * tensor_number(constant->in[2], at) + (1.0 - beta1) * g;
    double v = beta2 * tensor_number(constant->in[3], at) + (1.0 - beta2) * g * g;
    m /= 1.0 - pow(beta1, steps);
    v /= 1.0 - pow(beta2, steps);
    weight -= constant->way == DECAY ? number * weight : 0.0;
    return weight - (double)options->rate * m / (sqrt(v) + epsilon);
}

// How far the numbers of a constant are from the wrong ones in all: a small step is right within what
// rounding may cost whatever the constant is, and the nearest constant is what was written.
static double distance(const RelationCase *what, const Constant *constant)
{
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    double sum = 0.0;
    do {
        double apart = updated(what, at, constant) - tensor_number(what->wrong, at);
        sum += apart * apart;
    } while (tensor_next(what->wrong, at));
    return isnan(sum) ? INFINITY : sum;
}

// Constants that people write.
static const double betas[] = {0.1,  0.5,  0.6,  0.7,   0.75,  0.8,   0.85,  0.9,
                               0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9999};
static const double sizes[] = {1.0,  0.5,  0.2,  0.1,  0.05, 0.02, 0.01, 5e-3,
                               2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5};

static void read_way(const RelationCase *what, RelationReadings *readings, Constant *constant)
{
    bool is_beta = constant->way == BETA1 || constant->way == BETA2;
    const double *all = is_beta ? betas : sizes;
    size_t count = is_beta ? sizeof betas / sizeof *betas : sizeof sizes / sizeof *sizes;
    double least = INFINITY, nearest = NAN;
    bool is_decay = constant->way == DECAY || constant->way == DECAY_IN_GRADIENT;
    for (size_t i = is_decay; i < count; i++) { // a weight that decays whole is one that is missing
        constant->number = all[i];
        double now = distance(what, constant);
        nearest = now < least ? all[i] : nearest;
        least = fmin(least, now);
    }
    constant->number = nearest;
    if (isfinite(nearest) && relation_fits(what, updated, constant))
        relation_add(what, readings,
                     (RelationReading){&relation_update_constant, constant->way, 0, nearest, NULL});
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    Constant constant = {.way = 0};
    if (!relation_adam_inputs(what, constant.in))
        return;
    for (; constant.way < WAYS; constant.way++)
        read_way(what, readings, &constant);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [BETA1] = ROW(UPDATE_BETA1),
        [BETA2] = ROW(UPDATE_BETA2),
        [EPSILON] = ROW(UPDATE_EPSILON),
        [DECAY] = ROW(UPDATE_DECAY),
        [DECAY_IN_GRADIENT] = ROW(UPDATE_DECAY_IN_GRADIENT),
    };
    snprintf(number, sizeof number, "%.4g", reading->number);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], number);
}

const Relation relation_update_constant = {.name = "update-constant", .read = read, .say = say};
