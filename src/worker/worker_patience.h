// How long a learner's process is waited for, in the time that it takes itself: what counts is
// processor time, so that a machine which is busy, or stands still, costs nobody a point. Whether a
// process computes or waits is looked up while it runs.
#ifndef WORKER_PATIENCE_H
#define WORKER_PATIENCE_H

#include <stdbool.h>
#include <sys/types.h>

typedef enum PatienceEnd {
    PATIENCE_LEFT,     // go on
    PATIENCE_COMPUTED, // it used its processor time up
    PATIENCE_WAITED,   // it slept, or waits for what nobody sends
    PATIENCE_GUARD,    // neither, for so long: the machine did not let it run
} PatienceEnd;

typedef struct Patience {
    long computing, waiting; // milliseconds that it may
    long computed;           // those before this began
    long waited;             // so far
    long begun, looked;      // when this did, and when the process was last looked at
    long guard;              // milliseconds by the clock after which it was the machine
    bool waits; // when it was looked at last: once is no wait, it may just have replied
    PatienceEnd end;
} Patience;

enum { PATIENCE_SLICE = 20, PATIENCE_GUARD_SECONDS = 30 };

// Begins with a process (0: it is not known yet) that may compute for so long and wait for so long,
// `waited` of which are used up.
Patience patience_begin(pid_t process, long computing, long waiting, long waited);

// Looks at the process, at most once in a slice. `is_heard`: what it prints is taken from it, so that
// it does not wait for us. Whether to go on.
bool patience_goes_on(Patience *patience, pid_t process, bool is_heard);

// The processor time that it has used since, in milliseconds; -1: this system does not tell.
long patience_computed(const Patience *patience, pid_t process);

#endif
