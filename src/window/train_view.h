// A training as a picture, and two of them beside each other.
#ifndef TRAIN_VIEW_H
#define TRAIN_VIEW_H

#include "figure.h"
#include "training_pair.h"
#include "training_watch.h"
#include "window.h"

// --- one training
//
// A training as a picture: how the loss falls, which head answers which question, and what every head
// looks at now, drawn by the figure that draws all maps. From a const TrainingWatch to a display list, and
// from pixels back to the keys of training_watch_press.
//
// Life cycle: train_view_open; train_view_draw whenever the training may have changed, and for what the
// pointer does the functions below; train_view_close, which accepts a zeroed TrainView.

enum { TRAIN_BUTTONS_MAX = 12 + 2 * MEASURE_HEADS_MAX };

// What can be pressed, and the key that it is.
typedef struct TrainButton {
    int x, y, width, height; // pixels
    char key[KEY_NAME_MAX];
} TrainButton;

typedef struct TrainView {
    int width, height; // pixels
    double scale;      // pixels a point
    FontMetrics metrics;
    DisplayList list;
    FigureCache *cache;
    Figure figure;     // what lies where on the last drawing,
    int figure_y;      // and how far it was moved down
    FigureCell cursor; // the cell that is read out
    int head;          // of the training, when it was drawn
    unsigned long version;
    TrainingBatch text; // the sentence that is looked at, by itself
    int sentence;       // which one that is; -1: none yet
    ScenarioAsked asked[MEASURE_HEADS_MAX];
    bool of_word[MEASURE_HEADS_MAX][GRAMMAR_WORDS];
    TrainButton buttons[TRAIN_BUTTONS_MAX];
    int button_count;
} TrainView;

// Usual letters on 1280 x 960 pixels.
bool train_view_open(TrainView *view, Error *err);
void train_view_close(TrainView *view);

// Draws into view->list. False, with a sentence, when there is no memory.
bool train_view_draw(TrainView *view, const TrainingWatch *watch, Error *err);

// The key that a click at a pixel is; NULL: none.
const char *train_view_press(const TrainView *view, int x, int y);

// Reads out the cell at a pixel. False: there is none.
bool train_view_point(TrainView *view, int x, int y);

// --- its parts, each into a box of its own: train_view.c

typedef struct TrainBox {
    int x, y, width, height; // pixels
} TrainBox;

// Points: of the room beside everything, above it, of what is said below, and of the keys.
enum { TRAIN_MARGIN = 24, TRAIN_TITLE = 44, TRAIN_MESSAGE = 52, TRAIN_KEYS = 34 };

// --- two trainings
//
// The picture of two trainings beside each other: on each half what train_view.h has of one, and below
// both what is said and the keys, which are for both.
//
// Life cycle: train_pair_view_open; train_pair_view_draw whenever a training may have changed;
// train_pair_view_close, which accepts a zeroed TrainPairView.

typedef struct TrainPairView {
    TrainView sides[PAIR_SIDES];
    int x[PAIR_SIDES], y; // where they lay on the last drawing, pixels
} TrainPairView;

// False: nothing is open.
bool train_pair_view_open(TrainPairView *view, Error *err);
void train_pair_view_close(TrainPairView *view);

// Draws into whole->list, on its pixels and with its letters; what can be pressed lies in whole->buttons.
// False, with a sentence, when there is no memory.
bool train_pair_view_draw(TrainPairView *view, TrainView *whole, const TrainingPair *pair,
                          Error *err);

// Reads out the cell at a pixel, and that of the other side at the same place. False: there is none.
bool train_pair_view_point(TrainPairView *view, int x, int y);

// --- its window
//
// The window of a training, or of two beside each other: shows them, and tells what the person did there as keys of
// training_watch_press, whose state is the only one there is.
//
// Life cycle: train_window_open; then in turn train_window_show, window_wait and train_window_next until it
// says no; train_window_close.

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
