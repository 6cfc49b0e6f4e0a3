// One update of one parameter, number by number: what a person works through by hand.
#ifndef TRAINING_WATCH_H
#define TRAINING_WATCH_H

#include "keymap.h"
#include "measure.h"
#include "training.h"

// --- one update of one parameter
//
// Number by number: what a person works through by hand.

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

// To be called before a step and after it; the second completes what the first began.

// rate / (1 - beta1^t), and sqrt(v) / sqrt(1 - beta2^t) + epsilon, as training.c computes them: the
// new value is value[0] - step_size * (moment1[1] / divisor).
float parameter_step_size(const ParameterStep *update);
float parameter_divisor(const ParameterStep *update, float epsilon);

// --- a training at some step, kept in memory (training_file.c)
//
// To go back to, and to go on from with the same bits.

typedef struct TrainingKeep {
    int64_t step;
    float loss, paid, rate_scale;
    bool by_hand;
    Generator generator;
    double power1, power2;
    float
        *numbers; // every weight and its moments, in the order of WeightNumber; NULL: nothing kept
} TrainingKeep;

// Keeps the training as it is now, over what `keep` held. The numbers are taken from the arena, once.
bool training_keep(const Training *training, TrainingKeep *keep, Arena *arena, Error *err);

// Lets the training be as it was; a step that broke off is forgotten.
void training_return(Training *training, const TrainingKeep *keep);

// --- the training that is watched

enum {
    WATCH_MAPS_MAX = 10,
    WATCH_KEEPS_MAX = 40,
    WATCH_SENTENCES = 4,
    WATCH_TYPED_MAX = 16,
    WATCH_SENTENCE_LENGTH = 12, // of those beside the document's, at most: maps stand side by side
};

typedef enum WatchState { WATCH_RUNS, WATCH_PAUSED, WATCH_ENDED, WATCH_BROKE_OFF } WatchState;

// What was wrong with the last key of a new value.
typedef enum WatchTyping {
    TYPING_FINE,
    TYPING_OTHER_KEY, // that is of no number
    TYPING_FULL,      // there is no room for it
    TYPING_NO_NUMBER, // Enter, but it is none so far
    TYPING_TOO_LARGE  // Enter, but no float32 holds it
} WatchTyping;

// What every head looked at after some step: [WATCH_SENTENCES, heads, L, L], L = GRAMMAR_LENGTH_MAX; heads
// of all layers, as training_heads counts them.
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
    bool is_beside;       // another, with which it shares its keys: training_pair.h
    int digit;            // of the key that is pressed, where that is one
    ParameterStep update; // of the parameter that is looked at, by the last step
    bool types;           // a new value for it, so far as in `typed`
    char typed[WATCH_TYPED_MAX + 1];
    WatchTyping typing;
    bool is_by_hand;          // it has that value, and no step was done since
    bool hangul, hangul_said; // that its letters are keys: is said until the next key; was said
    Arena arena;
} TrainingWatch;

// Opens the training and what is kept of it. False: nothing is open.
bool training_watch_open(TrainingWatch *watch, const TrainingRecipe *recipe, Error *err);

// Looks at the training for the first time.
bool training_watch_begin(TrainingWatch *watch, Error *err);

// Does a few steps, more the further the training is, where it runs; then looks. False where the machine
// fails; a step that breaks off is a state.
bool training_watch_frame(TrainingWatch *watch, Error *err);

// Does one step, and keeps what is to be kept of it.
bool training_watch_step(TrainingWatch *watch, Error *err);

// Maps, and answers where they are due, as the weights are now.
bool training_watch_look(TrainingWatch *watch, bool must_measure, Error *err);

// Of a row of its keys: a window has a button for it.
enum { WATCH_CLICK = 1 << 8 };

// Its keys, which keymaps.def lists, and those while a new value is typed; which of the first do something now,
// and which ever do, alone or beside another training: what keymap_find and its like take for `now`.
extern const Keymap training_watch_keys, training_typing_keys;
unsigned training_watch_now(const TrainingWatch *watch);
unsigned training_watch_ever(bool of_pair);

// What a key does; one that means nothing now does nothing.
bool training_watch_press(TrainingWatch *watch, const char *key, Error *err);

// Pauses, and waits for a new value of the parameter that is looked at; then what a key does to it.

// The weight that a head gave, in row `at` of the sentence that is looked at, to place `to`.
float training_watch_weight(const TrainingWatch *watch, const WatchMaps *maps, int head, int at,
                            int to);

// The largest weight in a row of the document's sentence as it is now, the mean over rows and heads: near 1
// where softmax is saturated.
double training_watch_sharpness(const TrainingWatch *watch);

// The losses as a curve. Its last step: all until now are shown, and a few at the start. The mean of the
// losses of one of its columns, NaN where no step of it was done; a column that is narrower than a step
// shows that step. The largest loss of a step, which columns do not change; 0: there is none yet.
int64_t training_watch_last(const TrainingWatch *watch);
float training_watch_loss(const TrainingWatch *watch, int column, int columns);
float training_watch_largest(const TrainingWatch *watch);

void training_watch_close(TrainingWatch *watch);

#endif
