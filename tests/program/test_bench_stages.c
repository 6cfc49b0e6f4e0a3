// What bench --stages counts of a stage, against hand arithmetic.
#include "suite.h"

#include <math.h>
#include <string.h>
#include "bench.h"
#include "scenario_file.h"

static Scenario scenario;
static Trace trace;

// four-heads: x [1, 3, 8], weights [8, 8] without bias, 4 heads of 2, scores divided by sqrt(8).
static void open_trace(void)
{
    Error err;
    ck_assert(scenario_open(&scenario, &(ScenarioRequest){.what = "four-heads"}, &err));
    ck_assert(trace_open(&trace, &scenario, &err) && trace_run(&trace, &err));
}

static void close_trace(void)
{
    trace_close(&trace);
    scenario_finish(&scenario);
}

// Of the first step of a stage.
static BenchWork work_of(const char *stage, double cache)
{
    const double caches[BENCH_MEMORY] = {cache, cache, cache};
    BenchWork work = {.count = {0}};
    for (int step = 0; step < trace.step_count; step++)
        if (strcmp(trace.steps[step].stage->name, stage) == 0) {
            bench_step_work(&trace, step, caches, &work);
            break;
        }
    return work;
}

static void counts_are(const char *stage, double cache, const BenchWork *expected)
{
    BenchWork work = work_of(stage, cache);
    for (int limit = 0; limit < BENCH_LIMITS; limit++)
        ck_assert_msg(work.count[limit] == expected->count[limit], "%s, limit %d: %g, not %g",
                      stage, limit, work.count[limit], expected->count[limit]);
}

TEST(operations_and_bytes_are_those_of_hand_arithmetic)
{
    enum { READ = BENCH_READS + BENCH_L1, WRITE = BENCH_WRITES + BENCH_L1 };
    const double all = 1e9; // bytes: every cache holds everything
    // 3 x 8 outputs of 8 terms; reads 24 + 64 numbers, writes 24, 4 bytes each.
    counts_are("project", all,
               &(BenchWork){.count = {[KERNEL_MULTIPLY_ADDS] = 192, [READ] = 352, [WRITE] = 96}});
    // 4 heads of 3 x 3 scores of 2 terms; reads q and k of 24 numbers, writes 36.
    counts_are("score", all,
               &(BenchWork){.count = {[KERNEL_MULTIPLY_ADDS] = 72, [READ] = 192, [WRITE] = 144}});
    // sqrt(8) is not a power of two, so 36 scores are divided.
    counts_are("scale", all,
               &(BenchWork){.count = {[KERNEL_DIVISIONS] = 36, [READ] = 144, [WRITE] = 144}});
    // 36 weights: e^x, and a division by the row's sum.
    counts_are(
        "softmax", all,
        &(BenchWork){
            .count = {
                [KERNEL_EXPONENTIALS] = 36, [KERNEL_DIVISIONS] = 36, [READ] = 144, [WRITE] = 144}});
    // 3 x 8 outputs of 3 terms; reads 36 weights and v of 24 numbers, writes 24.
    counts_are("weighted_sum", all,
               &(BenchWork){.count = {[KERNEL_MULTIPLY_ADDS] = 72, [READ] = 240, [WRITE] = 96}});
    counts_are("concat", all, &(BenchWork){.count = {[READ] = 96, [WRITE] = 96}});
    counts_are("view", all, &(BenchWork){.count = {0}});
}

TEST(bytes_come_from_the_nearest_level_that_holds_them)
{
    enum { READ = BENCH_READS + BENCH_MEMORY, WRITE = BENCH_WRITES + BENCH_MEMORY };
    // No cache holds anything: all is in memory but what a slice hands on in the second cache.
    counts_are("score", 0,
               &(BenchWork){.count = {[KERNEL_MULTIPLY_ADDS] = 72, [READ] = 192, [WRITE] = 144}});
    counts_are("softmax", 0,
               &(BenchWork){.count = {[KERNEL_EXPONENTIALS] = 36,
                                      [KERNEL_DIVISIONS] = 36,
                                      [BENCH_READS + BENCH_L2] = 144,
                                      [WRITE] = 144}});
    // From q's step on score finds 3 x 448 bytes of project and 336 of its own touched: 1,680; from k's,
    // 2 x 448 + 336 = 1,232.
    counts_are(
        "score", 1680,
        &(BenchWork){
            .count = {[KERNEL_MULTIPLY_ADDS] = 72, [BENCH_READS + BENCH_L1] = 192, [WRITE] = 144}});
    counts_are("score", 1679,
               &(BenchWork){.count = {[KERNEL_MULTIPLY_ADDS] = 72,
                                      [BENCH_READS + BENCH_L1] = 96,
                                      [READ] = 96,
                                      [WRITE] = 144}});
}

TEST(the_bound_is_the_largest_of_the_times)
{
    BenchWork work = {.count = {[KERNEL_MULTIPLY_ADDS] = 100, [BENCH_READS] = 10}}, rates;
    int limit = -1;
    for (int i = 0; i < BENCH_LIMITS; i++)
        rates.count[i] = 50; // 2 s and 0.2 s
    ck_assert(bench_bound(&work, &rates, &limit) == 2 && limit == KERNEL_MULTIPLY_ADDS);
    rates.count[BENCH_READS] = 4; // 2.5 s
    ck_assert(bench_bound(&work, &rates, &limit) == 2.5 && limit == BENCH_READS);
}

TEST(a_ratio_within_its_spread_says_nothing)
{
    double ratio, spread;
    // The middle half of them lies from 0.75 to 0.95: 0.1 on each side, and 0.15 away from 1.
    BenchTimes ratios = {.count = 5, .seconds = {0.7, 0.75, 0.85, 0.95, 0.99}};
    ck_assert(bench_ratio(&ratios, &ratio, &spread));
    ck_assert(ratio == 0.85 && fabs(spread - 0.1) < 1e-12);
    // From 0.75 to 1.15: 0.2 on each side.
    ratios.seconds[3] = 1.15;
    ck_assert(!bench_ratio(&ratios, &ratio, &spread));
    ck_assert(!bench_ratio(&(BenchTimes){.count = 0}, &ratio, &spread));
}

TEST(a_ratio_above_its_bound_says_nothing)
{
    double ratio, spread;
    BenchTimes below = {.count = 1, .seconds = {0.9}}, above = {.count = 1, .seconds = {2.8}};
    ck_assert(bench_ratio(bench_undisturbed(&below), &ratio, &spread) && ratio == 0.9);
    ck_assert(!bench_ratio(bench_undisturbed(&above), &ratio, &spread));
}

SUITE_WITH("bench_stages", open_trace, close_trace)
