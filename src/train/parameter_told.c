// The last update of one parameter, with its arithmetic; see training_told.h.
#include "training_told.h"

#include <stdarg.h>
#include <stdio.h>
#include "train_words.h"

typedef struct Lines {
    ParameterLine *lines;
    int count;
} Lines;

static ParameterLine *__attribute__((format(printf, 2, 3)))
add(Lines *lines, const char *format, ...)
{
    ParameterLine *line = &lines->lines[lines->count++];
    va_list arguments;
    *line = (ParameterLine){.is_name = false};
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    words_settle(line->text, sizeof line->text);
    return line;
}

static void tell_name(const TrainingWatch *watch, Lines *lines)
{
    const ParameterStep *update = &watch->update;
    const Tensor *weight = &watch->training.weights[update->weight];
    ptrdiff_t columns = weight->shape[weight->rank - 1], rows = tensor_count(weight) / columns;
    add(lines, TELL(TRAIN_PARAMETER), weight_names[update->weight], update->place / columns, rows,
        update->place % columns, columns)
        ->is_name = true;
}

// The weight after its decay: the update starts from here.
static float shrunk(const ParameterStep *update, const Optimizer *optimizer)
{
    return optimizer_kept(update->rate, optimizer->decay) * update->value[0];
}

// m and v, then how far and divided by what, then the new value; the long ones in two lines, so that 80
// columns show how they end.
static void tell_adam(const ParameterStep *update, const Optimizer *adam, Lines *lines)
{
    double beta1 = (double)adam->beta1, beta2 = (double)adam->beta2;
    double step = (double)parameter_step_size(update);
    double divisor = (double)parameter_divisor(update, adam->epsilon);
    add(lines, "m = %.6g * %.6g + %.6g * g = %.6g", beta1, (double)update->moment1[0], 1.0 - beta1,
        (double)update->moment1[1]);
    add(lines, "v = %.6g * %.6g + %.6g * g * g = %.6g", beta2, (double)update->moment2[0],
        1.0 - beta2, (double)update->moment2[1]);
    add(lines, TELL(TRAIN_PARAMETER_STEP), (double)update->rate, update->remaining1, step);
    add(lines, "%s", TELL(TRAIN_PARAMETER_SIZE));
    add(lines, TELL(TRAIN_PARAMETER_SIZE_IS), update->remaining2, (double)adam->epsilon, divisor);
    add(lines, "%s", TELL(TRAIN_PARAMETER_NEW));
    add(lines, TELL(TRAIN_PARAMETER_NEW_IS), (double)shrunk(update, adam), step,
        (double)update->moment1[1], divisor, (double)update->value[1])
        ->is_result = true;
}

static void tell_sgd(const ParameterStep *update, const Optimizer *sgd, Lines *lines)
{
    add(lines, TELL(TRAIN_PARAMETER_SGD), (double)shrunk(update, sgd), (double)update->rate,
        (double)update->gradient, (double)update->value[1])
        ->is_result = true;
}

static void tell_update(const TrainingWatch *watch, Lines *lines)
{
    const ParameterStep *update = &watch->update;
    const Optimizer *optimizer = &watch->training.optimizer;
    add(lines, TELL(TRAIN_PARAMETER_UPDATE), (long long)update->step);
    if (training_overlap_moves(&watch->training, update->weight))
        add(lines, TELL(TRAIN_PARAMETER_GRADIENT_OVERLAP), (double)update->gradient,
            (double)watch->training.recipe.overlap_cost);
    else
        add(lines, TELL(TRAIN_PARAMETER_GRADIENT), (double)update->gradient);
    if (optimizer->decay > 0.0f)
        add(lines, TELL(TRAIN_PARAMETER_DECAY), (double)update->rate, (double)optimizer->decay,
            (double)update->value[0], (double)shrunk(update, optimizer));
    if (optimizer->is_sgd)
        tell_sgd(update, optimizer, lines);
    else
        tell_adam(update, optimizer, lines);
}

int training_told_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX])
{
    const ParameterStep *update = &watch->update;
    const Tensor *weight = &watch->training.weights[update->weight];
    Lines told = {.lines = lines};
    tell_name(watch, &told);
    if (watch->types)
        add(&told, TELL(TRAIN_PARAMETER_TYPED), watch->typed)->is_result = true;
    else if (update->step == 0)
        add(&told,
            watch->state == WATCH_ENDED ? TELL(TRAIN_PARAMETER_END) : TELL(TRAIN_PARAMETER_NONE),
            (double)weight->storage.f32[update->place]);
    else
        tell_update(watch, &told);
    return told.count;
}
