// Trained weights in a file, and checkpoints of interrupted trainings.
//
// The weights have the names that scenarios read (weights: file: x.safetensors). A checkpoint also
// holds everything that the next step depends on, under names that begin with "training.", so a
// killed and continued training ends with the same bits as an uninterrupted one.
#ifndef TRAINING_FILE_H
#define TRAINING_FILE_H

#include "training.h"

// Writes the weights alone, .safetensors or .npz by ending.
bool training_write_weights(const Training *training, const char *path, Error *err);

bool training_write_checkpoint(const Training *training, const char *path, Error *err);

// Continues an open training with the same recipe. Returns false if the file is not a checkpoint of it;
// then close the training.
bool training_read_checkpoint(Training *training, const char *path, Error *err);

#endif
