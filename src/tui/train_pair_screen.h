// Two trainings on a screen, beside each other: of each how its loss falls, how much is right, and what one
// head looks at.
#ifndef TRAIN_PAIR_SCREEN_H
#define TRAIN_PAIR_SCREEN_H

#include "cells.h"
#include "training_pair.h"

void train_pair_screen_draw(const TrainingPair *pair, Cells *cells);

#endif
