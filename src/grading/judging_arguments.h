// Whether a learner's function has other arguments than it is called with. No compiler tells: the call lies
// in another file, which sees no definition.
#ifndef JUDGING_ARGUMENTS_H
#define JUDGING_ARGUMENTS_H

#include <stdbool.h>
#include "error.h"
#include "language.h"
#include "workspace.h"

// Compares the function in `source` with the one in `stub`. True with a sentence in each language where its
// arguments are of other kinds or stand in another order; false where they fit, or where its text does not
// tell (macros, types of the learner's own).
bool judging_arguments(const char *source, const char *stub, const char *exercise,
                       Error told[LANGUAGES]);

// The same for what a learner has written as exercise `number`.
bool judging_arguments_of(const Workspace *workspace, int number, Error told[LANGUAGES]);

// Blanks in the place of comments and of lines that begin with #. False where such lines choose or replace
// what is compiled.
bool judging_keep_code(char *text);

#endif
