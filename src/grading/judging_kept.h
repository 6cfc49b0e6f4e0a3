// Where a learner's file keeps something from one call to the next.
#ifndef JUDGING_KEPT_H
#define JUDGING_KEPT_H

#include <stdbool.h>
#include "workspace.h"

enum { JUDGING_KEPT_MAX = 160 };

// The first variable in `source` that outlives a call and can change: "5: static float root". False where
// there is none, or the text does not tell (macros).
bool judging_kept(const char *source, char kept[JUDGING_KEPT_MAX]);

// The same of what a learner has written as exercise `number`: "scale.c:5: static float root".
bool judging_kept_of(const Workspace *workspace, int number, char kept[JUDGING_KEPT_MAX]);

#endif
