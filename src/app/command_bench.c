// attnscope bench: how long the known workloads take, on this machine, now.
//
// A run computes and keeps every tensor of the walk. Times of different runs of this program do not
// compare, machines are never twice as fast in the same way; what compares are the columns of one
// run: the fraction of the multiply-add peak, and the times of a peer that ran in turn with us.
#include "app.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"

static const BenchWorkload workloads[] = {
    {.name = "A",
     .about = "four heads of 2, 3 tokens",
     .scenario = "four-heads",
     .batch = 1,
     .length = 3,
     .width = 8,
     .heads = 4,
     .mask = "none",
     .threads = 1},
    {.name = "B",
     .about = "10 tokens, width 768, 12 heads",
     .scenario = "self-attention",
     .batch = 1,
     .length = 10,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "C",
     .about = "10 padded sequences of 20, width 512, 8 heads",
     .scenario = "padded-batch-masked",
     .batch = 10,
     .length = 20,
     .width = 512,
     .heads = 8,
     .mask = "padding"},
    {.name = "D",
     .about = "16 x 128 tokens, width 512, 8 heads, causal",
     .scenario = "causal-large",
     .batch = 16,
     .length = 128,
     .width = 512,
     .heads = 8,
     .mask = "causal"},
    {.name = "E",
     .about = "1024 tokens, width 768, 12 heads",
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 1024, 768]}"},
     .batch = 1,
     .length = 1024,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "F",
     .about = "4096 tokens, width 512, 8 heads",
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 4096, 512]}", "model.d_model=512", "model.heads=8"},
     .batch = 1,
     .length = 4096,
     .width = 512,
     .heads = 8,
     .mask = "none"},
};

enum { WORKLOADS = sizeof workloads / sizeof *workloads, START_UPS = 21 };

static bool is_wanted(const char *name, const AppOptions *options)
{
    for (int i = 0; i < options->argument_count; i++)
        if (strcmp(options->arguments[i], name) == 0)
            return true;
    return options->argument_count == 0;
}

static double rate(const BenchResult *result)
{
    return result->multiply_adds / bench_part(&result->times, 0.5);
}

static double of_peak(const BenchResult *result)
{
    return rate(result) / bench_part(&result->peak, 0.5);
}

static void print_result(const BenchWorkload *workload, const BenchResult *result)
{
    if (*result->failure) {
        printf("%-3s %s\n", workload->name, result->failure);
        return;
    }
    const BenchTimes *times = &result->times;
    printf("%-3s %11.1f %11.1f %11.1f %4d %7.1f %6.1f %11.1f %9.1f %9.1f", workload->name,
           1e6 * bench_part(times, 0.5), 1e6 * bench_part(times, 0.0), 1e6 * bench_part(times, 0.9),
           times->count, 2e-9 * rate(result), 100.0 * of_peak(result), 1e6 * result->first,
           1e-6 * (double)result->bytes_kept, 1e-6 * (double)result->bytes_peak);
    if (result->idle.count)
        printf("  idle %.1f", 1e6 * bench_part(&result->idle, 0.5));
    if (result->peer.count)
        printf("  peer %.1f  x %.2f", 1e6 * bench_part(&result->peer, 0.5),
               bench_part(&result->peer, 0.5) / bench_part(times, 0.5));
    putchar('\n');
}

static json_t *times_json(const BenchTimes *times)
{
    return json_pack("{s:i, s:f, s:f, s:f}", "runs", times->count, "median", bench_part(times, 0.5),
                     "least", bench_part(times, 0.0), "nine_in_ten", bench_part(times, 0.9));
}

static json_t *result_json(const BenchWorkload *workload, const BenchResult *result)
{
    if (*result->failure)
        return json_pack("{s:s, s:s}", "workload", workload->name, "failure", result->failure);
    json_t *json = json_pack(
        "{s:s, s:s, s:i, s:o, s:f, s:f, s:f, s:f, s:I, s:I}", "workload", workload->name, "about",
        workload->about, "threads", result->threads, "seconds", times_json(&result->times),
        "first_seconds", result->first, "flops", 2.0 * rate(result), "peak_flops",
        2.0 * bench_part(&result->peak, 0.5), "of_peak", of_peak(result), "bytes_kept",
        (json_int_t)result->bytes_kept, "bytes_peak", (json_int_t)result->bytes_peak);
    if (result->idle.count)
        json_object_set_new(json, "idle_seconds", times_json(&result->idle));
    if (result->peer.count)
        json_object_set_new(json, "peer_seconds", times_json(&result->peer));
    return json;
}

