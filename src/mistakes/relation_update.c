// Relation: of a step of Adam: a part of its formula is missing or was taken for another.
#include "relation_tools.h"

#include <math.h>
#include "relation_words.h"

extern const Relation relation_update;

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
    WAYS,
};

typedef struct Update {
    int way;
    const Tensor *in[RELATION_ADAM_INPUTS];
} Update;

// How much nearer to 0 than its average a moment is.
static double correction(int way, double beta, double steps)
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

static double updated(const RelationCase *what, const ptrdiff_t at[], const void *context)
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
    double first = correction(way, way == SECOND_FOR_BOTH ? beta2 : beta1, steps);
    double second = correction(way, way == FIRST_FOR_BOTH ? beta1 : beta2, steps);
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

static void read(const RelationCase *what, RelationReadings *readings)
{
    Update update = {.way = 0};
    if (!relation_adam_inputs(what, update.in))
        return;
    for (update.way = 0; update.way < WAYS; update.way++)
        if (relation_fits(what, updated, &update))
            relation_add(what, readings,
                         (RelationReading){&relation_update, update.way, 0, 0.0, NULL});
}

static void say(const RelationReading *reading, Language language, char text[RELATION_TEXT_MAX])
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

const Relation relation_update = {.name = "update", .read = read, .say = say};
