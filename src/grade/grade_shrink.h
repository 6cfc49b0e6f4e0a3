// A case that fails is shown as small as it still fails.
#ifndef GRADE_SHRINK_H
#define GRADE_SHRINK_H

#include "grade_internal.h"

// Runs test `number` once more with these sizes, into `record`. False where it could not be run.
typedef bool GradeAgain(GradeRun *run, int number, const GradeSizes *sizes, VerdictTest *record,
                        Error *err);

// Of each of the first `count` tests of the run's verdict whose numbers are wrong, the smallest case that fails is
// added: shapes of grade_smaller.def in their order, with small whole numbers first, then with any. Always the same for one seed, and at most two times as many tries as there are rows.
bool grade_shrink(GradeRun *run, int count, GradeAgain *again, Error *err);

#endif
