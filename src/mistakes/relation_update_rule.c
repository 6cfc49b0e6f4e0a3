// Relation: of a step of Adam: another rule was written (momentum, Nesterov, RMSprop), the corrections are used
// otherwise, or the gradient is cut to a range first.
#include "relation_tools.h"

#include <math.h>
#include <stdio.h>
#include "relation_words.h"

extern const Relation relation_update_rule;

enum { // reading.a
    NESTEROV,
    MOMENTUM,
    FIRST_WITHOUT_SECOND,
    NESTEROV_MOMENTUM,
    ROOT_MEAN_SQUARE,
    CORRECTIONS_MULTIPLIED,
    FIRST_MULTIPLIED,
    SECOND_MULTIPLIED,
    BETA_OVER_STEPS,
    BETA_ALONE,
    BETA_NOT_LESS_1, // beta to the power t itself
    SIGN,
    ABSOLUTE_FOR_SQUARE, // in the second moment
    ABOUT_THE_MEAN,
    LARGEST_FOR_SQUARES,
    RATE_OVER_STEPS,
    RATE_OVER_ROOT_OF_STEPS,
    CLIPPED, // to reading.number
    WAYS,
};

typedef struct Rule {
    int way;
    double limit;        // of the gradient
    const Tensor *in[4]; // weight, gradient and moments, as the function is given them
} Rule;

static double correction(int way, double beta, double steps)
{
    return way == BETA_OVER_STEPS   ? 1.0 - beta / steps
           : way == BETA_ALONE      ? 1.0 - beta
           : way == BETA_NOT_LESS_1 ? pow(beta, steps)
                                    : 1.0 - pow(beta, steps);
}

// What the weight loses, as a part of the rate.
static double step_of(int way, const StageOptions *options, double g, double m, double v)
{
    double beta1 = (double)options->beta1, epsilon = (double)options->epsilon;
    double steps = (double)options->update;
    double first = correction(way, beta1, steps);
    double second = correction(way, (double)options->beta2, steps);
    bool both = way == CORRECTIONS_MULTIPLIED;
    double mean = m / (both || way == FIRST_MULTIPLIED ? 1.0 / first : first);
    double size = v / (both || way == SECOND_MULTIPLIED ? 1.0 / second : second);
    switch (way) {
    case NESTEROV:
        return (beta1 * mean + (1.0 - beta1) * g / first) / (sqrt(size) + epsilon);
    case MOMENTUM:
        return m;
    case FIRST_WITHOUT_SECOND:
        return mean;
    case NESTEROV_MOMENTUM:
        return g + beta1 * m;
    case ROOT_MEAN_SQUARE:
        return g / (sqrt(v) + epsilon);
    case SIGN:
        return (double)(mean > 0.0) - (double)(mean < 0.0);
    case LARGEST_FOR_SQUARES:
        return mean / (v + epsilon);
    case RATE_OVER_STEPS:
        return mean / (sqrt(size) + epsilon) / steps;
    case RATE_OVER_ROOT_OF_STEPS:
        return mean / (sqrt(size) + epsilon) / sqrt(steps);
    default:
        return mean / (sqrt(size) + epsilon);
    }
}

// The second moment, or what stands in its place.
static double size_of(int way, double beta2, double g, double m, double before)
{
    double added = way == ABSOLUTE_FOR_SQUARE ? fabs(g)
                   : way == ABOUT_THE_MEAN    ? (g - m) * (g - m)
                                              : g * g;
    return way == LARGEST_FOR_SQUARES ? fmax(beta2 * before, fabs(g))
                                      : beta2 * before + (1.0 - beta2) * added;
}

static double updated(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Rule *rule = context;
    const StageOptions *options = what->given->options;
    double beta1 = (double)options->beta1, beta2 = (double)options->beta2;
    double g = tensor_number(rule->in[1], at);
    g = rule->way == CLIPPED ? fmax(-rule->limit, fmin(rule->limit, g)) : g;
    double m = beta1 * tensor_number(rule->in[2], at) + (1.0 - beta1) * g;
    double v = size_of(rule->way, beta2, g, m, tensor_number(rule->in[3], at));
    return tensor_number(rule->in[0], at) -
           (double)options->rate * step_of(rule->way, options, g, m, v);
}

static void read_rule(const RelationCase *what, RelationReadings *readings, Rule *rule)
{
    static const double limits[] = {1.0, 0.5, 0.1, 5.0, 0.25, 0.01};
    RelationReading reading = {&relation_update_rule, rule->way, 0, 0.0, NULL};
    if (rule->way != CLIPPED && relation_fits(what, updated, rule))
        relation_add(what, readings, reading);
    for (size_t i = 0; rule->way == CLIPPED && i < sizeof limits / sizeof *limits; i++) {
        rule->limit = reading.number = limits[i];
        if (relation_fits(what, updated, rule))
            relation_add(what, readings, reading);
    }
}

static void read(const RelationCase *what, RelationReadings *readings)
{
    static const char *const roles[] = {"parameter", "gradient", "moment1", "moment2"};
    Rule rule = {.way = 0};
    if (!relation_is_stage(what, "adam"))
        return;
    for (int i = 0; i < 4; i++) {
        const ScenarioTensor *tensor = scenario_tensor(what->right->scenario, roles[i]);
        if (!tensor)
            return;
        rule.in[i] = &tensor->tensor;
    }
    for (; rule.way < WAYS; rule.way++)
        read_rule(what, readings, &rule);
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
{
    char number[32];
    static const Words sentences[] = {
        [NESTEROV] = ROW(RULE_NESTEROV),
        [MOMENTUM] = ROW(RULE_MOMENTUM),
        [FIRST_WITHOUT_SECOND] = ROW(RULE_FIRST_WITHOUT_SECOND),
        [NESTEROV_MOMENTUM] = ROW(RULE_NESTEROV_MOMENTUM),
        [ROOT_MEAN_SQUARE] = ROW(RULE_ROOT_MEAN_SQUARE),
        [CORRECTIONS_MULTIPLIED] = ROW(RULE_CORRECTIONS_MULTIPLIED),
        [FIRST_MULTIPLIED] = ROW(RULE_FIRST_MULTIPLIED),
        [SECOND_MULTIPLIED] = ROW(RULE_SECOND_MULTIPLIED),
        [BETA_OVER_STEPS] = ROW(RULE_BETA_OVER_STEPS),
        [BETA_ALONE] = ROW(RULE_BETA_ALONE),
        [BETA_NOT_LESS_1] = ROW(RULE_BETA_NOT_LESS_1),
        [SIGN] = ROW(RULE_SIGN),
        [ABSOLUTE_FOR_SQUARE] = ROW(RULE_ABSOLUTE_FOR_SQUARE),
        [ABOUT_THE_MEAN] = ROW(RULE_ABOUT_THE_MEAN),
        [LARGEST_FOR_SQUARES] = ROW(RULE_LARGEST_FOR_SQUARES),
        [RATE_OVER_STEPS] = ROW(RULE_RATE_OVER_STEPS),
        [RATE_OVER_ROOT_OF_STEPS] = ROW(RULE_RATE_OVER_ROOT_OF_STEPS),
        [CLIPPED] = ROW(RULE_CLIPPED),
    };
    snprintf(number, sizeof number, "%.4g", reading->number);
    words_format(text, RELATION_TEXT_MAX, sentences[reading->a].in[language], number);
}

const Relation relation_update_rule = {.name = "update-rule", .read = read, .say = say};
