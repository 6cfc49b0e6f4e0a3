// What a submission's files ask the compiler to bring in, looked at before it runs: the fence would
// stop what leads out, but only the text tells who asked, and where.
#ifndef WORKER_INCLUDES_H
#define WORKER_INCLUDES_H

#include "worker_copy.h"

// Takes out of the copy what says that it lies elsewhere (#line 1 "x.c"), so that the places which the
// compiler, sanitizers and debuggers tell are those of the files that were handed in. A line ends as all
// compilers have it from now on, so this comes first.
void worker_includes_place(WorkerCopy *copy);

// Looks through all that belongs. False when something is asked for that is not the submission's:
// `line` is a compiler's line about it ("anna/exercises/scale.c:1: error: ..."), `err` a sentence.
bool worker_includes_check(const WorkerCopy *copy, char line[WORKER_TEXT_MAX], Error *err);

#endif
