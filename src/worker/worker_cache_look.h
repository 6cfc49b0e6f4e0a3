// The folder of built programs, seen by somebody who looks after it.
#ifndef WORKER_CACHE_LOOK_H
#define WORKER_CACHE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include "error.h"
#include "worker.h"

typedef struct WorkerCacheState {
    char folder[WORKER_PATH_MAX];
    int programs;
    size_t bytes; // of all files
    int damaged;  // programs that are cut off or none; they would be built again
} WorkerCacheState;

// Looks at every program; removes those that are damaged when asked to. False with a sentence when
// there is no such folder and none can be made.
bool worker_cache_look(WorkerCacheState *state, bool removes, Error *err);

#endif
