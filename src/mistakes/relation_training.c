// Relations of training: a step of Adam, and gradients that went through a whole layer.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "relation_tools.h"

// --- update
//
// Of a step of Adam: a part of its formula is missing or was taken for another.

enum { // reading.a
    BETAS_SWAPPED,
    WITHOUT_ROOT,
    STEP_BEFORE,
    STEP_AFTER,
    FIRST_ALONE_CORRECTED,
    SECOND_ALONE_CORRECTED,
    OLD_MOMENTS,
    WITHOUT_SQUARE,
    GRADIENT_ALONE,
    FIRST_NOT_WEIGHTED,
    SECOND_NOT_WEIGHTED,
    GRADIENT_FOR_FIRST,
    ROOT_BEFORE_CORRECTION,
    EPSILON_INSIDE,
    LINEAR_CORRECTION,
    STEPS_TIMES_CORRECTION,
    WEIGHTS_SWAPPED,
    FIRST_FOR_BOTH,
    SECOND_FOR_BOTH,
    UPDATE_WAYS,
};

typedef struct Update {
    int way;
    const Tensor *in[RELATION_ADAM_INPUTS];
} Update;

// How much nearer to 0 than its average a moment is.
static double update_correction(int way, double beta, double steps)
{
    if (way == STEPS_TIMES_CORRECTION)
        return (1.0 - beta) * steps;
    return 1.0 - (way == LINEAR_CORRECTION ? beta * steps : pow(beta, steps));
}

// What the first moment is divided by.
static double divisor(int way, double v, double second, double epsilon)
{
    if (way == ROOT_BEFORE_CORRECTION)
        return sqrt(v) / second + epsilon;
    v /= way == FIRST_ALONE_CORRECTED ? 1.0 : second;
    if (way == EPSILON_INSIDE)
        return sqrt(v + epsilon);
    return (way == WITHOUT_ROOT ? v : sqrt(v)) + epsilon;
}

static double update_by(const RelationCase *what, const ptrdiff_t at[], const void *context)
{
    const Update *update = context;
    const StageOptions *options = what->given->options;
    int way = update->way;
    double weight = tensor_number(update->in[0], at), g = tensor_number(update->in[1], at);
    double m = tensor_number(update->in[2], at), v = tensor_number(update->in[3], at);
    double beta1 = (double)(way == BETAS_SWAPPED ? options->beta2 : options->beta1);
    double beta2 = (double)(way == BETAS_SWAPPED ? options->beta1 : options->beta2);
    double steps =
        (double)options->update + (double)(way == STEP_AFTER) - (double)(way == STEP_BEFORE);
    double first = update_correction(way, way == SECOND_FOR_BOTH ? beta2 : beta1, steps);
    double second = update_correction(way, way == FIRST_FOR_BOTH ? beta1 : beta2, steps);
    beta1 = way == WEIGHTS_SWAPPED ? 1.0 - beta1 : beta1;
    if (way == GRADIENT_ALONE)
        return weight - (double)options->rate * g;
    if (way != OLD_MOMENTS) {
        m = beta1 * m + (way == FIRST_NOT_WEIGHTED ? 1.0 : 1.0 - beta1) * g;
        v = beta2 * v +
            (way == SECOND_NOT_WEIGHTED ? 1.0 : 1.0 - beta2) * (way == WITHOUT_SQUARE ? g : g * g);
    }
    m /= way == SECOND_ALONE_CORRECTED ? 1.0 : first;
    m = way == GRADIENT_FOR_FIRST ? g : m;
    return weight - (double)options->rate * m / divisor(way, v, second, (double)options->epsilon);
}

static void update_read(const RelationCase *what, RelationReadings *readings)
{
    Update update = {.way = 0};
    if (!relation_adam_inputs(what, update.in))
        return;
    for (update.way = 0; update.way < UPDATE_WAYS; update.way++)
        if (relation_fits(what, update_by, &update))
            relation_add(what, readings,
                         (RelationReading){&relation_update, update.way, 0, 0.0, NULL});
}

