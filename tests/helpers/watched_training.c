// watched_training: see watched_training.h.
#include "watched_training.h"

#include <string.h>
#include "screen.h"
#include "shown.h"
#include "suite.h"

TrainingWatch watch;
Cells watched_cells;

void begin(const TrainingRecipe *recipe)
{
    Error err = {.text = ""};
    ck_assert_msg(training_watch_open(&watch, recipe, &err), "%s", err.text);
    ck_assert_msg(training_watch_begin(&watch, &err), "%s", err.text);
}

void setup(void)
{
    TrainingRecipe recipe = small_training();
    begin(&recipe);
}

void finish(void)
{
    training_watch_close(&watch);
    cells_finish(&watched_cells);
}

void press(const char *key)
{
    Error err = {.text = ""};
    ck_assert_msg(training_watch_press(&watch, key, &err), "%s", err.text);
}

void steps(int count)
{
    Error err = {.text = ""};
    for (int i = 0; i < count; i++)
        ck_assert_msg(training_watch_step(&watch, &err), "%s", err.text);
    ck_assert_msg(training_watch_look(&watch, false, &err), "%s", err.text);
}

const char *drawn(int columns, int rows)
{
    Error err;
    ck_assert(cells_resize(&watched_cells, columns, rows, &err));
    train_screen_draw(&watch, &watched_cells);
    return shown(&watched_cells);
}

void check_says(const char *text)
{
    const char *screen = drawn(110, 34);
    ck_assert_msg(strstr(screen, text) != NULL, "no \"%s\" in:\n%s", text, screen);
}
