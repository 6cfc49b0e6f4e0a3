// app_train: see app_train.h.
#include "app_train.h"

#include "terminal.h"
#include "train_screen.h"
#include "training_file.h"
#include "tui.h"

enum { FRAME_MILLISECONDS = 20 }; // for keys, between two frames of a training that runs

static bool take_size(Cells *cells, Error *err)
{
    int columns, rows;
    terminal_size(&columns, &rows);
    cells->colours = terminal_colours();
    return cells_resize(cells, columns < TUI_COLUMNS_MAX ? columns : TUI_COLUMNS_MAX,
                        rows < TUI_ROWS_MAX ? rows : TUI_ROWS_MAX, err);
}

bool app_train_go_on(TrainingWatch *watch, const char *checkpoint, Error *err)
{
    int64_t kept = watch->training.step / TRAIN_CHECKPOINT_STEPS;
    if (!training_watch_frame(watch, err))
        return false;
    bool is_due = watch->training.step / TRAIN_CHECKPOINT_STEPS != kept;
    return !checkpoint || !is_due || training_write_checkpoint(&watch->training, checkpoint, err);
}

static bool follow(TrainingWatch *watch, const char *checkpoint, Terminal *terminal, Error *err)
{
    Cells cells = {.rows = 0};
    bool good = take_size(&cells, err);
    while (good && !watch->left) {
        train_screen_draw(watch, &cells);
        terminal_draw(&cells);
        bool runs = watch->state == WATCH_RUNS && !watch->shows_help;
        TerminalEvent event = terminal_wait(terminal, -1, runs ? FRAME_MILLISECONDS : -1);
        if (event.kind == TERMINAL_GONE)
            break;
        if (event.kind == TERMINAL_KEY)
            good = training_watch_press(watch, event.key, err);
        else if (event.kind == TERMINAL_CHANGED)
            good = take_size(&cells, err);
        else if (event.kind == TERMINAL_TIME)
            good = app_train_go_on(watch, checkpoint, err);
    }
    cells_finish(&cells);
    return good;
}

bool app_train_live(TrainingWatch *watch, const char *checkpoint, bool *shown, Error *err)
{
    Terminal terminal = {.pasting = false};
    *shown = terminal_open(&terminal, err);
    if (!*shown)
        return true;
    bool good = follow(watch, checkpoint, &terminal, err);
    terminal_close(&terminal);
    return good;
}

bool app_train_is_told(int64_t step, int64_t steps)
{
    static const int64_t told[] = {0, 30, 100, 300, 1000};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (step == told[i])
            return true;
    return step == steps;
}
