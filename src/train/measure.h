// What a trained layer knows, on texts that it never saw: how many answers are right, where each head
// looks for them, and what is lost without a head.
#ifndef MEASURE_H
#define MEASURE_H

#include "training.h"

enum { MEASURE_HEADS_MAX = 16, MEASURE_TEXTS = 256 };

typedef struct Measure {
    // Of the rows that have to look for their answer (a pronoun, any word but the first, any but the
    // mark itself): how many there are, and how many answers are right.
    int rows[QUESTION_COUNT];
    double right[QUESTION_COUNT];

    // How much of its weight a head puts on the place where the answer stands; the mean over rows.
    double mass[QUESTION_COUNT][MEASURE_HEADS_MAX];

    // How many answers are right when what that head found is replaced by 0.
    double right_without[QUESTION_COUNT][MEASURE_HEADS_MAX];

    int owner[QUESTION_COUNT]; // the head with the most mass
    bool is_distinct;          // every question has another one
    bool is_clear; // and its mass is 0.8 or more, its question falls to half without it, and the
                   // other questions stay at 0.7 or more
} Measure;

// Measures on MEASURE_TEXTS held-out texts, the same ones each time.
bool measure_training(const Training *training, Measure *measure, Error *err);

// The weight that a head gives, in row `at` of the first text of a batch that has run, to place `to`.
float measure_weight(const TrainingBatch *batch, int head, int at, int to);

#endif
