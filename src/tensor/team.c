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
#include <time.h>
#include <unistd.h>

// How long a thread looks before it goes to sleep, and how often between two looks at the clock. Longer than what
// one thread does alone between two rounds of a training, since waking up takes as long; short beside the time that a
// busy machine gives to each of its threads.
enum { LOOKS_NANOSECONDS = 150 * 1000, LOOKS = 64 };

enum { ROUNDS_ALONE_MAX = 1000 };

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
    int rounds_alone,
        rounds_alone_left; // the caller's own, after it has waited for a thread that was interrupted

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

// The time that somebody has been looking for.
typedef struct Looking {
    int looks;
    long long began; // in nanoseconds; 0: the clock was not looked at
} Looking;

static long long now_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static bool goes_on_looking(Looking *looking)
{
    relax();
    if (++looking->looks % LOOKS != 0)
        return true;
    long long now = now_nanoseconds();
    looking->began = looking->began ? looking->began : now;
    return now - looking->began < LOOKS_NANOSECONDS;
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
    Looking looking = {0};
    while (atomic_load(&team->round) == *last && goes_on_looking(&looking))
        continue;
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
    Looking looking = {0};
    while (atomic_load(&team->inside) > 0 && goes_on_looking(&looking))
        continue;
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

// On a busy machine a thread may lose its core amid a piece, for some milliseconds. The caller has then waited for
// longer than it has worked itself, and does some rounds alone: each time that happens, twice as many.
static void note_wait(TeamThreads *team, long long worked, long long waited)
{
    bool was_interrupted = waited > LOOKS_NANOSECONDS && waited > 2 * worked;
    team->rounds_alone = was_interrupted ? 2 * team->rounds_alone + 1 : team->rounds_alone / 2;
    if (team->rounds_alone > ROUNDS_ALONE_MAX)
        team->rounds_alone = ROUNDS_ALONE_MAX;
    team->rounds_alone_left = was_interrupted ? team->rounds_alone : 0;
}

void team_run(Team *team, ptrdiff_t count, TeamWork *work, void *context)
{
    if (!team->running && count > 1 && team->threads > 1)
        team->running = start(team->threads);
    TeamThreads *running = team->running;
    bool is_alone = !running || count <= 1;
    if (!is_alone && running->rounds_alone_left > 0) {
        running->rounds_alone_left--;
        is_alone = true;
    }
    if (is_alone) {
        for (ptrdiff_t number = 0; number < count; number++)
            work(context, number);
        return;
    }
    running->work = work;
    running->context = context;
    running->pieces = count;
    atomic_store(&running->next, 0);
    long long began = now_nanoseconds();
    open_round(running);
    take_pieces(running);
    long long done = now_nanoseconds();
    close_round(running);
    note_wait(running, done - began, now_nanoseconds() - done);
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
