// A training that a person watches, alone or beside another: its updates, records, keys and curves.
#ifndef TRAINING_WATCH_H
#define TRAINING_WATCH_H

#include "keymap.h"
#include "measure.h"
#include "training.h"

// --- one update of one parameter
//
// Every number of the update, for working it through by hand.

typedef struct ParameterStep {
    int64_t step;                  // which update it was, from 1; 0: none yet
    int weight;                    // a WeightNumber, or one of a later layer
    ptrdiff_t place;               // among the numbers of that weight
    float gradient;                // what the batch asks for
    float moment1[2], moment2[2];  // before the update and after it
    float value[2];                // likewise
    float rate;                    // of this update
    double remaining1, remaining2; // 1 - beta1^t, 1 - beta2^t
} ParameterStep;

// Call one before a step and the other after it.

// rate / (1 - beta1^t), and sqrt(v) / sqrt(1 - beta2^t) + epsilon, as training.c computes them: the
// new value is value[0] - step_size * (moment1[1] / divisor).
float parameter_step_size(const ParameterStep *update);
float parameter_divisor(const ParameterStep *update, float epsilon);

// --- a training at some step, kept in memory (training_file.c)
//
// For going back, and for continuing with the same bits.

// All but the numbers: what a checkpoint's file has, too. `recipe` tells another's.
typedef struct TrainingState {
    int64_t step, recipe[8];
    double power1, power2, rate_scale;
    int64_t by_hand;
    Generator generator;
} TrainingState;

typedef struct TrainingKeep {
    TrainingState state;
    float loss, paid;
    bool has_loss;
    float
        *numbers; // every weight and its moments, in the order of WeightNumber; NULL: nothing kept
} TrainingKeep;

// Saves the current state, replacing the one in `keep`. Allocates from the arena the first time.
bool training_keep(const Training *training, TrainingKeep *keep, Arena *arena, Error *err);

// Restores the training; discards a failed step.
void training_return(Training *training, const TrainingKeep *keep);

// --- the training that is watched

enum {
    WATCH_MAPS_MAX = 10,
    WATCH_KEEPS_MAX = 40,
    WATCH_SENTENCES = 4,
    WATCH_TYPED_MAX = 16,
    WATCH_SENTENCE_LENGTH = 12, // of those beside the document's, at most: maps stand side by side
    WATCH_SIDES = 2,
};

typedef enum WatchState { WATCH_RUNS, WATCH_PAUSED, WATCH_ENDED, WATCH_BROKE_OFF } WatchState;

// The error of the last key while typing a new value.
typedef enum WatchTyping {
    TYPING_FINE,
    TYPING_OTHER_KEY, // that is of no number
    TYPING_FULL,      // there is no room for it
    TYPING_NO_NUMBER, // Enter, but it is none so far
    TYPING_TOO_LARGE  // Enter, but no float32 holds it
} WatchTyping;

// Every head's weights after a step: [WATCH_SENTENCES, heads, L, L], L = GRAMMAR_LENGTH_MAX; heads of all
// layers in the order of training_heads.
typedef struct WatchMaps {
    int64_t step;
    float *weights;
} WatchMaps;

typedef struct TrainingWatch {
    Training training;
    TrainingBatch sentences; // the document's, and some that are held out
    Measure measure;         // without the heads that are taken away
    int64_t measured_at;     // the step
    float *losses;           // of every step of the recipe; NaN where it has not been here
    WatchMaps maps[WATCH_MAPS_MAX], now;
    int map_count;
    TrainingKeep keeps[WATCH_KEEPS_MAX]; // to go back to, the earliest first
    int keep_count, keep_chosen;
    unsigned without; // heads that are taken away, a bit each
    int head, sentence;
    WatchState state;
    float speed, owed; // how many times the usual steps a frame does, and parts of one still to do
    Error broken;      // WATCH_BROKE_OFF: which step, and where it shows
    bool shows_parameter, shows_help, left;
    struct TrainingWatch *other; // with which it shares its keys; NULL: it is watched alone
    const char *name;            // the caller's, of one of two
    int digit;                   // of the key that is pressed, where that is one
    ParameterStep update;        // of the parameter that is looked at, by the last step
    bool types;                  // a new value for it, so far as in `typed`
    char typed[WATCH_TYPED_MAX + 1];
    WatchTyping typing;
    bool is_by_hand;          // it has that value, and no step was done since
    bool hangul, hangul_said; // that its letters are keys: is said until the next key; was said
    Arena arena;
} TrainingWatch;

