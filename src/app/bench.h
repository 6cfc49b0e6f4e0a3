// What `attnscope bench` measures, in the program attnscope-bench: one workload at a time, in a process of
// its own.
#ifndef BENCH_H
#define BENCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include "arena.h"
#include "error.h"
#include "json.h"
#include "kernel.h"
#include "scenario.h"
#include "trace.h"
#include "words.h"

enum { BENCH_RUNS_MAX = 400, BENCH_SETS_MAX = 8 };

// A scenario by name and what is changed in it; and the same in numbers, for peers (0: it has none).
typedef struct BenchWorkload {
    const char *name; // "B"
    Words about;
    const char *scenario;
    const char *sets[BENCH_SETS_MAX];
    int batch, length, width, heads;
    const char *mask; // "none", "causal", "padding"
    int threads;      // at most; 0: all
} BenchWorkload;

// The known workloads, A to F; NULL beyond the last, and where there is none of this name.

// The same sentence at 64, 128, ... 8192 tokens; false beyond the last. It must stay where it is.
typedef struct BenchGrowing {
    BenchWorkload workload;
    char name[16], input[64];
} BenchGrowing;

// Seconds of several runs, or rates, sorted.
typedef struct BenchTimes {
    int count;
    double seconds[BENCH_RUNS_MAX];
} BenchTimes;

// --- bounds of stages: bench_stages.c

typedef enum BenchLevel { BENCH_L1, BENCH_L2, BENCH_L3, BENCH_MEMORY, BENCH_LEVELS } BenchLevel;

// What can be a stage's limit: a KernelPeak, bytes read from a level, bytes written to one.
enum {
    BENCH_READS = KERNEL_PEAKS,
    BENCH_WRITES = BENCH_READS + BENCH_LEVELS,
    BENCH_LIMITS = BENCH_WRITES + BENCH_LEVELS,
    BENCH_STAGES_MAX = 48,
};

// How much of each; or how much in a second.
typedef struct BenchWork {
    double count[BENCH_LIMITS];
} BenchWork;

// A stage with all of its steps.
typedef struct BenchStage {
    char name[40];
    BenchWork work;
    int limit;                        // which one the bound comes from
    BenchTimes seconds, bound, ratio; // of each run: the ratio is bound / seconds
} BenchStage;

typedef struct BenchStages {
    int count;
    BenchStage rows[BENCH_STAGES_MAX];
    BenchStage sum;   // of the rows: seconds of the processor, shared by the threads
    BenchStage whole; // seconds of the clock, with all that threads wait for
    BenchWork rates;  // the highest so far: a bound is what this machine needs at least

    // While it measures:
    Arena arena;
    atomic_llong *nanoseconds; // of each step in the last run
    float *numbers;            // that rates are measured on
    size_t bytes;              // that they take
} BenchStages;

// What a step that has run must do; nothing for a view.
void bench_step_work(const Trace *trace, int step, const double caches[BENCH_MEMORY],
                     BenchWork *work);

// The largest of the times that the work takes at these rates, and which one it is.
double bench_bound(const BenchWork *work, const BenchWork *rates, int *limit);

// Life cycle: _begin; now and then bench_rates; for each run _forget, run, _note; _sort; _finish.
bool bench_stages_begin(Trace *trace, BenchStages *stages, Error *err);
bool bench_rates(Trace *trace, BenchStages *stages, Error *err);
void bench_stages_forget(const Trace *trace, BenchStages *stages);
void bench_stages_note(const Trace *trace, BenchStages *stages, double run_seconds);
void bench_stages_sort(BenchStages *stages);
void bench_stages_finish(BenchStages *stages);

// Sorted ratios to a bound or a peak; none where the median is above 1. Nothing is faster than its bound: other
// programs disturbed what it was measured with.
const BenchTimes *bench_undisturbed(const BenchTimes *ratios);

// The median of sorted ratios, and how far the middle half of them lies from it. False: that spread is
// larger than the ratio's distance from 1, and the ratio says nothing.
bool bench_ratio(const BenchTimes *ratios, double *ratio, double *spread);

// Adds the ratio, null where it says nothing, and NAME_spread.
void bench_ratio_json(const BenchTimes *ratios, const char *name, JsonValue *into);

void bench_stages_print(const BenchStages *stages);

// Adds bound_seconds, of_bound and its spread, stages and rates to a workload's JSON.
void bench_stages_json(const BenchStages *stages, JsonValue *into);

