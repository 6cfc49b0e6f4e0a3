// The loss of a training as bars, one for so many steps; see train_screen.h.
#include "train_screen.h"

#include <math.h>
#include "tui_words.h"

enum { EIGHTHS = 8, STEPS_MIN = 50 };

static const char *const bars[EIGHTHS + 1] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                              "\u2585", "\u2586", "\u2587", "\u2588"};

// The steps that the axis shows: all until now, and a few at the start.
static int64_t last_step(const TrainingWatch *watch)
{
    int64_t steps = watch->training.recipe.steps, now = watch->training.step;
    int64_t least = steps < STEPS_MIN ? steps : STEPS_MIN;
    now = now > least ? now : least;
    return now > 0 ? now : 1;
}

// The first step of bar `column` of `columns`; bar `columns` begins behind the last.
static int64_t step_of(const TrainingWatch *watch, int column, int columns)
{
    return 1 + last_step(watch) * column / columns;
}

// The mean of the losses of a bar's steps; NaN where none was done. A bar that is narrower than a step
// shows that step.
static float mean_of(const TrainingWatch *watch, int column, int columns)
{
    int64_t first = step_of(watch, column, columns), end = step_of(watch, column + 1, columns);
    double sum = 0.0;
    int count = 0;
    for (int64_t step = first; step < (end > first ? end : first + 1); step++)
        if (step <= watch->training.recipe.steps && !isnan(watch->losses[step])) {
            sum += (double)watch->losses[step];
            count++;
        }
    return count ? (float)(sum / count) : NAN;
}

static float largest_of(const TrainingWatch *watch, int columns)
{
    float largest = 0.0f;
    for (int column = 0; column < columns; column++)
        largest = fmaxf(largest, mean_of(watch, column, columns));
    return largest;
}

static void draw_bar(float share, Area area, int column, Cells *cells)
{
    int height = (int)ceilf(share * (float)(area.rows * EIGHTHS));
    for (int row = area.rows - 1; row >= 0 && height > 0; row--, height -= EIGHTHS)
        cells_text(cells, area, row, column, ROLE_TEXT, bars[height < EIGHTHS ? height : EIGHTHS]);
}

// Below the bars: where there is a checkpoint, and which one b goes back to.
static void draw_axis(const TrainingWatch *watch, Area area, Cells *cells)
{
    int row = area.rows - 1;
    cells_fill(cells, area, row, 0, area.columns, ROLE_RULE, "\u2500");
    for (int i = 0; i < watch->keep_count; i++) {
        int64_t column = watch->keeps[i].step * (area.columns - 1) / last_step(watch);
        cells_text(cells, area, row, (int)column, ROLE_RULE, "\u2534");
    }
    int64_t chosen = watch->keeps[watch->keep_chosen].step * (area.columns - 1) / last_step(watch);
    cells_text(cells, area, row, (int)chosen, ROLE_CURRENT, "\u25b2");
}

void train_loss_draw(const TrainingWatch *watch, Area area, Cells *cells)
{
    Area plot = {area.row + 1, area.column, area.rows - 2, area.columns};
    if (plot.rows < 1 || plot.columns < 1)
        return;
    float largest = largest_of(watch, plot.columns);
    cells_format(cells, area, 0, 0, ROLE_HEADING, TELL(TRAIN_LOSS_TO), (double)largest,
                 (long long)last_step(watch));
    for (int column = 0; column < plot.columns; column++) {
        float mean = mean_of(watch, column, plot.columns);
        if (mean > 0.0f)
            draw_bar(fminf(mean / largest, 1.0f), plot, column, cells);
    }
    draw_axis(watch, area, cells);
}
