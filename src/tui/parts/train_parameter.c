// The last update of one parameter, with its arithmetic; see train_screen.h.
#include "train_screen.h"

#include "tui_words.h"

static void draw_name(const TrainingWatch *watch, Area area, Cells *cells)
{
    const ParameterStep *update = &watch->update;
    const Tensor *weight = &watch->training.weights[update->weight];
    ptrdiff_t columns = weight->shape[weight->rank - 1], rows = tensor_count(weight) / columns;
    cells_format(cells, area, 0, 0, ROLE_HEADING, TELL(TRAIN_PARAMETER),
                 weight_names[update->weight], update->place / columns, rows,
                 update->place % columns, columns);
}

// m and v, then how far and divided by what, then the new value.
static void draw_adam(const ParameterStep *update, const Optimizer *adam, Area area, Cells *cells)
{
    double beta1 = (double)adam->beta1, beta2 = (double)adam->beta2;
    double step = (double)parameter_step_size(update);
    double divisor = (double)parameter_divisor(update, adam->epsilon);
    int row = 3;
    cells_format(cells, area, row++, 0, ROLE_TEXT, "m = %.6g * %.6g + %.6g * g = %.6g", beta1,
                 (double)update->moment1[0], 1.0 - beta1, (double)update->moment1[1]);
    cells_format(cells, area, row++, 0, ROLE_TEXT, "v = %.6g * %.6g + %.6g * g * g = %.6g", beta2,
                 (double)update->moment2[0], 1.0 - beta2, (double)update->moment2[1]);
    cells_format(cells, area, row++, 0, ROLE_TEXT, TELL(TRAIN_PARAMETER_STEP), (double)update->rate,
                 update->remaining1, step);
    cells_format(cells, area, row++, 0, ROLE_TEXT, TELL(TRAIN_PARAMETER_SIZE), update->remaining2,
                 (double)adam->epsilon, divisor);
    cells_format(cells, area, row, 0, ROLE_CURRENT, TELL(TRAIN_PARAMETER_NEW),
                 (double)update->value[0], step, (double)update->moment1[1], divisor,
                 (double)update->value[1]);
}

void train_parameter_draw(const TrainingWatch *watch, Area area, Cells *cells)
{
    const ParameterStep *update = &watch->update;
    const Optimizer *optimizer = &watch->training.optimizer;
    draw_name(watch, area, cells);
    if (update->step == 0) {
        double value = (double)watch->training.weights[update->weight].storage.f32[update->place];
        cells_format(cells, area, 1, 0, ROLE_TEXT, TELL(TRAIN_PARAMETER_NONE), value);
        return;
    }
    cells_format(cells, area, 1, 0, ROLE_TEXT, TELL(TRAIN_PARAMETER_UPDATE),
                 (long long)update->step);
    cells_format(cells, area, 2, 0, ROLE_TEXT, TELL(TRAIN_PARAMETER_GRADIENT),
                 (double)update->gradient);
    if (optimizer->is_sgd)
        cells_format(cells, area, 3, 0, ROLE_CURRENT, TELL(TRAIN_PARAMETER_SGD),
                     (double)update->value[0], (double)update->rate, (double)update->gradient,
                     (double)update->value[1]);
    else
        draw_adam(update, optimizer, area, cells);
}