// Draws a roofline, the `place`th from the top, as a part of an SVG picture; and saves so many of them.
void bench_stages_draw(const BenchStages *stages, const char *title, int place, FILE *out);
bool bench_stages_save(const char *path, const char *drawn, int count, Error *err);

typedef struct BenchResult {
    double first;     // seconds of the first run, into fresh memory
    double touch;     // of touching as much memory once, which no first run is without
    BenchTimes times; // of the runs after it: every tensor computed and kept
    BenchTimes peer;  // of another program, each right after one of ours; count 0: none was asked
    BenchTimes peer_ratio;       // of each of these pairs
    BenchTimes of_peak, of_tile; // of each run, beside the last `peak` and `tile`
    BenchTimes peak; // multiply-adds a second that the same threads can do at all, in between
    BenchTimes tile; // that the kernel does, on numbers that never leave the nearest cache
    BenchTimes idle; // runs after a second of doing nothing
    double multiply_adds;
    size_t bytes_kept;
    size_t bytes_peak; // of memory, of the process that ran it
    int threads;
    char failure[1024]; // a sentence; "" when it worked
    BenchStages stages; // count 0: they were not asked for
} BenchResult;

// How long to measure, and whom to compare with.
typedef struct BenchPlan {
    double seconds;   // for each workload, about
    int idle_runs;    // runs after a second of idling
    int threads;      // 0: all
    const char *peer; // a shell command; NULL: none
    bool stages;      // the bound of each
} BenchPlan;

// What is to be measured; of everything else where no name is given.
typedef struct BenchAsked {
    const char *program; // the path of attnscope, which is started and started again
    bool is_short, is_json;
    const char *svg; // a file for pictures of the stages; NULL: none
    BenchPlan plan;
    int name_count;
    char *const *names;
} BenchAsked;

// Measures and prints all of it; false when something failed, which was said.
bool bench_report(const BenchAsked *asked);

// Says on the error output what went wrong.
void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Something else that was measured, in words.
typedef struct BenchLine {
    const char *about;
    BenchTimes times;
} BenchLine;

enum { BENCH_NAME_COLUMNS = 62 }; // for what was measured

double bench_now(void);
void bench_add(BenchTimes *times, double seconds);
void bench_sort(BenchTimes *times);

// The value below which `part` (0 ... 1) of the sorted times lie; 0 when there are none.
double bench_part(const BenchTimes *times, double part);

// The scenario of a workload, with what is changed in it.
bool bench_scenario(const BenchWorkload *workload, Scenario *scenario, Error *err);

void bench_measure(const BenchWorkload *workload, const BenchPlan *plan, BenchResult *result);

// From a key to the frame that answers it, over a walk through the stepper.
bool bench_step(const BenchWorkload *workload, BenchLine *line, Error *err);

// An empty program, the --version and --help of `program`, and the first frame of the stepper.
enum { BENCH_STARTS = 4 };
bool bench_start(const char *program, BenchLine lines[BENCH_STARTS], Error *err);

// The training that made the shipped weights, on this many threads.
typedef struct BenchTraining {
    BenchTimes step;      // texts drawn, forward, backward, update
    BenchTimes passes;    // forward and backward alone
    BenchTimes tile;      // multiply-adds a second of the kernel alone, in between
    double multiply_adds; // of the products of one forward and backward pass
    double bound;         // seconds of its products and exponentials alone, on numbers at hand
    int64_t steps;        // of the whole training
} BenchTraining;

bool bench_train(int threads, const BenchPlan *plan, BenchTraining *result, Error *err);

// From an edit of an exercise to its verdict. The process keeps its state and cache elsewhere then.
bool bench_exercise(BenchLine *line, Error *err);

// A program from its start to its end, which must be a good one; what it prints goes nowhere.
bool bench_run_to_end(const char *program, char *const arguments[], double *seconds, Error *err);

// A class of this many submissions, with this many exercises each, graded for the first time and again.
typedef struct BenchClass {
    int submissions, exercises;
    double seconds, again;
} BenchClass;

// The process keeps its state and cache elsewhere then.
bool bench_class(const char *program, BenchClass *result, Error *err);

// Measures and prints how many seeds a second are tried, on one thread and on `threads` (0: all).
bool bench_seed(int threads, Error *err);

// Measures and prints the time to a first picture in the window, and from picture to picture.
bool bench_window(Error *err);

// --- a program to compare with, spoken to by lines (tests/bench/README.md)

typedef struct BenchPeer {
    int process;
    FILE *in, *out;
} BenchPeer;

// --- words

#include "bench_words.def"

#endif
