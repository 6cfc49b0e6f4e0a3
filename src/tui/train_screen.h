// A training on a screen: how the loss falls, which head answers which question, and what one head looks
// at after some steps, side by side.
#ifndef TRAIN_SCREEN_H
#define TRAIN_SCREEN_H

#include "cells.h"
#include "training_watch.h"

void train_screen_draw(const TrainingWatch *watch, Cells *cells);

// Its parts, each into an area of its own: the loss of every step with the checkpoints below; answers
// and heads; the maps; the arithmetic of one parameter's last update.
void train_loss_draw(const TrainingWatch *watch, Area area);
void train_skills_draw(const TrainingWatch *watch, Area area);
void train_maps_draw(const TrainingWatch *watch, Area area);
void train_parameter_draw(const TrainingWatch *watch, Area area);

// In the last line, what keys do now.
void train_keys_draw(Keymap keys, unsigned now, Area area);

// What the keys do, over a whole screen but its title.
void train_help_draw(Area area, bool of_pair);

// Whether a screen has no room for a training; then says so, and how large it would have to be.
bool train_small_draw(Cells *cells);

// The columns that train_skills_draw would like to have.
int train_skills_columns(const TrainingWatch *watch);

#endif
