// What is said of wrong numbers, beyond that they are wrong: a mistake's name, or a relation.
#ifndef GRADE_NAMING_H
#define GRADE_NAMING_H

#include "grade_internal.h"
#include "relation.h"

// Forgets the cases of the last check.
void grade_naming_begin(void);

// Looks at the wrong numbers in a slot of a case, for the test of this number in the verdict.
void grade_naming_read(const GradeCase *drawn, int slot, int test);

// What all wrong cases agree on stays in the verdict, or is put there; the rest goes.
void grade_naming_agree(Verdict *verdict);

#endif
