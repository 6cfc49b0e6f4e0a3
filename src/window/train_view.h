// Pictures of one training or two, and their window.
#ifndef TRAIN_VIEW_H
#define TRAIN_VIEW_H

#include "figure.h"
#include "training_watch.h"
#include "window.h"

// Draws a const TrainingWatch to a display list: the loss, which head answers which question, and each head's
// map; of two, one in each half, and message and keys below for both. Turns pixels back into keys for
// training_watch_press.
//
// Life cycle: train_view_open; train_view_draw whenever the training may have changed; train_view_close, which
// accepts a zeroed TrainView.

enum { TRAIN_BUTTONS_MAX = 12 + 2 * MEASURE_HEADS_MAX };

// A button, and the key that it stands for.
typedef struct TrainButton {
    int x, y, width, height; // pixels
    char key[KEY_NAME_MAX];
} TrainButton;

typedef struct TrainView {
    struct TrainView *sides; // two, or NULL
    int x, y;                // of a side, in the last drawing
    Arena arena;             // of the sides
    int width, height;       // pixels
    double scale;            // pixels per point
    FontMetrics metrics;
    DisplayList list;
    FigureCache *cache;
    Figure figure;     // positions of the last drawing,
    int figure_y;      // moved down by this much
    FigureCell cursor; // the cell read out
    int head;          // the selected head, when drawn
    unsigned long version;
    TrainingBatch text; // the sentence shown
    int sentence;       // its number; -1: none yet
    ScenarioAsked asked[MEASURE_HEADS_MAX];
    bool of_word[MEASURE_HEADS_MAX][GRAMMAR_WORDS];
    TrainButton buttons[TRAIN_BUTTONS_MAX];
    int button_count;
} TrainView;

// Starts with 1280 x 960 pixels and the usual font. On failure nothing is open.
bool train_view_open(TrainView *view, bool is_pair, Error *err);
void train_view_close(TrainView *view);

// Draws into view->list. Returns false and sets err without memory.
bool train_view_draw(TrainView *view, const TrainingWatch *watch, Error *err);

// The key of the button at a pixel, or NULL.
const char *train_view_press(const TrainView *view, int x, int y);

// Reads out the cell at a pixel, on both sides. Returns false if there is none.
bool train_view_point(TrainView *view, int x, int y);

// --- its window
//
// Shows one training or two, and reports input as keys for training_watch_press.
//
// Life cycle: train_window_open; then in turn train_window_show, window_wait, and train_window_next until it
// returns false; train_window_close.

typedef struct TrainWindow {
    Window window;
    TrainView view;
    bool stale;  // must be drawn again
    bool closed; // by the user
} TrainWindow;

// Returns false and sets err without a display.
bool train_window_open(TrainWindow *window, bool is_pair, Error *err);

// Draws the training, or both, if it is stale and the window is ready. Returns false if the machine fails.
bool train_window_show(TrainWindow *window, const TrainingWatch *watch, Error *err);

// The next key that was pressed or clicked; false: none. Sets err if the window was lost.
bool train_window_next(TrainWindow *window, char key[WINDOW_MESSAGE_MAX], Error *err);

void train_window_close(TrainWindow *window);

#endif
