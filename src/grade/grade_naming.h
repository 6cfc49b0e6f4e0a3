// What is said of wrong numbers, beyond that they are wrong: a mistake's name, or a relation.
#ifndef GRADE_NAMING_H
#define GRADE_NAMING_H

#include "grade_internal.h"
#include "relation.h"

enum { GRADE_MISTAKES_MAX = 128 };

// What is known of one test's wrong numbers.
typedef struct GradeKnown {
    bool is_read;
    bool is_mask;                   // its numbers are flags
    bool hides[GRADE_MISTAKES_MAX]; // mistakes that cannot show in this case
} GradeKnown;

// What the wrong cases of a run have told so far; all 0 before the first.
typedef struct GradeNaming {
    GradeKnown known[VERDICT_TESTS_MAX];
    RelationReadings agreed; // what all cases so far read
    RelationReadings last;   // what the last one read
    int case_count;
    StageCall named; // in the words of the function's arguments
} GradeNaming;

// Looks at the wrong numbers in a slot of a case, for the test of this number in the verdict.
void grade_naming_read(GradeNaming *naming, const GradeCase *drawn, int slot, int test);

// What all wrong cases agree on stays in the verdict, or is put there; the rest goes.
void grade_naming_agree(const GradeNaming *naming, Verdict *verdict);

#endif
