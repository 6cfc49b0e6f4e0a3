// A training in the terminal or in a window, live.
#ifndef APP_TRAIN_H
#define APP_TRAIN_H

#include "app.h"
#include "training_pair.h"

// How often a training is kept in its file: every so many steps.
enum { TRAIN_CHECKPOINT_STEPS = 100 };

// Where a training is seen: line by line, live in the terminal, or in a window.
typedef enum TrainPlace { TRAIN_IN_LINES, TRAIN_IN_TERMINAL, TRAIN_IN_WINDOW } TrainPlace;

// Shows the training, which has begun, until the person leaves or the terminal is gone. Its state is kept
// in `checkpoint` on the way (NULL: nowhere). *shown is false, with a sentence, where there is no terminal
// to draw on; the result is false where the machine fails.
bool app_train_live(TrainingWatch *watch, const char *checkpoint, bool *shown, Error *err);

// The same in a window, until it is closed. False, with a sentence, also where there is no display, or none
// any more.
bool app_train_window(TrainingWatch *watch, const char *checkpoint, Error *err);

// Whether line by line output tells of this step, in a training of this many steps.
bool app_train_is_told(int64_t step, int64_t steps);

// The text, and blanks up to that many columns.
void app_train_print_padded(const char *text, int columns);

// What the numbers behind the loss are, where there are any; before the first of them.
void app_train_print_cost(const TrainingRecipe *recipe);

// The loss of the last step, and what the overlap cost in it. Nothing before the first step.
void app_train_print_loss(const Training *training);

// Whether its heads have parted, and whether somebody changed a weight on the way.
void app_train_print_verdict(const Training *training, const Measure *measure);

// Where the weights are, and what opens them with the learner's words and questions. The second is for
// whoever comes with such a file; of the options --heads counts.
void app_train_print_opening(const AppOptions *options, const char *file);

// Two trainings from the same seed beside each other: the recipe's, and one that is different in `what`:
// "overlap none", "scale none", "heads 1", "position none". An exit code.
int app_train_compare(const TrainingRecipe *recipe, const char *what, TrainPlace place);

#endif
