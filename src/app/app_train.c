// app_train: see app_train.h.
#include "app_train.h"

#include "tui.h"
#include "train_screen.h"
#include "training_file.h"
#include "training_told.h"
#include "app_words.h"

enum { FRAME_MILLISECONDS = 20 }; // for keys, between two frames of a training that runs

bool app_train_go_on(TrainingWatch *watch, const char *checkpoint, Error *err)
{
    int64_t kept = watch->training.step / TRAIN_CHECKPOINT_STEPS;
    if (!training_watch_frame(watch, err))
        return false;
    bool is_due = watch->training.step / TRAIN_CHECKPOINT_STEPS != kept;
    return !checkpoint || !is_due || training_write_checkpoint(&watch->training, checkpoint, err);
}

// A training while somebody is at the terminal.
typedef struct Live {
    TrainingWatch *watch;
    const char *checkpoint;
} Live;

static void draw(void *context, Cells *cells)
{
    const Live *live = context;
    train_screen_draw(live->watch, cells);
}

static bool hear(void *context, const TerminalEvent *event, const Cells *cells, Error *err)
{
    const Live *live = context;
    (void)cells;
    if (event->kind == TERMINAL_KEY)
        return training_watch_press(live->watch, event->key, err);
    return event->kind != TERMINAL_TIME || app_train_go_on(live->watch, live->checkpoint, err);
}

static bool is_over(const void *context)
{
    const Live *live = context;
    return live->watch->left;
}

static LoopWants wants(void *context)
{
    const Live *live = context;
    bool runs = live->watch->state == WATCH_RUNS && !live->watch->shows_help;
    return (LoopWants){.beside = -1, .milliseconds = runs ? FRAME_MILLISECONDS : -1};
}

bool app_train_live(TrainingWatch *watch, const char *checkpoint, bool *shown, Error *err)
{
    static const LoopView view = {.draw = draw, .hear = hear, .is_over = is_over, .wants = wants};
    Live live = {watch, checkpoint};
    LoopEnd end = loop_run(&view, &live, err);
    *shown = end != LOOP_UNOPENED;
    return end != LOOP_BROKEN_OFF;
}

bool app_train_is_told(int64_t step, int64_t steps)
{
    static const int64_t told[] = {0, 30, 100, 300, 1000};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (step == told[i])
            return true;
    return step == steps;
}

void app_train_print_cost(const TrainingRecipe *recipe)
{
    if (recipe->overlap_cost > 0.0f)
        printf(TELL(TRAIN_PAID_FOR), (double)recipe->overlap_cost);
}

void app_train_print_loss(const Training *training)
{
    if (training->step == 0)
        return;
    printf(TELL(TRAIN_LOSS), (double)training->loss);
    if (training->recipe.overlap_cost > 0.0f)
        printf(TELL(TRAIN_PAID), (double)training->paid);
}

void app_train_print_verdict(const Training *training, const Measure *measure)
{
    char text[2 * TOLD_BYTES];
    training_told_verdict(training, measure, text, sizeof text);
    printf("%s\n", text);
}
