// fence: see fence.h. Limits are POSIX; the other two are Linux's own.
#include "fence.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "fence_linux.h"

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

void fence_close(const Fence *fence, char text[FENCE_TEXT_MAX])
{
    text[0] = '\0';
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 32);
    limit(RLIMIT_NPROC, 0); // of no effect for root
    limit(RLIMIT_STACK, (rlim_t)8 << 20);
    limit(RLIMIT_CPU, (rlim_t)fence->seconds);
    if (fence->megabytes > 0)
        limit(RLIMIT_AS, (rlim_t)fence->megabytes << 20);
    note(text, "limits");
    fence_linux_calm(fence->megabytes == 0);

    int version = fence_linux_files(fence->program);
    char files[48];
    snprintf(files, sizeof files, "files (Landlock %d)", version);
    if (version > 0)
        note(text, files);
    if (fence_linux_calls(fence->program))
        note(text, "calls (seccomp)");
}

void fence_close_compiler(int seconds)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, (rlim_t)128 << 20);
    limit(RLIMIT_CPU, (rlim_t)seconds);
    limit(RLIMIT_AS, (rlim_t)1536 << 20);
}
