// fence: see fence.h. Limits are POSIX; the other two are Linux's own.
#include "fence.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "fence_linux.h"
#include "fence_record.h"

static void limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < most)
        most = now.rlim_max;
    setrlimit(what, &(struct rlimit){most, most});
}

static void note(char text[FENCE_TEXT_MAX], const char *what)
{
    size_t used = strlen(text);
    snprintf(text + used, FENCE_TEXT_MAX - used, "%s%s", used > 0 ? ", " : "", what);
}

// What Linux adds to the limits, noted.
static int add_parts(int version, bool has_calls, char text[FENCE_TEXT_MAX])
{
    char files[48];
    text[0] = '\0';
    note(text, fence_recorded(FENCE_PART_LIMITS));
    snprintf(files, sizeof files, "%s %d)", fence_recorded(FENCE_PART_FILES), version);
    if (version > 0)
        note(text, files);
    if (has_calls)
        note(text, fence_recorded(FENCE_PART_CALLS));
    return FENCE_LIMITS | (version > 0 ? FENCE_FILES : 0) | (has_calls ? FENCE_CALLS : 0);
}

int fence_close(const Fence *fence, char text[FENCE_TEXT_MAX])
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 32);
    limit(RLIMIT_NPROC, 0); // of no effect for root
    limit(RLIMIT_STACK, (rlim_t)8 << 20);
    limit(RLIMIT_CPU, (rlim_t)fence->seconds);
    if (fence->megabytes > 0)
        limit(RLIMIT_AS, (rlim_t)fence->megabytes << 20);
    fence_linux_calm(fence->megabytes == 0);
    int version = fence_linux_files(fence->program);
    int calls = version < 0 ? -1 : fence_linux_calls(fence->program);
    return calls < 0 ? -1 : add_parts(version, calls > 0, text);
}

int fence_close_tool(const FenceTool *tool, char text[FENCE_TEXT_MAX])
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, (rlim_t)64 << 20);
    limit(RLIMIT_NOFILE, 256);
    limit(RLIMIT_CPU, (rlim_t)tool->seconds);
    limit(RLIMIT_AS, (rlim_t)1024 << 20);
    fence_linux_calm(false);
    int version = fence_linux_tool_files(tool);
    int calls = version < 0 ? -1 : fence_linux_tool_calls();
    return calls < 0 ? -1 : add_parts(version, calls > 0, text);
}
