// A training in the terminal, live.
#ifndef APP_TRAIN_H
#define APP_TRAIN_H

#include "training_watch.h"

// How often a training is kept in its file: after so many steps.
enum { TRAIN_CHECKPOINT_STEPS = 100 };

// Shows the training, which has begun, until the person leaves or the terminal is gone. Its state is kept
// in `checkpoint` on the way (NULL: nowhere). *shown is false, with a sentence, where there is no terminal
// to draw on; the result is false where the machine fails.
bool app_train_live(TrainingWatch *watch, const char *checkpoint, bool *shown, Error *err);

// Whether a training of so many steps is told about after this one, where it is told line by line.
bool app_train_is_told(int64_t step, int64_t steps);

// Two trainings from the same seed beside each other, line by line: the recipe's, and one that is
// different in `what`: "scale none", "heads 1", "position none". An exit code.
int app_train_compare(const TrainingRecipe *recipe, const char *what);

#endif