// From the start of a process to its end, this program answering --version.
static double start_up(void)
{
    extern char **environ;
    char name[] = "attnscope", option[] = "--version", *arguments[] = {name, option, NULL};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
    double start = bench_now();
    pid_t child;
    bool started = posix_spawn(&child, "/proc/self/exe", &quiet, NULL, arguments, environ) == 0;
    if (started)
        waitpid(child, NULL, 0);
    posix_spawn_file_actions_destroy(&quiet);
    return started ? bench_now() - start : (double)NAN;
}

static BenchTimes measure_start_up(void)
{
    BenchTimes times = {.count = 0};
    for (int i = 0; i < START_UPS; i++)
        bench_add(&times, start_up());
    bench_sort(&times);
    return times;
}

static void print_heading(void)
{
    printf("Microseconds to compute and keep every tensor; MB kept, and of the process at most.\n"
           "%-3s %11s %11s %11s %4s %7s %6s %11s %9s %9s\n",
           "", "median", "least", "9 in 10", "runs", "GF/s", "% peak", "first", "MB kept",
           "MB peak");
}

static int measure_all(const AppOptions *options, const BenchPlan *plan)
{
    json_t *list = json_array();
    bool worked = true;
    if (!options->json)
        print_heading();
    for (int i = 0; i < WORKLOADS; i++) {
        BenchResult result;
        if (!is_wanted(workloads[i].name, options))
            continue;
        fprintf(stderr, "bench: %s, %s ...\n", workloads[i].name, workloads[i].about);
        bench_measure(&workloads[i], plan, &result);
        worked = worked && !*result.failure;
        json_array_append_new(list, result_json(&workloads[i], &result));
        if (!options->json)
            print_result(&workloads[i], &result);
        fflush(stdout);
    }
    BenchTimes start = measure_start_up();
    if (options->json) {
        json_t *all = json_pack("{s:o, s:o}", "workloads", list, "start_up", times_json(&start));
        json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
        putchar('\n');
        json_decref(all);
    } else {
        printf("start to end of --version: %.1f\n", 1e6 * bench_part(&start, 0.5));
        json_decref(list);
    }
    Error err = {.text = ""};
    if (!options->json && is_wanted("window", options) && !bench_window(&err)) {
        app_fail(APP_FAILED, "%s", err.text);
        worked = false;
    }
    return worked ? APP_DONE : APP_FAILED;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, "json short peer", &options))
        return APP_MISUSED;
    if (options.wants_help) {
        app_print_command_help(app_find("bench"), stdout);
        return app_finish_output();
    }
    BenchPlan plan = {.seconds = options.is_short ? 0.05 : 3.0,
                      .idle_runs = options.is_short ? 0 : 3,
                      .threads = options.threads,
                      .peer = options.peer};
    int code = measure_all(&options, &plan);
    int written = app_finish_output();
    return code == APP_DONE ? written : code;
}

const AppCommand command_bench = {
    .name = "bench",
    .arguments = "[A ... F] [window] [--short] [--json] [--threads N] [--peer 'COMMAND']",
    .summary = "how long it takes on this machine",
    .details =
        "  A ... F        which workloads; all of it when nothing is named\n"
        "  window         only the pictures of the window\n"
        "  --short        a few runs of each\n"
        "  --json         for programs\n"
        "  --threads N    with N threads; A has always one\n"
        "  --peer COMMAND another program that runs the same workloads, in turn with this one;\n"
        "                 tests/bench has some, and says what such a program is asked\n"
        "\n"
        "Runs are repeated; the median counts. \"first\" is the first run, into memory that was\n"
        "never used; \"idle\" a run after a second of doing nothing. % peak is the part of the\n"
        "multiply-adds that the same threads can do at all, measured in the same run.\n",
    .run = run,
};
