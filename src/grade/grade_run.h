// The test that runs, for the files that demand things of it.
#ifndef GRADE_RUN_H
#define GRADE_RUN_H

#include "grade_internal.h"
#include "tensor_difference.h"

typedef struct GradeRunning {
    const GradeWorkers *workers;
    VerdictTest *test; // the record of what fails
    int number;        // of that record in the verdict
    int edge;          // 0: none; else its number: every other shape is right already
    bool goes_back;    // gradients are asked for
    bool is_alone;     // it was named already, and is only to be shown smaller
    bool
        is_witness; // it failed already, and only what maps right numbers to wrong ones is looked for
    struct GradeNaming *naming;
    Arena *arena; // of the record
} GradeRunning;

// The test that drew this case; nothing and -1 where none did.
GradeRunning grade_running(const GradeCase *drawn);

// How a learner's numbers differ from others, as far as this test allows. At the edges sums are long, and
// what is looked for there is no question of digits.
TensorDifference grade_difference(const GradeCase *drawn, const Tensor *given, const Tensor *known);

// The slot that the exercise is about.
int grade_main_slot(const GradeCase *drawn);

#endif
