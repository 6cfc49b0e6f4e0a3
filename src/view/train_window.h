// The window of a training, or of two beside each other: shows them, and tells what the person did there as keys of
// training_watch_press, whose state is the only one there is.
//
// Life cycle: train_window_open; then in turn train_window_show, window_wait and train_window_next until it
// says no; train_window_close.
#ifndef TRAIN_WINDOW_H
#define TRAIN_WINDOW_H

#include "train_view.h"
#include "window.h"

typedef struct TrainWindow {
    Window window;
    TrainView view;
    TrainPairView pair; // not opened for one training
    bool is_pair;
    bool stale;  // what is shown is not what is to be seen
    bool closed; // by the person
} TrainWindow;

// False, with a sentence, when there is no display.
bool train_window_open(TrainWindow *window, bool is_pair, Error *err);

// Draws the training, or both, if it is stale and the window can take it. False when the machine fails.
bool train_window_show(TrainWindow *window, const TrainingWatch *watch, Error *err);
bool train_window_show_pair(TrainWindow *window, const TrainingPair *pair, Error *err);

// The next key that was pressed there, or that a click is; false: none. err->text is a sentence when the
// window has gone by itself.
bool train_window_next(TrainWindow *window, char key[WINDOW_MESSAGE_MAX], Error *err);

void train_window_close(TrainWindow *window);

#endif
