// A training in a window, or two; see app_train.h.
#include "app_train.h"

#include "app_words.h"
#include "train_window.h"

// What is watched there: one training or two.
typedef struct Watched {
    TrainingWatch *watch;   // whose `left` says that the person has gone; of two the first
    TrainingPair *pair;     // NULL: one
    const char *checkpoint; // of one; NULL: nowhere
} Watched;

static bool runs(const Watched *watched)
{
    bool is_running =
        watched->pair ? training_pair_runs(watched->pair) : watched->watch->state == WATCH_RUNS;
    return is_running && !watched->watch->shows_help;
}

static bool go_on(const Watched *watched, Error *err)
{
    return watched->pair ? training_pair_frame(watched->pair, err)
                         : app_train_go_on(watched->watch, watched->checkpoint, err);
}

static bool show(TrainWindow *window, const Watched *watched, Error *err)
{
    return watched->pair ? train_window_show_pair(window, watched->pair, err)
                         : train_window_show(window, watched->watch, err);
}

static bool press(const Watched *watched, const char *key, Error *err)
{
    return watched->pair ? training_pair_press(watched->pair, key, err)
                         : training_watch_press(watched->watch, key, err);
}

// Everything that the person has done there. False: the machine fails, or the window is gone.
static bool take_keys(TrainWindow *window, const Watched *watched, Error *err)
{
    char key[WINDOW_MESSAGE_MAX];
    TrainingWatch *watch = watched->watch;
    while (!watch->left && train_window_next(window, key, err))
        if (!press(watched, key, err))
            return false;
    watch->left = watch->left || window->closed;
    return err->text[0] == '\0';
}

static bool follow(TrainWindow *window, const Watched *watched, Error *err)
{
    bool good = true;
    while (good && !watched->watch->left) {
        bool is_running = runs(watched);
        if (is_running)
            good = go_on(watched, err);
        window->stale = window->stale || is_running;
        good = good && show(window, watched, err);
        if (good && !is_running)
            window_wait(&window->window, -1);
        good = good && take_keys(window, watched, err);
    }
    return good;
}

static bool follow_in_window(const Watched *watched, Error *err)
{
    static TrainWindow window; // with the letters of a process: large
    Error why = {.text = ""};  // it advises what pictures have, and a training has not
    if (!train_window_open(&window, watched->pair != NULL, &why))
        return error_set(err, "%s", TELL(TRAIN_NO_WINDOW));
    bool good = follow(&window, watched, err);
    train_window_close(&window);
    return good;
}

bool app_train_window(TrainingWatch *watch, const char *checkpoint, Error *err)
{
    return follow_in_window(&(Watched){.watch = watch, .checkpoint = checkpoint}, err);
}

bool app_train_window_pair(TrainingPair *pair, Error *err)
{
    return follow_in_window(&(Watched){.watch = &pair->sides[0], .pair = pair}, err);
}
