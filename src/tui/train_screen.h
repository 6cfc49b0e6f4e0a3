// A training on a screen, and two of them beside each other.
#ifndef TRAIN_SCREEN_H
#define TRAIN_SCREEN_H

#include "cells.h"
#include "training_pair.h"
#include "training_watch.h"

// --- one training
//
// A training on a screen: how the loss falls, which head answers which question, and what one head looks
// at after some steps, side by side.

void train_screen_draw(const TrainingWatch *watch, Cells *cells);

// Its parts, each into an area of its own: the loss of every step with the checkpoints below; answers
// and heads; the maps; the arithmetic of one parameter's last update.

// --- two trainings
//
// Two trainings on a screen, beside each other: of each how its loss falls, how much is right, and what one
// head looks at.

void train_pair_screen_draw(const TrainingPair *pair, Cells *cells);

#endif
