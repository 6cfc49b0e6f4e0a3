// A training at some step, kept in memory: to go back to, and to go on from with the same bits.
#ifndef TRAINING_KEEP_H
#define TRAINING_KEEP_H

#include "training.h"

typedef struct TrainingKeep {
    int64_t step;
    float loss, paid, rate_scale;
    bool by_hand;
    Generator generator;
    double power1, power2;
    float
        *numbers; // every weight and its moments, in the order of WeightNumber; NULL: nothing kept
} TrainingKeep;

// Keeps the training as it is now, over what `keep` held. The numbers are taken from the arena, once.
bool training_keep(const Training *training, TrainingKeep *keep, Arena *arena, Error *err);

// Lets the training be as it was; a step that broke off is forgotten.
void training_return(Training *training, const TrainingKeep *keep);

#endif
