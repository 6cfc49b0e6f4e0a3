// Whether a learner's function has other arguments than it is called with. No compiler tells: the call lies
// in another file, which sees no definition.
#ifndef JUDGING_SOURCE_H
#define JUDGING_SOURCE_H

#include <stdbool.h>
#include "error.h"
#include "language.h"
#include "workspace.h"

// --- arguments

// Compares the function in `source` with the one in `stub`. True with a sentence in each language where its
// arguments are of other kinds or stand in another order; false where they fit, or where its text does not
// tell (macros, types of the learner's own).
bool judging_arguments(const char *source, const char *stub, const char *exercise,
                       Error told[LANGUAGES]);

// The same for what a learner has written as exercise `number`.
bool judging_arguments_of(const Workspace *workspace, int number, Error told[LANGUAGES]);

// --- variables that outlive a call

enum { JUDGING_KEPT_MAX = 160 };

// The first variable in `source` that outlives a call and can change: "5: static float root". False where
// there is none, or the text does not tell (macros).
bool judging_kept(const char *source, char kept[JUDGING_KEPT_MAX]);

// The same of what a learner has written as exercise `number`: "scale.c:5: static float root".
bool judging_kept_of(const Workspace *workspace, int number, char kept[JUDGING_KEPT_MAX]);

#endif
