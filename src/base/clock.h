// The time since some moment, by the clock that never steps.
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline long clock_whole_milliseconds(const struct timespec *time)
{
    return (long)time->tv_sec * 1000 + time->tv_nsec / 1000000;
}

static inline long clock_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return clock_whole_milliseconds(&now);
}

static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
