// Measures trained layers on held-out texts: how many answers are right, where each head looks for
// them, and what is lost without a head.
#ifndef MEASURE_H
#define MEASURE_H

#include "training.h"

enum { MEASURE_HEADS_MAX = 16, MEASURE_TEXTS = 256 };

// A question counts as learned from this share of right answers on; before, its head means little.
#define MEASURE_LEARNED 0.98

typedef struct Measure {
    // Of the rows that must look for their answer (a pronoun, any word but the first, any but the
    // mark itself): their number, and the number of right answers.
    int rows[QUESTION_COUNT];
    double right[QUESTION_COUNT];

    // The weight that a head puts on the answer's position, as a mean over rows. In repeating
    // texts: on all its positions ("what came after", in the literature prefix matching), and, as
    // QUESTION_BEFORE, the weight on the word before in the rows of these positions (the
    // previous-token score).
    double mass[QUESTION_COUNT][MEASURE_HEADS_MAX];

    // In repeating texts: the weight on the next position, which only heads without a mask see.
    int rows_ahead;
    double ahead[MEASURE_HEADS_MAX];

    // The number of right answers when that head's result is replaced by 0.
    double right_without[QUESTION_COUNT][MEASURE_HEADS_MAX];

    int owner[QUESTION_COUNT]; // the head with the most mass
    bool is_learned;           // every question is right to MEASURE_LEARNED
    bool is_distinct;          // every question has another one
    bool is_clear; // and its mass is 0.8 or more, its question falls to half without it, and the
        // other questions stay at 0.7 or more. Where texts repeat: heads of two layers work
        // together, the earlier one's mass on the word before is 0.5 or more, as is the later
        // one's on what came after, and without either answers fall to half
} Measure;

// Measures on MEASURE_TEXTS held-out texts, always the same. Removes the heads whose bits are set in
// `without`.
bool measure_training(const Training *training, unsigned without, Measure *measure, Error *err);

// The same without removing heads, which takes as long again for each: right_without is not set.
bool measure_answers(const Training *training, Measure *measure, Error *err);

// True if this row asks what the head answers: a question on whose answers it puts more than half of its
// weight. True for a head with no such question.
bool measure_is_asked(const Measure *measure, int head, const GrammarText *text, int row);

// The weight that a head gives to position at[1], in row at[0] of text `b` of a batch that has run.
float measure_weight(const TrainingBatch *batch, int b, int head, const ptrdiff_t at[2]);

#endif
