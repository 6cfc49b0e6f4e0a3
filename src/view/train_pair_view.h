// The picture of two trainings beside each other: on each half what train_view.h has of one, and below
// both what is said and the keys, which are for both.
//
// Life cycle: train_pair_view_open; train_pair_view_draw whenever a training may have changed;
// train_pair_view_close, which accepts a zeroed TrainPairView.
#ifndef TRAIN_PAIR_VIEW_H
#define TRAIN_PAIR_VIEW_H

#include "train_view.h"
#include "training_pair.h"

typedef struct TrainPairView {
    TrainView sides[PAIR_SIDES];
    int x[PAIR_SIDES], y; // where they lay on the last drawing, pixels
} TrainPairView;

// False: nothing is open.
bool train_pair_view_open(TrainPairView *view, Error *err);
void train_pair_view_close(TrainPairView *view);

// Draws into whole->list, on its pixels and with its letters; what can be pressed lies in whole->buttons.
// False, with a sentence, when there is no memory.
bool train_pair_view_draw(TrainPairView *view, TrainView *whole, const TrainingPair *pair,
                          Error *err);

// Reads out the cell at a pixel, and that of the other side at the same place. False: there is none.
bool train_pair_view_point(TrainPairView *view, int x, int y);

#endif
