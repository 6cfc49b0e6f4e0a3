// attnscope-bench, the program behind `attnscope bench`: measures one workload at a time, in a child process.
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

// A scenario with changes; and its sizes for peers (0: none).
typedef struct BenchWorkload {
    const char *name; // "B"
    Words about;
    const char *scenario;
    const char *sets[BENCH_SETS_MAX];
    int batch, length, width, heads;
    const char *mask; // "none", "causal", "padding"
    int threads;      // at most; 0: all cores
} BenchWorkload;

// Seconds of several runs, or rates, sorted.
typedef struct BenchTimes {
    int count;
    double seconds[BENCH_RUNS_MAX];
} BenchTimes;

// --- bounds of stages: bench_stages.c

typedef enum BenchLevel { BENCH_L1, BENCH_L2, BENCH_L3, BENCH_MEMORY, BENCH_LEVELS } BenchLevel;

// What can limit a stage: a KernelPeak, bytes read from a level, bytes written to a level.
enum {
    BENCH_READS = KERNEL_PEAKS,
    BENCH_WRITES = BENCH_READS + BENCH_LEVELS,
    BENCH_LIMITS = BENCH_WRITES + BENCH_LEVELS,
    BENCH_STAGES_MAX = 48,
};

// An amount of each, or an amount per second.
typedef struct BenchWork {
    double count[BENCH_LIMITS];
} BenchWork;

// A stage, all steps together.
typedef struct BenchStage {
    char name[40];
    BenchWork work;
    int limit;                 // what the bound comes from
    double bound;              // seconds
    BenchTimes seconds, ratio; // per run; ratio is bound / seconds
} BenchStage;

typedef struct BenchStages {
    int count;
    BenchStage rows[BENCH_STAGES_MAX];
    BenchStage sum;   // of the rows: processor seconds per thread
    BenchStage whole; // seconds by the clock, waiting included
    BenchWork rates;  // the highest so far

    // while measuring:
    Arena arena;
    atomic_llong *nanoseconds; // per step, of the last run
    float *numbers;            // memory that rates are measured on
    size_t bytes;              // its size
} BenchStages;

// The least work of a step that has run; none for a view.
void bench_step_work(const Trace *trace, int step, const double caches[BENCH_MEMORY],
                     BenchWork *work);

// The longest time that a part of the work takes at these rates; *limit is that part.
double bench_bound(const BenchWork *work, const BenchWork *rates, int *limit);

// Life cycle: _begin; bench_rates now and then; _forget, run, _note for each run; _sort, which compares all runs with
// the highest rates; _finish.
bool bench_stages_begin(Trace *trace, BenchStages *stages, Error *err);
bool bench_rates(Trace *trace, BenchStages *stages, Error *err);
void bench_stages_forget(const Trace *trace, BenchStages *stages);
void bench_stages_note(const Trace *trace, BenchStages *stages, double run_seconds);
void bench_stages_sort(const Trace *trace, BenchStages *stages);
void bench_stages_finish(BenchStages *stages);

// The sorted ratios to a bound or peak; none if the median is above 1, because then other programs disturbed the
// measurement of the bound.
const BenchTimes *bench_undisturbed(const BenchTimes *ratios);

// The median of sorted ratios, and half the width of their middle half. False if that spread exceeds the
// ratio's distance from 1: then the ratio is unknown.
bool bench_ratio(const BenchTimes *ratios, double *ratio, double *spread);

// Adds the ratio (null if unknown) and NAME_spread.
void bench_ratio_json(const BenchTimes *ratios, const char *name, JsonValue *into);

void bench_stages_print(const BenchStages *stages);

// Adds bound_seconds, of_bound, its spread, stages and rates to a workload's JSON.
void bench_stages_json(const BenchStages *stages, JsonValue *into);

// Draws a roofline as part of an SVG picture, the `place`th from the top; saves the picture of `count` of them.
void bench_stages_draw(const BenchStages *stages, const char *title, int place, FILE *out);
bool bench_stages_save(const char *path, const char *drawn, int count, Error *err);

typedef struct BenchResult {
    double first;                // seconds of the first run, in untouched memory
    double touch;                // seconds to touch that memory once
    BenchTimes times;            // of the later runs
    BenchTimes peer;             // of another program, each right after ours; count 0: no peer
    BenchTimes peer_ratio;       // per pair
    BenchTimes of_peak, of_tile; // per run, relative to the last `peak` and `tile`
    BenchTimes peak; // the most multiply-adds per second of these threads, measured in between
    BenchTimes tile; // the kernel's own, on numbers in the nearest cache
    BenchTimes idle; // runs after a second of sleep
    double multiply_adds;
    size_t bytes_kept;
    size_t bytes_peak; // of the process
    int threads;
    char failure[1024]; // an error message, or ""
    BenchStages stages; // count 0: not wanted
} BenchResult;

typedef struct BenchPlan {
    double seconds;   // for each workload
    int idle_runs;    // runs after a second of sleep
    int threads;      // 0: all
    const char *peer; // a shell command, or NULL
    bool stages;      // measure the bound of each
} BenchPlan;

// A measurement with a name.
typedef struct BenchLine {
    const char *about;
    BenchTimes times;
} BenchLine;

enum { BENCH_NAME_COLUMNS = 62 }; // for what was measured

void bench_add(BenchTimes *times, double seconds);
void bench_sort(BenchTimes *times);

// The quantile `part` (0 to 1) of the sorted times; 0 if there are none.
double bench_part(const BenchTimes *times, double part);

// Opens the scenario of a workload, with its changes.
bool bench_scenario(const BenchWorkload *workload, Scenario *scenario, Error *err);

void bench_measure(const BenchWorkload *workload, const BenchPlan *plan, BenchResult *result);

// From a key to the next frame, over a walk through the stepper.
bool bench_step(const BenchWorkload *workload, BenchLine *line, Error *err);

// An empty program; `program` with --version and --help; the stepper's first frame.
enum { BENCH_STARTS = 4 };
bool bench_start(const char *program, BenchLine lines[BENCH_STARTS], Error *err);

// The training of the shipped weights.
typedef struct BenchTraining {
    BenchTimes step;      // a whole step
    BenchTimes passes;    // forward and backward alone
    BenchTimes tile;      // multiply-adds per second of the kernel alone, measured in between
    double multiply_adds; // of one forward and backward pass
    double bound;         // seconds of its products and exponentials alone, on cached numbers
    int64_t steps;        // of the whole training
} BenchTraining;

bool bench_train(int threads, const BenchPlan *plan, BenchTraining *result, Error *err);

// Runs a program to its end and drops its output. Fails if its exit status is not 0.
bool bench_run_to_end(const char *program, char *const arguments[], double *seconds, Error *err);

// Seconds to grade a class: the first time, and again.
typedef struct BenchClass {
    int submissions, exercises;
    double seconds, again;
} BenchClass;

// Moves the state and cache of this process to a temporary folder.
bool bench_class(const char *program, BenchClass *result, Error *err);

// Measures and prints the times of the window's pictures.
bool bench_window(Error *err);

// --- words

#include "bench_words.def"

#endif
