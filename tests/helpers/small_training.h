// A training that takes no time, for tests of how trainings are watched.
#ifndef SMALL_TRAINING_H
#define SMALL_TRAINING_H

#include "training.h"

// The recipe with 60 steps of 5 texts, and a layer of width 12.
TrainingRecipe small_training(void);

#endif
