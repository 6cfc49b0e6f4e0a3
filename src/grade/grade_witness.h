// What maps right numbers to wrong ones is asked of further draws before it is said: of a few cases much is
// true by chance, as that no place is marked where the last sequence, whose length was taken for all, happens
// to be the longest.
#ifndef GRADE_WITNESS_H
#define GRADE_WITNESS_H

#include "grade_shrink.h"

// Draws each of the tests that failed, of which there are `count` shown and as many hidden, again and again with
// sizes like those it failed with, as long as all cases agree on something.
bool grade_witness(GradeRun *run, int count, GradeAgain *again, Error *err);

#endif
