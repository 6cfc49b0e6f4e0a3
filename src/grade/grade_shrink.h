// A case that fails is shown as small as it still fails.
#ifndef GRADE_SHRINK_H
#define GRADE_SHRINK_H

#include "grade_internal.h"

// One test that runs once more, by itself.
typedef struct GradeAlone {
    int number; // in the suite
    GradeSizes sizes;
    int edge; // that the sizes are of; 0: none
    bool hidden;
    int round; // of further draws, to ask what is known of its wrong numbers; 0: it is to be shown smaller
} GradeAlone;

// Runs it into `record`. False where it could not be run.
typedef bool GradeAgain(GradeRun *run, const GradeAlone *alone, VerdictTest *record, Error *err);

// Of each of the first `count` tests of the run's verdict whose numbers are wrong, the smallest case that fails is
// added: shapes of grade_smaller.def in their order, with small whole numbers first, then with any. Always the same for one seed, and at most two times as many tries as there are rows.
bool grade_shrink(GradeRun *run, int count, GradeAgain *again, Error *err);

#endif
