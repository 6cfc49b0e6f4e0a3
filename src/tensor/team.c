// team: threads that take the next piece of work until none is left; see kernel.h.
//
// A round of work is announced by raising `round`. A waiting thread spins for a moment, since the
// steps of a trace follow each other closely, and then sleeps. The caller works too, and closes the
// round when no piece is left: a thread that wakes later is too late, and nobody waits for it.
#define _GNU_SOURCE // sched_getaffinity
#include "kernel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOKS = 2000 }; // for the next round, some 10 to 50 microseconds, before going to sleep

struct TeamThreads {
    pthread_t thread[TEAM_THREADS_MAX];
    int count; // without the caller
    pthread_mutex_t lock;
    pthread_cond_t wake; // there is a round, or the end
    pthread_cond_t left; // nobody is inside any more
    atomic_uint round;
    atomic_int inside; // threads that work on the round
    bool is_open;      // the round can be joined; under the lock, as is_ending
    bool is_ending;

    TeamWork *work;
    void *context;
    ptrdiff_t pieces;
    atomic_ptrdiff_t next;
};

// The number of cores this process may use (its affinity, at most TEAM_THREADS_MAX).
static int team_cores(void)
{
#ifdef __linux__
    cpu_set_t set;
    long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
#else
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return cores < 1 ? 1 : cores < TEAM_THREADS_MAX ? (int)cores : TEAM_THREADS_MAX;
}

void team_init(Team *team, int threads)
{
    *team = (Team){.threads = threads > 0 ? threads : team_cores()};
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_pieces(TeamThreads *team)
{
    ptrdiff_t number;
    while ((number = atomic_fetch_add(&team->next, 1)) < team->pieces)
        team->work(team->context, number);
}

// Waits for a round after `last` and joins it. Returns false if there will be none.
static bool join_round(TeamThreads *team, unsigned *last)
{
    for (int look = 0; look < LOOKS && atomic_load(&team->round) == *last; look++)
        relax();
    pthread_mutex_lock(&team->lock);
    while (!team->is_ending && (!team->is_open || atomic_load(&team->round) == *last))
        pthread_cond_wait(&team->wake, &team->lock);
    *last = atomic_load(&team->round);
    atomic_fetch_add(&team->inside, 1);
    bool goes_on = !team->is_ending;
    pthread_mutex_unlock(&team->lock);
    return goes_on;
}

static void leave_round(TeamThreads *team)
{
    if (atomic_fetch_sub(&team->inside, 1) > 1)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_signal(&team->left);
    pthread_mutex_unlock(&team->lock);
}

static void *live(void *context)
{
    TeamThreads *team = context;
    for (unsigned round = 0; join_round(team, &round); leave_round(team))
        take_pieces(team);
    return NULL;
}

static void open_round(TeamThreads *team)
{
    pthread_mutex_lock(&team->lock);
    team->is_open = true;
    atomic_fetch_add(&team->round, 1);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->lock);
}

static void close_round(TeamThreads *team)
{
    pthread_mutex_lock(&team->lock);
    team->is_open = false;
    pthread_mutex_unlock(&team->lock);
    for (int look = 0; look < LOOKS && atomic_load(&team->inside) > 0; look++)
        relax();
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->inside) > 0)
        pthread_cond_wait(&team->left, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static TeamThreads *start(int threads)
{
    TeamThreads *team = calloc(1, sizeof *team);
    if (!team)
        return NULL;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->wake, NULL);
    pthread_cond_init(&team->left, NULL);
    while (team->count < threads - 1 &&
           pthread_create(&team->thread[team->count], NULL, live, team) == 0)
        team->count++;
    return team;
}

void team_run(Team *team, ptrdiff_t count, TeamWork *work, void *context)
{
    if (!team->running && count > 1 && team->threads > 1)
        team->running = start(team->threads);
    TeamThreads *running = team->running;
    if (!running || count <= 1) {
        for (ptrdiff_t number = 0; number < count; number++)
            work(context, number);
        return;
    }
    running->work = work;
    running->context = context;
    running->pieces = count;
    atomic_store(&running->next, 0);
    open_round(running);
    take_pieces(running);
    close_round(running);
}

void team_finish(Team *team)
{
    TeamThreads *running = team->running;
    if (running) {
        pthread_mutex_lock(&running->lock);
        running->is_ending = true;
        atomic_fetch_add(&running->round, 1);
        pthread_cond_broadcast(&running->wake);
        pthread_mutex_unlock(&running->lock);
        for (int i = 0; i < running->count; i++)
            pthread_join(running->thread[i], NULL);
        pthread_mutex_destroy(&running->lock);
        pthread_cond_destroy(&running->wake);
        pthread_cond_destroy(&running->left);
        free(running);
    }
    *team = (Team){0};
}