// Opens the training and its records. If it returns false, nothing is open.
bool training_watch_open(TrainingWatch *watch, const TrainingRecipe *recipe, Error *err);

// Opens `other` beside it: two trainings from one seed, with one difference. Keys act on both, so both are always
// at the same step, unless one has failed; the functions below are given the first. If it returns false, the
// first alone is open.
bool training_watch_open_other(TrainingWatch *watch, TrainingWatch *other,
                               const TrainingRecipe *recipe, Error *err);

// Measures for the first time.
bool training_watch_begin(TrainingWatch *watch, Error *err);

// True if it, or one of both, runs.
bool training_watch_runs(const TrainingWatch *watch);

// Does a few steps of each that runs, more as the training proceeds; then measures. Returns false if the
// machine fails; a failed step is a state.
bool training_watch_frame(TrainingWatch *watch, Error *err);

// Does one step of each that has not failed or ended, and records it.
bool training_watch_step(TrainingWatch *watch, Error *err);

// Updates the maps, and the answers if they are due, for the current weights.
bool training_watch_look(TrainingWatch *watch, bool must_measure, Error *err);

// True if a window has a button for this key.
enum { WATCH_CLICK = 1 << 8 };

// The keymaps (keymaps.def) of the watched training and of typing a new value; the keys that act now, and those
// that ever act: the argument `now` of keymap_find and others.
extern const Keymap training_watch_keys, training_typing_keys;
unsigned training_watch_now(const TrainingWatch *watch);
unsigned training_watch_ever(const TrainingWatch *watch);

// Applies a key, to both; does nothing if the key has no meaning now.
bool training_watch_press(TrainingWatch *watch, const char *key, Error *err);

// The step that key b goes back to: the earlier one of the two that are chosen.
int64_t training_watch_back(const TrainingWatch *watch);

// The weight that a head gives to position `to` in row `at` of the selected sentence.
float training_watch_weight(const TrainingWatch *watch, const WatchMaps *maps, int head, int at,
                            int to);

// The largest weight of a row in the document's sentence, as a mean over rows and heads: near 1 if softmax
// is saturated.
double training_watch_sharpness(const TrainingWatch *watch);

// The losses as a curve. The last step shown: all steps so far, and at least a few. The mean loss of a
// column, NaN if none of its steps is done; a column narrower than a step shows that step. The largest
// loss of any step, whatever the columns; 0 if there is none yet.
int64_t training_watch_last(const TrainingWatch *watch);
float training_watch_loss(const TrainingWatch *watch, int column, int columns);
float training_watch_largest(const TrainingWatch *watch);

// Closes both.
void training_watch_close(TrainingWatch *watch);

// --- texts about a watched training, the same in a terminal and in a window: training_text.c

enum { TRAINING_TEXT_MAX = 256, PARAMETER_LINES_MAX = 11 };

// The step, the loss of one alone, the learning rate, and whether it runs.
void training_text_title(const TrainingWatch *watch, char text[TRAINING_TEXT_MAX]);

// The most important news about one or both, in one or two sentences. With `tells_pale` it also explains pale rows, for
// views that show no legend beside the maps.
void training_text_message(const TrainingWatch *watch, bool tells_pale, char *text, size_t room);

// A question's name in the person's language.
const char *training_text_question(const Training *training, Question question);

// Whether heads have specialised, or which questions are not learned; also whether a weight was changed by
// hand.
void training_text_verdict(const Training *training, const Measure *measure, char *text,
                           size_t room);

// Help for the keys and the table, line by line; "" is an empty line, NULL the end. The result may point into
// `text`.
const char *training_text_help(const TrainingWatch *watch, int line, char text[TRAINING_TEXT_MAX]);

// For one of two: its name and loss; the size of its weights.
void training_text_side(const TrainingWatch *side, char text[TRAINING_TEXT_MAX]);
void training_text_sharpness(const TrainingWatch *side, char text[TRAINING_TEXT_MAX]);

// The selected parameter: its name, then its last update, number by number.
typedef struct ParameterLine {
    bool is_name, is_result;
    char text[TRAINING_TEXT_MAX];
} ParameterLine;

// The number of lines.
int training_text_parameter(const TrainingWatch *watch, ParameterLine lines[PARAMETER_LINES_MAX]);

#endif
