// A training as a picture: how the loss falls, which head answers which question, and what every head
// looks at now, drawn by the figure that draws all maps. From a const TrainingWatch to a display list, and
// from pixels back to the keys of training_watch_press.
//
// Life cycle: train_view_open; train_view_draw whenever the training may have changed, and for what the
// pointer does the functions below; train_view_close, which accepts a zeroed TrainView.
#ifndef TRAIN_VIEW_H
#define TRAIN_VIEW_H

#include "figure.h"
#include "figure_theme.h"
#include "training_watch.h"

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

// --- its parts, each into a box of its own: train_view_parts.c

typedef struct TrainBox {
    int x, y, width, height; // pixels
} TrainBox;

// Points: of the room beside everything, above it, of what is said below, and of the keys.
enum { TRAIN_MARGIN = 24, TRAIN_TITLE = 44, TRAIN_MESSAGE = 52, TRAIN_KEYS = 34 };

// Pixels of `points`.
int train_points(const TrainView *view, double points);

// Text in one line, its middle at (x, y), and how wide it is.
int train_text(TrainView *view, DisplayItem item, const char *text);

// The heading at the top, from so far right on.
void train_heading(TrainView *view, int x, const char *text);

// Text in as many lines as it takes, at most as many as fit.
void train_paragraph(TrainView *view, TrainBox box, Colour colour, const char *text);

// Maps of the text that is looked at, so high and so far down.
bool train_maps(TrainView *view, const TrainingWatch *watch, int above, int height, Error *err);

void train_curve(TrainView *view, const TrainingWatch *watch, TrainBox box);
void train_table(TrainView *view, const TrainingWatch *watch, TrainBox box);
void train_parameter(TrainView *view, const TrainingWatch *watch, TrainBox box);
void train_help(TrainView *view, bool is_beside, TrainBox box);

// The keys that do something now (training_watch_now), as far as there is room, each to be clicked.
void train_keys(TrainView *view, unsigned now, TrainBox box);

// What of a training is said below its maps, in the colour of what has broken off or not.
void train_message(TrainView *view, bool is_alarm, const char *message, unsigned now);

#endif
