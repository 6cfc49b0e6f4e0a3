// Steps that a question names.
#ifndef QUESTION_STEP_H
#define QUESTION_STEP_H

#include "trace.h"

// The step with exactly this name; -1, with a sentence, when the scenario has none.
int question_step(const Trace *trace, const char *name, Error *err);

#endif
