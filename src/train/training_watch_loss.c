// The losses of a training as a curve of so many columns; see training_watch.h.
#include "training_watch.h"

#include <math.h>

enum { STEPS_MIN = 50 };

int64_t training_watch_last(const TrainingWatch *watch)
{
    int64_t steps = watch->training.recipe.steps, now = watch->training.step;
    int64_t least = steps < STEPS_MIN ? steps : STEPS_MIN;
    now = now > least ? now : least;
    return now > 0 ? now : 1;
}

// The first step of a column; column `columns` begins behind the last.
static int64_t step_of(const TrainingWatch *watch, int column, int columns)
{
    return 1 + training_watch_last(watch) * column / columns;
}

float training_watch_loss(const TrainingWatch *watch, int column, int columns)
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

float training_watch_largest(const TrainingWatch *watch)
{
    float largest = 0.0f;
    for (int64_t step = 1; step <= watch->training.step; step++)
        largest = fmaxf(largest, watch->losses[step]); // which leaves NaN out
    return largest;
}
