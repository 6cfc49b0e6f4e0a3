// A small training that is watched, and the screen of it, for tests of both; without a terminal.
#ifndef WATCHED_TRAINING_H
#define WATCHED_TRAINING_H

#include "cells.h"
#include "small_training.h"
#include "training_watch.h"

extern TrainingWatch watch;
extern Cells watched_cells;

void begin(const TrainingRecipe *recipe);
void setup(void); // of small_training
void finish(void);

void press(const char *key);

// Takes so many steps, and looks at what came of them.
void steps(int count);

// The screen as text, and whether one of 110 x 34 says this.
const char *drawn(int columns, int rows);
void check_says(const char *text);

#endif
