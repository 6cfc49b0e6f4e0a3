// Two trainings side by side, from one seed, with one difference. Keys act on both, so both are always at
// the same step, unless one has failed.
//
// Life cycle: training_pair_open; training_pair_begin; then frames and keys until it ends;
// training_pair_close.
#ifndef TRAINING_PAIR_H
#define TRAINING_PAIR_H

#include "training_watch.h"

enum { PAIR_SIDES = 2 };

typedef struct TrainingPair {
    TrainingWatch sides[PAIR_SIDES]; // the recipe's, and the other one
    const char *names[PAIR_SIDES];   // the caller's
} TrainingPair;

// Opens both. If it returns false, neither is open.
bool training_pair_open(TrainingPair *pair, const TrainingRecipe *recipe,
                        const TrainingRecipe *other, Error *err);

// Measures both for the first time.
bool training_pair_begin(TrainingPair *pair, Error *err);

// Does one step of each side that has not failed or ended. Returns false if the machine fails; a
// failed step is a state of its side.
bool training_pair_step(TrainingPair *pair, Error *err);

// Does the steps of training_watch_frame on each running side, then measures.
bool training_pair_frame(TrainingPair *pair, Error *err);

// Applies a key to both sides, except keys for a single parameter. Going back leads to the earlier of the
// two chosen steps.
bool training_pair_press(TrainingPair *pair, const char *key, Error *err);

// The keys that act on at least one side: see training_watch_now.
unsigned training_pair_now(const TrainingPair *pair);

// True if one of them runs.
bool training_pair_runs(const TrainingPair *pair);

// The step that key b goes back to.
int64_t training_pair_back(const TrainingPair *pair);

void training_pair_close(TrainingPair *pair);

#endif