static void update_say(const RelationReading *reading, Language language,
                       char text[RELATION_TEXT_MAX])
{
    static const Words sentences[] = {
        [BETAS_SWAPPED] = ROW(UPDATE_BETAS_SWAPPED),
        [WITHOUT_ROOT] = ROW(UPDATE_WITHOUT_ROOT),
        [STEP_BEFORE] = ROW(UPDATE_STEP_BEFORE),
        [STEP_AFTER] = ROW(UPDATE_STEP_AFTER),
        [FIRST_ALONE_CORRECTED] = ROW(UPDATE_FIRST_ALONE),
        [SECOND_ALONE_CORRECTED] = ROW(UPDATE_SECOND_ALONE),
        [OLD_MOMENTS] = ROW(UPDATE_OLD_MOMENTS),
        [WITHOUT_SQUARE] = ROW(UPDATE_WITHOUT_SQUARE),
        [GRADIENT_ALONE] = ROW(UPDATE_GRADIENT_ALONE),
        [FIRST_NOT_WEIGHTED] = ROW(UPDATE_FIRST_NOT_WEIGHTED),
        [SECOND_NOT_WEIGHTED] = ROW(UPDATE_SECOND_NOT_WEIGHTED),
        [GRADIENT_FOR_FIRST] = ROW(UPDATE_GRADIENT_FOR_FIRST),
        [ROOT_BEFORE_CORRECTION] = ROW(UPDATE_ROOT_BEFORE_CORRECTION),
        [EPSILON_INSIDE] = ROW(UPDATE_EPSILON_INSIDE),
        [LINEAR_CORRECTION] = ROW(UPDATE_LINEAR_CORRECTION),
        [STEPS_TIMES_CORRECTION] = ROW(UPDATE_STEPS_TIMES_CORRECTION),
        [WEIGHTS_SWAPPED] = ROW(UPDATE_WEIGHTS_SWAPPED),
        [FIRST_FOR_BOTH] = ROW(UPDATE_FIRST_FOR_BOTH),
        [SECOND_FOR_BOTH] = ROW(UPDATE_SECOND_FOR_BOTH),
    };
    words_format(text, RELATION_TEXT_MAX, "%s", sentences[reading->a].in[language]);
}

const Relation relation_update = {.name = "update", .read = update_read, .say = update_say};

// --- update constant
//
// Of a step of Adam: one of its constants is another, or the weight decays besides.

enum {
    BETA1,
    BETA2,
    EPSILON,
    DECAY,
    DECAY_IN_GRADIENT,
    UPDATE_CONSTANT_WAYS
}; // reading.a: of what is reading.number

typedef struct Constant {
    int way;
    double number;
    const Tensor *in[RELATION_ADAM_INPUTS];
} Constant;

static double constant_by(const RelationCase *what, const ptrdiff_t at[], const void *context)
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
        double apart = constant_by(what, at, constant) - tensor_number(what->wrong, at);
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
    if (isfinite(nearest) && relation_fits(what, constant_by, constant))
        relation_add(what, readings,
                     (RelationReading){&relation_update_constant, constant->way, 0, nearest, NULL});
}

static void update_constant_read(const RelationCase *what, RelationReadings *readings)
{
    Constant constant = {.way = 0};
    if (!relation_adam_inputs(what, constant.in))
        return;
    for (; constant.way < UPDATE_CONSTANT_WAYS; constant.way++)
        read_way(what, readings, &constant);
}

static void update_constant_say(const RelationReading *reading, Language language,
                                char text[RELATION_TEXT_MAX])
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

const Relation relation_update_constant = {
    .name = "update-constant", .read = update_constant_read, .say = update_constant_say};

// --- update rule
//
// Of a step of Adam: another rule was written (momentum, Nesterov, RMSprop), the corrections are used
// otherwise, or the gradient is cut to a range first.

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
    UPDATE_RULE_WAYS,
};

typedef struct Rule {
    int way;
    double limit;        // of the gradient
    const Tensor *in[4]; // weight, gradient and moments, as the function is given them
} Rule;

static double rule_correction(int way, double beta, double steps)
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
    double first = rule_correction(way, beta1, steps);
    double second = rule_correction(way, (double)options->beta2, steps);
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

static double rule_by(const RelationCase *what, const ptrdiff_t at[], const void *context)
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
    if (rule->way != CLIPPED && relation_fits(what, rule_by, rule))
        relation_add(what, readings, reading);
    for (size_t i = 0; rule->way == CLIPPED && i < sizeof limits / sizeof *limits; i++) {
        rule->limit = reading.number = limits[i];
        if (relation_fits(what, rule_by, rule))
            relation_add(what, readings, reading);
    }
}

static void update_rule_read(const RelationCase *what, RelationReadings *readings)
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
    for (; rule.way < UPDATE_RULE_WAYS; rule.way++)
        read_rule(what, readings, &rule);
}

static void update_rule_say(const RelationReading *reading, Language language,
                            char text[RELATION_TEXT_MAX])
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

const Relation relation_update_rule = {
    .name = "update-rule", .read = update_rule_read, .say = update_rule_say};

// --- backward
//
// Of a gradient that went through a whole layer: only some heads sent theirs back, what came through
// q, k or v is missing, doubled or went through another weight, or the forward pass is another one.

// What is done to the numbers of a step when it has run.
typedef enum Change {
    FIRST_HEAD, // the columns of the others are 0
    LAST_HEAD,
    NOT_DIVIDED,
    DIVIDED_BY_WIDTH, // of a head, without the root
    TWICE,
    NOTHING,
    WITH_W_Q, // in the place of its own weight
    WITH_W_K,
} Change;

