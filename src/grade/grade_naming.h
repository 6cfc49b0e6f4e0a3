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
    int edge;                       // that the case was drawn for; 0: none
    bool hides[GRADE_MISTAKES_MAX]; // mistakes that cannot show in this case
} GradeKnown;

// What the wrong cases of a run have told so far; all 0 before the first.
typedef struct GradeNaming {
    GradeKnown known[VERDICT_TESTS_MAX];
    RelationReadings agreed; // what all cases so far read
    RelationReadings last;   // what the last one read
    int case_count;
    bool came_right; // a test that failed did not with another draw
    StageCall named; // in the words of the function's arguments
} GradeNaming;

// Looks at the wrong numbers in a slot of a case, for the test of this number in the verdict.
void grade_naming_read(GradeNaming *naming, const GradeCase *drawn, int slot, int test);

// Looks at the wrong numbers in a slot of a further case, of a test that was looked at.
void grade_naming_read_again(GradeNaming *naming, const GradeCase *drawn, int slot);

// Whether a relation is about to be said: all cases so far agree, and no mistake explains them.
bool grade_naming_relates(const GradeNaming *naming, const Verdict *verdict);

// Of the mistakes that the tests name, what all of them agree on stays in the verdict; the rest goes.
void grade_naming_agree(const GradeNaming *naming, Verdict *verdict);

// Puts what all cases read, where they agree on something, into the verdict.
void grade_naming_say(GradeNaming *naming, Verdict *verdict);

#endif
