// A training in a window; see app_train.h.
#include "app_train.h"

#include "train_window.h"
#include "app_words.h"

// Everything that the person has done there. False: the machine fails, or the window is gone.
static bool take_keys(TrainWindow *window, TrainingWatch *watch, Error *err)
{
    char key[WINDOW_MESSAGE_MAX];
    while (!watch->left && train_window_next(window, key, err))
        if (!training_watch_press(watch, key, err))
            return false;
    watch->left = watch->left || window->closed;
    return err->text[0] == '\0';
}

static bool follow(TrainWindow *window, TrainingWatch *watch, const char *checkpoint, Error *err)
{
    bool good = true;
    while (good && !watch->left) {
        bool runs = watch->state == WATCH_RUNS && !watch->shows_help;
        if (runs)
            good = app_train_go_on(watch, checkpoint, err);
        window->stale = window->stale || runs;
        good = good && train_window_show(window, watch, err);
        if (good && !runs)
            window_wait(&window->window, -1);
        good = good && take_keys(window, watch, err);
    }
    return good;
}

bool app_train_window(TrainingWatch *watch, const char *checkpoint, Error *err)
{
    static TrainWindow window; // with the letters of a process: large
    Error why = {.text = ""};  // it advises what pictures have, and a training has not
    if (!train_window_open(&window, &why))
        return error_set(err, "%s", TELL(TRAIN_NO_WINDOW));
    bool good = follow(&window, watch, checkpoint, err);
    train_window_close(&window);
    return good;
}
