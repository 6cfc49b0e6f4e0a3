// The test that runs, for the files that demand things of it.
#ifndef GRADE_RUN_H
#define GRADE_RUN_H

#include "grade_internal.h"

typedef struct GradeRunning {
    const GradeExercise *exercise;
    const GradeWorkers *workers;
    VerdictTest *test; // the record of what fails
    int number;        // of that record in the verdict
    bool is_edge;      // every other shape is right already
    Arena *arena;      // of the record
} GradeRunning;

const GradeRunning *grade_running(void);

// The slot that the exercise is about.
int grade_main_slot(const GradeCase *drawn);

#endif
