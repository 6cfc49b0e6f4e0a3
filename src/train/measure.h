// What trained layers know, on texts that it never saw: how many answers are right, where each head
// looks for them, and what is lost without a head.
#ifndef MEASURE_H
#define MEASURE_H

#include "training.h"

enum { MEASURE_HEADS_MAX = 16, MEASURE_TEXTS = 256 };

// From how many right answers on a question counts as learned: which head is whose means little before.
#define MEASURE_LEARNED 0.98

typedef struct Measure {
    // Of the rows that have to look for their answer (a pronoun, any word but the first, any but the
    // mark itself): how many there are, and how many answers are right.
    int rows[QUESTION_COUNT];
    double right[QUESTION_COUNT];

    // How much of its weight a head puts on the place where the answer stands; the mean over rows. Where
    // texts repeat: on all such places ("what came after", in the literature prefix matching), and as
    // QUESTION_BEFORE, in the rows of these places, on the word before (the previous-token score).
    double mass[QUESTION_COUNT][MEASURE_HEADS_MAX];

    // How many answers are right when what that head found is replaced by 0.
    double right_without[QUESTION_COUNT][MEASURE_HEADS_MAX];

    int owner[QUESTION_COUNT]; // the head with the most mass
    bool is_learned;           // every question is right to MEASURE_LEARNED
    bool is_distinct;          // every question has another one
    bool is_clear; // and its mass is 0.8 or more, its question falls to half without it, and the
        // other questions stay at 0.7 or more. Where texts repeat: heads of two layers work
        // together, the earlier one's mass on the word before is 0.5 or more, as is the later
        // one's on what came after, and without either answers fall to half
} Measure;

// Measures on MEASURE_TEXTS held-out texts, the same ones each time. Heads whose bit is in `without` are
// taken away; 0: none.
bool measure_training(const Training *training, unsigned without, Measure *measure, Error *err);

// The same without taking heads away, which takes as long again for each: right_without says nothing.
bool measure_answers(const Training *training, Measure *measure, Error *err);

// Whether somebody asked in this row of a text for what the head does: whether one of the questions whose
// answers it puts more than half of its weight on is asked there. True of a head that does none of them.
bool measure_is_asked(const Measure *measure, int head, const GrammarText *text, int row);

// The weight that a head gives, in row at[0] of text `b` of a batch that has run, to place at[1].
float measure_weight(const TrainingBatch *batch, int b, int head, const ptrdiff_t at[2]);

#endif
