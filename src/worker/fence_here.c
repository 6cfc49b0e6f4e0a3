// worker_fence_here: which parts of the fence this system has; see worker.h. Nothing is put up.
#include <stdio.h>
#include "worker.h"

#ifdef __linux__
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

enum { RULESET_VERSION = 1 };

static int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}
#else
static int landlock_version(void)
{
    return 0;
}
#endif

#ifdef WORKER_SECCOMP
#include <linux/seccomp.h>

static bool has_seccomp(void)
{
    uint32_t action = SECCOMP_RET_TRAP;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}
#else
static bool has_seccomp(void)
{
    return false;
}
#endif

const char *worker_fence_here(char text[WORKER_FENCE_MAX])
{
    char files[48] = "no Landlock";
    int version = landlock_version();
    if (version > 0)
        snprintf(files, sizeof files, "files (Landlock %d)", version);
    snprintf(text, WORKER_FENCE_MAX, "limits, %s, %s", files,
             has_seccomp() ? "calls (seccomp)" : "no seccomp");
    return text;
}
