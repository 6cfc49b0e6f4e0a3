// Two trainings that a person watches beside each other: from one seed, with one thing different. Keys are
// for both, so that both are always at the same step, unless one of them has broken off.
//
// Life cycle: training_pair_open; training_pair_begin; then frames and keys until it is left;
// training_pair_close.
#ifndef TRAINING_PAIR_H
#define TRAINING_PAIR_H

#include "training_watch.h"

enum { PAIR_SIDES = 2 };

typedef struct TrainingPair {
    TrainingWatch sides[PAIR_SIDES]; // the recipe's, and the other one
    const char *names[PAIR_SIDES];   // the caller's
} TrainingPair;

// Opens both. False: nothing is open.
bool training_pair_open(TrainingPair *pair, const TrainingRecipe *recipe,
                        const TrainingRecipe *other, Error *err);

// Looks at both for the first time.
bool training_pair_begin(TrainingPair *pair, Error *err);

// Does one step of each that has not broken off or ended. False where the machine fails; a step that
// breaks off is a state of its side.
bool training_pair_step(TrainingPair *pair, Error *err);

// Does as many steps as training_watch_frame does, of those that run; then looks.
bool training_pair_frame(TrainingPair *pair, Error *err);

// What a key does, to both; what is of a single parameter is not among them. Going back leads to the earlier
// one of the two chosen steps.
bool training_pair_press(TrainingPair *pair, const char *key, Error *err);

// Which keys do something to one of them: training_watch_now.
unsigned training_pair_now(const TrainingPair *pair);

// Whether one of them runs.
bool training_pair_runs(const TrainingPair *pair);

// The step that b goes back to.
int64_t training_pair_back(const TrainingPair *pair);

void training_pair_close(TrainingPair *pair);

#endif
