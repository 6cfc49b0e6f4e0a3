// What `attnscope bench` measures: one workload at a time, in a process of its own.
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdio.h>
#include "error.h"

enum { BENCH_RUNS_MAX = 400, BENCH_SETS_MAX = 8 };

// A scenario by name and what is changed in it; and the same in numbers, for peers.
typedef struct BenchWorkload {
    const char *name; // "B"
    const char *about;
    const char *scenario;
    const char *sets[BENCH_SETS_MAX];
    int batch, length, width, heads;
    const char *mask; // "none", "causal", "padding"
    int threads;      // at most; 0: all
} BenchWorkload;

// Seconds of several runs, sorted.
typedef struct BenchTimes {
    int count;
    double seconds[BENCH_RUNS_MAX];
} BenchTimes;

typedef struct BenchResult {
    double first;     // seconds of the first run, into fresh memory
    BenchTimes times; // of the runs after it: every tensor computed and kept
    BenchTimes peer;  // of another program, each right after one of ours; count 0: none was asked
    BenchTimes peak;  // multiply-adds a second that the same threads can do at all, in between
    BenchTimes idle;  // runs after a second of doing nothing
    double multiply_adds;
    size_t bytes_kept;
    size_t bytes_peak; // of memory, of the process that ran it
    int threads;
    char failure[1024]; // a sentence; "" when it worked
} BenchResult;

// How long to measure, and whom to compare with.
typedef struct BenchPlan {
    double seconds;   // for each workload, about
    int idle_runs;    // runs after a second of idling
    int threads;      // 0: all
    const char *peer; // a shell command; NULL: none
} BenchPlan;

double bench_now(void);
void bench_add(BenchTimes *times, double seconds);
void bench_sort(BenchTimes *times);

// The value below which `part` (0 ... 1) of the sorted times lie; 0 when there are none.
double bench_part(const BenchTimes *times, double part);

void bench_measure(const BenchWorkload *workload, const BenchPlan *plan, BenchResult *result);

// Measures and prints the time to a first picture in the window, and from picture to picture.
bool bench_window(Error *err);

// --- a program to compare with, spoken to by lines (tests/bench/README.md)

typedef struct BenchPeer {
    int process;
    FILE *in, *out;
} BenchPeer;

// Starts the command and lets it make the workload ready. False with a sentence.
bool bench_peer_open(BenchPeer *peer, const char *command, const BenchWorkload *workload,
                     int threads, Error *err);

// One run; its seconds as the peer measured them.
bool bench_peer_run(BenchPeer *peer, double *seconds, Error *err);

void bench_peer_close(BenchPeer *peer);

#endif
