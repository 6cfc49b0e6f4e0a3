// What seems never to have been written, but was added to (+=): what tells that nothing was written is so large a
// number that a sum with it is the same one.
#ifndef GRADE_ADDED_H
#define GRADE_ADDED_H

#include "grade_run.h"

// Asks the function again, with outputs that begin at 0, where elements of this slot were never written. What was
// added to is then told of, and no longer counted among them; `first` is the first number that is wrong.
void grade_added_say(GradeCase *drawn, int slot, const ptrdiff_t first[], VerdictTest *test,
                     Arena *arena);

#endif
