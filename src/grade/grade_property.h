// What holds of right numbers whatever they are, in words for where it breaks: "the sum of weights[0, 1, :] is
// 1.27".
#ifndef GRADE_PROPERTY_H
#define GRADE_PROPERTY_H

#include "grade_run.h"

// Notes in a test's record the first property of grade_properties.def that breaks in the result of a case.
void grade_property_say(const GradeCase *drawn, VerdictTest *test, Arena *arena);

// "weights[0, 1, 2, :]": an element of the result, or, with the last index -1, a row.
const char *grade_property_place(const GradeCase *drawn, const ptrdiff_t at[], char text[128]);

// Asks the function again, of changed inputs, and notes the first property of the same list whose answers do
// not fit together. The result of the case is a copy afterwards.
void grade_second_say(GradeCase *drawn, VerdictTest *test, Arena *arena);

// Whether the list "score scale " has the exercise; an empty one has all.
bool grade_property_is_of(const char *exercises, const char *name);

#endif
