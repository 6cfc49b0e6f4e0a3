// worker_patience: see worker_patience.h.
#include "worker_patience.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SLICE_MOST = 5 * PATIENCE_SLICE }; // what is counted where we stood still ourselves

static long milliseconds(const struct timespec *time)
{
    return (long)time->tv_sec * 1000 + time->tv_nsec / 1000000;
}

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return milliseconds(&time);
}

// What all threads of a process have computed; -1: it is gone, or this system does not tell.
static long processor_time(pid_t process)
{
#ifdef __linux__
    clockid_t clock;
    struct timespec time;
    if (process > 0 && clock_getcpuclockid(process, &clock) == 0 &&
        clock_gettime(clock, &time) == 0)
        return milliseconds(&time);
#else
    (void)process;
#endif
    return -1;
}

// Whether it sleeps or is stopped: 'S' and 'T' of /proc/PID/stat. 'R' is computing or waiting for
// its turn, 'D' is the machine's.
static bool is_waiting(pid_t process)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = process > 0 ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    const char *name_end = strrchr(line, ')'); // the name may hold anything
    return name_end && name_end[1] == ' ' && strchr("STt", name_end[2]) && name_end[2];
}

Patience patience_begin(pid_t process, long computing, long waiting, long waited)
{
    long begun = now(), before = processor_time(process);
    return (Patience){.computing = computing,
                      .waiting = waiting,
                      .computed = before < 0 ? 0 : before,
                      .waited = waited,
                      .begun = begun,
                      .looked = begun,
                      .guard = PATIENCE_GUARD_SECONDS * 1000L};
}

long patience_computed(const Patience *patience, pid_t process)
{
    long all = processor_time(process);
    return all < 0 ? -1 : all - patience->computed;
}

bool patience_goes_on(Patience *patience, pid_t process, bool is_heard)
{
    long moment = now(), slice = moment - patience->looked;
    if (slice < PATIENCE_SLICE)
        return true;
    patience->looked = moment;
    bool waits = is_heard && is_waiting(process);
    if (waits && patience->waits)
        patience->waited += slice < SLICE_MOST ? slice : SLICE_MOST;
    patience->waits = waits;
    if (patience_computed(patience, process) >= patience->computing)
        patience->end = PATIENCE_COMPUTED;
    else if (patience->waited >= patience->waiting)
        patience->end = PATIENCE_WAITED;
    else if (moment - patience->begun >= patience->guard)
        patience->end = PATIENCE_GUARD;
    return patience->end == PATIENCE_LEFT;
}
