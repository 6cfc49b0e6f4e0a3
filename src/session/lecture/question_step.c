// question_step: see question_step.h.
#include "question_step.h"
#include "session_words.h"

#include <string.h>

int question_step(const Trace *trace, const char *name, Error *err)
{
    char other[64];
    for (int step = 0; step < trace->step_count; step++)
        if (strcmp(trace_step_name(trace, step, other), name) == 0)
            return step;
    error_set(err, TELL(NO_STEP_CALLED), trace->scenario->name, name);
    return -1;
}