static const struct {
    const char *stage, *label; // of the call; NULL: there is one
    Change change;
    Words said;
} ways[] = {
    // reading.a
    {"linear_backward", "out", FIRST_HEAD, ROW(BACKWARD_FIRST_HEAD)},
    {"linear_backward", "out", LAST_HEAD, ROW(BACKWARD_LAST_HEAD)},
    {"scale", NULL, NOT_DIVIDED, ROW(BACKWARD_FORWARD_NOT_DIVIDED)},
    {"scale", NULL, DIVIDED_BY_WIDTH, ROW(BACKWARD_FORWARD_BY_WIDTH)},
    {"scale_backward", NULL, DIVIDED_BY_WIDTH, ROW(BACKWARD_BY_WIDTH)},
    {"linear_backward", "q", TWICE, ROW(BACKWARD_Q_TWICE)},
    {"linear_backward", "k", TWICE, ROW(BACKWARD_K_TWICE)},
    {"linear_backward", "v", TWICE, ROW(BACKWARD_V_TWICE)},
    {"linear_backward", "q", NOTHING, ROW(BACKWARD_Q_MISSING)},
    {"linear_backward", "k", NOTHING, ROW(BACKWARD_K_MISSING)},
    {"linear_backward", "v", NOTHING, ROW(BACKWARD_V_MISSING)},
    {"linear_backward", "q", WITH_W_K, ROW(BACKWARD_Q_WITH_W_K)},
    {"linear_backward", "k", WITH_W_Q, ROW(BACKWARD_K_WITH_W_Q)},
};

typedef struct Way {
    int number;
    const Scenario *scenario;
} Way;

static bool is_step(const TraceStep *step, int way)
{
    const char *label = ways[way].label;
    return strcmp(step->stage->name, ways[way].stage) == 0 &&
           (!label || (step->call->label && strcmp(step->call->label, label) == 0));
}

// What the number that stands at `at` is multiplied by.
static double factor_of(const Way *way, const Tensor *out, const ptrdiff_t at[])
{
    double scale = (double)way->scenario->options.scale;
    double width = (double)way->scenario->size[SYMBOL_D_K];
    ptrdiff_t columns = out->shape[out->rank - 1] / way->scenario->size[SYMBOL_H];
    switch (ways[way->number].change) {
    case FIRST_HEAD:
        return at[out->rank - 1] < columns ? 1.0 : 0.0;
    case LAST_HEAD:
        return at[out->rank - 1] >= out->shape[out->rank - 1] - columns ? 1.0 : 0.0;
    case NOT_DIVIDED:
        return scale;
    case TWICE:
        return 2.0;
    case NOTHING:
        return 0.0;
    default:
        return scale / width;
    }
}

// The weight that is read in the place of the step's own, of the same shape.
static bool run_with_other(const Way *way, const TraceStep *step, const StageArgs *args, Error *err)
{
    const char *role = ways[way->number].change == WITH_W_Q ? "q_proj.weight" : "k_proj.weight";
    const ScenarioTensor *other = scenario_tensor(way->scenario, role);
    StageArgs changed = *args;
    if (other && tensor_same_shape(&other->tensor, &args->in[1]))
        changed.in[1] = other->tensor; // otherwise the run is right, and fits nothing
    return step->stage->run(&changed, err);
}

static bool run_otherwise(void *context, const TraceStep *step, StageArgs *args, bool *done,
                          Error *err)
{
    const Way *way = context;
    ptrdiff_t at[TENSOR_RANK_MAX] = {0};
    *done = is_step(step, way->number);
    if (!*done)
        return true;
    if (ways[way->number].change >= WITH_W_Q)
        return run_with_other(way, step, args, err);
    if (!step->stage->run(args, err))
        return false;
    Tensor *out = &args->out[step->stage->main_output];
    float *number = out->storage.f32 + out->offset; // that a stage wrote: contiguous
    do {
        *number = (float)(factor_of(way, out, at) * (double)*number);
        number++;
    } while (tensor_next(out, at));
    return true;
}

static void backward_read(const RelationCase *what, RelationReadings *readings)
{
    Way way = {0, what->right->scenario};
    if (what->step >= 0 || !what->tensor || way.scenario->size[SYMBOL_H] < 2)
        return;
    for (; way.number < (int)(sizeof ways / sizeof *ways); way.number++) {
        Trace run;
        const TraceWay run_way = {.run = run_otherwise, .context = &way};
        const RelationReading reading = {&relation_backward, way.number, 0, 0.0, NULL};
        if (relation_counts(what, &reading) &&
            relation_run_makes(what, way.scenario, &run_way, &run))
            relation_add(what, readings, reading);
    }
}

static void backward_say(const RelationReading *reading, Language language,
                         char text[RELATION_TEXT_MAX])
{
    words_format(text, RELATION_TEXT_MAX, "%s", ways[reading->a].said.in[language]);
}

const Relation relation_backward = {.name = "backward", .read = backward_read, .say = backward_say};
