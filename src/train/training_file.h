// Trained weights in a file, and a training that was interrupted.
//
// The weights have the names that scenarios ask for (weights: file: x.safetensors). A checkpoint has
// beside them all that the next step depends on, under names that begin with "training.", so that a
// training that is killed and continued ends with the bits of one that was not.
#ifndef TRAINING_FILE_H
#define TRAINING_FILE_H

#include "training.h"

// Writes the weights alone, .safetensors or .npz by ending.
bool training_write_weights(const Training *training, const char *path, Error *err);

bool training_write_checkpoint(const Training *training, const char *path, Error *err);

// Continues a training that is open, with the same recipe. False where the file is no checkpoint of it;
// then the training must be closed.
bool training_read_checkpoint(Training *training, const char *path, Error *err);

#endif
