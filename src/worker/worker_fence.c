// worker_fence: what would hold a learner's code on this machine, found by putting it up.
#include <stdio.h>
#include <string.h>
#include "worker.h"
#include "worker_internal.h"
#include "worker_words.h"

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

// One part: what it begins with in the record, the rest stays ("7)").
static const char *part_told(const char *part, size_t *kept)
{
    const struct {
        const char *recorded, *told;
    } parts[] = {
        {word_FENCE_OWN_PROCESS_english, TELL(FENCE_OWN_PROCESS)},
        {word_FENCE_OWN_COPY_english, TELL(FENCE_OWN_COPY)},
        {word_FENCE_LIMITED_english, TELL(FENCE_LIMITED)},
        {word_FENCE_FILES_PART_english, TELL(FENCE_FILES_PART)},
        {word_FENCE_CALLS_PART_english, TELL(FENCE_CALLS_PART)},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *kept = strlen(parts[i].recorded);
        if (strncmp(part, parts[i].recorded, *kept) == 0)
            return parts[i].told;
    }
    *kept = 0;
    return "";
}

const char *worker_fence_tell(const char *recorded, char text[WORKER_FENCE_TEXT_MAX])
{
    size_t used = 0, kept;
    text[0] = '\0';
    for (const char *part = recorded; *part && used < WORKER_FENCE_TEXT_MAX;) {
        const char *told = part_told(part, &kept);
        size_t length = strcspn(part, ",");
        used +=
            (size_t)snprintf(text + used, WORKER_FENCE_TEXT_MAX - used, "%s%s%.*s",
                             part == recorded ? "" : ", ", told, (int)(length - kept), part + kept);
        part += length + strspn(part + length, ", ");
    }
    return text;
}
