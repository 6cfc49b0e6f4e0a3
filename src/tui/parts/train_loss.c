// The loss of a training as bars, each for the same number of steps; see train_screen.h.
#include "train_screen.h"

#include <math.h>
#include "tui_words.h"

enum { EIGHTHS = 8 };

static const char *const bars[EIGHTHS + 1] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                              "\u2585", "\u2586", "\u2587", "\u2588"};

static void draw_bar(float share, Area area, int column)
{
    int height = (int)ceilf(share * (float)(area.rows * EIGHTHS));
    for (int row = area.rows - 1; row >= 0 && height > 0; row--, height -= EIGHTHS)
        cells_text(area, row, column, ROLE_TEXT, bars[height < EIGHTHS ? height : EIGHTHS]);
}

// Below the bars: where there is a checkpoint, and which one b goes back to.
static void draw_axis(const TrainingWatch *watch, Area area)
{
    int row = area.rows - 1;
    cells_fill(area, row, 0, area.columns, ROLE_RULE, "\u2500");
    for (int i = 0; i < watch->keep_count; i++) {
        int64_t column = watch->keeps[i].step * (area.columns - 1) / training_watch_last(watch);
        cells_text(area, row, (int)column, ROLE_RULE, "\u2534");
    }
    int64_t chosen =
        watch->keeps[watch->keep_chosen].step * (area.columns - 1) / training_watch_last(watch);
    cells_text(area, row, (int)chosen, ROLE_CURRENT, "\u25b2");
}

void train_loss_draw(const TrainingWatch *watch, Area area)
{
    Area plot = area_part(area, 1, 0, area.rows - 2, area.columns);
    if (plot.rows < 1 || plot.columns < 1)
        return;
    float largest = training_watch_largest(watch);
    cells_format(area, 0, 0, ROLE_HEADING,
                 largest > 0.0f ? TELL(TRAIN_LOSS_TO) : TELL(TRAIN_LOSS_NONE), (double)largest,
                 (long long)training_watch_last(watch));
    for (int column = 0; column < plot.columns; column++) {
        float mean = training_watch_loss(watch, column, plot.columns);
        if (mean > 0.0f)
            draw_bar(fminf(mean / largest, 1.0f), plot, column);
    }
    draw_axis(watch, area);
}
