// A few threads that share a piece of work, and sleep while there is none.
//
// Life cycle: team_init starts nothing; the first team_run with more than one piece starts the
// threads; team_finish ends them (a zeroed Team is fine too, and runs everything in the caller).
#ifndef TEAM_H
#define TEAM_H

#include <stddef.h>

typedef struct TeamThreads TeamThreads;

typedef struct Team {
    int threads;          // that work together, the caller among them
    TeamThreads *running; // NULL until they are needed
} Team;

enum { TEAM_THREADS_MAX = 64 };

// Does piece `number` of the work. Pieces run in any order, on any of the threads, so no piece may
// write what another one reads or writes.
typedef void TeamWork(void *context, ptrdiff_t number);

// threads: 1 ... TEAM_THREADS_MAX; 0 stands for team_cores().
void team_init(Team *team, int threads);

// Does pieces 0 ... count-1 and returns when all are done. Where the system has no more threads to
// give, those that there are do it all.
void team_run(Team *team, ptrdiff_t count, TeamWork *work, void *context);

void team_finish(Team *team);

#endif
