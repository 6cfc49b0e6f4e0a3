// worker_fence: what would hold a learner's code on this machine, found by putting it up.
#include <stdio.h>
#include <string.h>
#include "fence_record.h"
#include "words.h"
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

// One part: what it begins with in the record, the rest stays ("7)").
static const char *part_told(const char *part, size_t *kept)
{
    static const Words told[FENCE_PARTS] = {
#define FENCE_PART(NAME, recorded, english, korean) [FENCE_PART_##NAME] = WORDS(english, korean),
#include "fence_parts.def"
#undef FENCE_PART
    };
    for (FencePart known = 0; known < FENCE_PARTS; known++) {
        *kept = strlen(fence_recorded(known));
        if (strncmp(part, fence_recorded(known), *kept) == 0)
            return words_tell(told[known]);
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
