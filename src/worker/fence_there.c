// fence_there: see fence_there.h.
#include "fence_there.h"

#ifdef __linux__

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif

enum { RULESET_VERSION = 1 };

FenceThere fence_there(void)
{
    long version = syscall(SYS_landlock_create_ruleset, (void *)0, 0, RULESET_VERSION);
    FenceThere there = {.landlock = version > 0 ? (int)version : 0};
#ifdef WORKER_SECCOMP
    there.calls = prctl(PR_GET_SECCOMP) >= 0;
#endif
    return there;
}

#else

FenceThere fence_there(void)
{
    return (FenceThere){.landlock = 0};
}

#endif
