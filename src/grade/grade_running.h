// The run of an exercise's tests, as it stands: grade_run.c changes it and lends it to the cases that it draws;
// everybody else is told what they need of it (grade_running).
#ifndef GRADE_RUNNING_H
#define GRADE_RUNNING_H

#include "grade_naming.h"
#include "grade_run.h"

enum { GRADE_TESTS_MAX = VERDICT_TESTS_MAX / 2, GRADE_CASES_MAX = 4 };

struct GradeRun {
    const GradeExercise *exercise;
    const GradeWorkers *workers;
    const GradeSuite *suite;
    Verdict *verdict;
    uint64_t seed;
    GradeSizes sizes;
    bool hidden;
    int edge; // 0: none; else the number of the edge, from 1
    VerdictTest
        *again; // at an edge, the first of the hidden tests; only those that passed run again
    VerdictTest *alone; // the record of the one test that runs, again and smaller; NULL: all run
    int alone_number;
    int round; // of its further draws (grade_witness.h); 0: none
    VerdictTest *ran[GRADE_TESTS_MAX];
    int ran_count;
    int number;        // of the test that runs
    VerdictTest *test; // its record
    GradeCase cases[GRADE_CASES_MAX];
    int case_count;
    bool goes_back;        // a test asked for gradients
    int asked;             // how often the learner's function was
    const StageCall *call; // what it was asked last
    StageArgs args;
    bool builds_differ; // the functions of the two builds gave different results
    bool saved;         // the first call that failed
    bool was_right;     // some answer to this exercise was
    const char
        *depends[LANGUAGES]; // why no answer is believed: what came before changes them; NULL
    enum { GUARD_UNASKED, GUARD_STARTS, GUARD_LACKS } guard; // whether sanitizers start here at all
    const char *machine_why[LANGUAGES]; // why this machine runs nothing more; NULL: it does
    GradeNaming naming;                 // what is known of the wrong numbers
};

#endif
