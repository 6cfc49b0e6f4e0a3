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

#endif
