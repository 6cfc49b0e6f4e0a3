// worker_fence: what would hold a learner's code on this machine, found by putting it up.
#include <stdio.h>
#include "worker.h"
#include "worker_internal.h"

enum { TRY_SECONDS = 2 };

bool worker_fence(WorkerFence *fence, Error *err)
{
    char keeper[WORKER_PATH_MAX], said[256], *nothing[] = {NULL};
    *fence = (WorkerFence){.parts = 0};
    if (!worker_place_keeper(keeper, err))
        return false;
    // Without words it only says that it is no program for people.
    char *command[] = {keeper, NULL}, *readable[] = {keeper, NULL};
    Tool tool = {.command = command,
                 .environment = nothing,
                 .readable = readable,
                 .folder = ".",
                 .seconds = TRY_SECONDS};
    ToolEnd end;
    if (!keeper_run_tool(&tool, said, sizeof said, &end, err))
        return false;
    fence->parts = end.parts;
    snprintf(fence->text, sizeof fence->text, "%s", end.fence);
    return true;
}
