// attnscope bench: how long the known workloads take, on this machine, now.
//
// A run computes and keeps every tensor of the walk. Times of different runs of this program do not
// compare, machines are never twice as fast in the same way; what compares are the columns of one
// run: the fraction of the multiply-add peak, and the times of a peer that ran in turn with us.
#include "app.h"

#include <math.h>
#include <string.h>
#include "bench.h"
#include "json_whole.h"
#include "app_words.h"

// What was asked for by name; all of it when nothing was.
static bool is_wanted(const char *name, const AppOptions *options)
{
    for (int i = 0; i < options->argument_count; i++)
        if (strcmp(options->arguments[i], name) == 0)
            return true;
    return options->argument_count == 0;
}

// What is measured besides workloads.
static const char *const others[] = {"growth", "start", "step",  "exercise", "window",
                                     "seed",   "train", "grade", NULL};

static double rate(const BenchResult *result)
{
    return result->multiply_adds / bench_part(&result->times, 0.5);
}

static double of_peak(const BenchResult *result)
{
    return rate(result) / bench_part(&result->peak, 0.5);
}

static double of_tile(const BenchResult *result)
{
    return rate(result) / bench_part(&result->tile, 0.5);
}

static void print_result(const BenchWorkload *workload, const BenchResult *result)
{
    if (*result->failure) {
        printf("%-3s %s\n", workload->name, result->failure);
        return;
    }
    const BenchTimes *times = &result->times;
    printf("%-3s %11.1f %11.1f %11.1f %4d %7.1f %6.1f %6.1f %11.1f %9.1f %9.1f", workload->name,
           1e6 * bench_part(times, 0.5), 1e6 * bench_part(times, 0.0), 1e6 * bench_part(times, 0.9),
           times->count, 2e-9 * rate(result), 100.0 * of_peak(result), 100.0 * of_tile(result),
           1e6 * result->first, 1e-6 * (double)result->bytes_kept,
           1e-6 * (double)result->bytes_peak);
    if (result->idle.count)
        printf(TELL(BENCH_IDLE), 1e6 * bench_part(&result->idle, 0.5));
    if (result->peer.count)
        printf(TELL(BENCH_PEER), 1e6 * bench_part(&result->peer, 0.5),
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
        "{s:s, s:s, s:i, s:o, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "workload", workload->name,
        "about", words_tell(workload->about), "threads", result->threads, "seconds",
        times_json(&result->times), "first_seconds", result->first, "flops", 2.0 * rate(result),
        "peak_flops", 2.0 * bench_part(&result->peak, 0.5), "of_peak", of_peak(result),
        "tile_flops", 2.0 * bench_part(&result->tile, 0.5), "of_tile", of_tile(result),
        "bytes_kept", (json_int_t)result->bytes_kept, "bytes_peak", (json_int_t)result->bytes_peak);
    if (result->idle.count)
        json_object_set_new(json, "idle_seconds", times_json(&result->idle));
    if (result->peer.count)
        json_object_set_new(json, "peer_seconds", times_json(&result->peer));
    return json;
}

static void print_heading(void)
{
    fputs(TELL(BENCH_HEADING), stdout);
}

typedef struct Report {
    const AppOptions *options;
    const BenchPlan *plan;
    json_t *workloads, *others;
    bool has_heading, worked;
} Report;

static void report_workload(Report *report, const BenchWorkload *workload, BenchResult *result)
{
    fprintf(stderr, "bench: %s, %s ...\n", workload->name, words_tell(workload->about));
    bench_measure(workload, report->plan, result);
    if (*result->failure) {
        app_fail(APP_FAILED, "%s: %s", workload->name, result->failure);
        report->worked = false;
    }
    json_array_append_new(report->workloads, result_json(workload, result));
    if (report->options->json)
        return;
    if (!report->has_heading)
        print_heading();
    report->has_heading = true;
    print_result(workload, result);
    fflush(stdout);
}

static void report_line(Report *report, const BenchLine *line)
{
    json_t *json = times_json(&line->times);
    json_object_set_new(json, "about", json_string(line->about));
    json_object_set_new(json, "most", json_real(bench_part(&line->times, 1.0)));
    json_array_append_new(report->others, json);
    if (report->options->json)
        return;
    bench_print_name(line->about, BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_LINE_TIMES), 1e6 * bench_part(&line->times, 0.5),
           1e6 * bench_part(&line->times, 0.9), 1e6 * bench_part(&line->times, 1.0));
}

static void report_failure(Report *report, const Error *err)
{
    app_fail(APP_FAILED, "%s", err->text);
    report->worked = false;
}

// A to F, and every scenario that is named.
static void report_workloads(Report *report)
{
    BenchResult result;
    const AppOptions *options = report->options;
    for (int i = 0; options->argument_count == 0 && bench_workload(i); i++)
        report_workload(report, bench_workload(i), &result);
    for (int i = 0; i < options->argument_count; i++) {
        const char *name = options->arguments[i];
        const BenchWorkload *known = bench_workload_find(name);
        bool is_other = false;
        for (const char *const *other = others; *other; other++)
            is_other = is_other || strcmp(name, *other) == 0;
        BenchWorkload scenario = {
            .name = name, .about = WORDS("a scenario", "시나리오"), .scenario = name};
        if (!is_other)
            report_workload(report, known ? known : &scenario, &result);
    }
}

// The local exponent of the time, beside that of the multiply-adds. The least times, since a machine
// that has other things to do spoils medians of few runs.
static void report_growth(Report *report)
{
    BenchGrowing growing;
    BenchResult result, before;
    for (int i = 0; bench_growing(i, &growing); i++, before = result) {
        report_workload(report, &growing.workload, &result);
        if (i == 0 || *result.failure || *before.failure)
            continue;
        double time = log2(bench_part(&result.times, 0.0) / bench_part(&before.times, 0.0));
        double work = log2(result.multiply_adds / before.multiply_adds);
        json_t *last = json_array_get(report->workloads, json_array_size(report->workloads) - 1);
        json_object_set_new(last, "exponent", json_real(time));
        json_object_set_new(last, "multiply_adds_exponent", json_real(work));
        if (!report->options->json)
            printf(TELL(BENCH_TWICE), time, work);
    }
}

static void report_steps(Report *report)
{
    static const char *const names[] = {"D", "F"};
    int count = report->options->is_short ? 1 : 2;
    for (int i = 0; i < count; i++) {
        BenchLine line;
        Error err = {.text = ""};
        fprintf(stderr, TELL(BENCH_DOES_STEP), names[i]);
        if (!bench_step(bench_workload_find(names[i]), &line, &err)) {
            report_failure(report, &err);
            return;
        }
        char about[160];
        snprintf(about, sizeof about, TELL(BENCH_STEP), line.about);
        line.about = about;
        report_line(report, &line);
    }
}

static void report_starts(Report *report)
{
    BenchLine lines[BENCH_STARTS];
    Error err = {.text = ""};
    fprintf(stderr, TELL(BENCH_DOES_START));
    bool done = bench_start(lines, &err);
    for (int i = 0; done && i < BENCH_STARTS; i++)
        report_line(report, &lines[i]);
    if (!done)
        report_failure(report, &err);
}

static void report_exercise(Report *report)
{
    BenchLine line;
    Error err = {.text = ""};
    fprintf(stderr, TELL(BENCH_DOES_EXERCISE));
    if (bench_exercise(&line, &err))
        report_line(report, &line);
    else
        report_failure(report, &err);
}

static void report_training_on(Report *report, int threads)
{
    BenchTraining result;
    Error err = {.text = ""};
    fprintf(stderr, TELL(BENCH_TRAIN), threads);
    if (!bench_train(threads, report->plan, &result, &err)) {
        report_failure(report, &err);
        return;
    }
    char about[160];
    words_format(about, sizeof about, TELL(BENCH_TRAIN_STEP), threads);
    report_line(report, &(BenchLine){.about = about, .times = result.step});
    double whole = bench_part(&result.step, 0.5) * (double)result.steps;
    double rate = result.multiply_adds / bench_part(&result.passes, 0.5);
    double tile = bench_part(&result.tile, 0.5);
    json_t *last = json_array_get(report->others, json_array_size(report->others) - 1);
    json_object_set_new(last, "threads", json_integer(threads));
    json_object_set_new(last, "whole_seconds", json_real(whole));
    json_object_set_new(last, "flops", json_real(2.0 * rate));
    json_object_set_new(last, "tile_flops", json_real(2.0 * tile));
    json_object_set_new(last, "of_tile", json_real(rate / tile));
    if (!report->options->json)
        printf(TELL(BENCH_TRAIN_SAYS), (long long)result.steps, whole, 2e-9 * rate, 2e-9 * tile,
               100.0 * rate / tile);
}

// Two hundred of sixteen exercises; a few where it is to be short.
static void report_class(Report *report)
{
    BenchClass result = {.submissions = report->options->is_short ? 4 : 200,
                         .exercises = report->options->is_short ? 4 : 16};
    Error err = {.text = ""};
    fprintf(stderr, TELL(BENCH_CLASS), result.submissions);
    if (!bench_class(&result, &err)) {
        report_failure(report, &err);
        return;
    }
    json_array_append_new(report->others,
                          json_pack("{s:s, s:i, s:i, s:f, s:f}", "about", "grade", "submissions",
                                    result.submissions, "exercises", result.exercises, "seconds",
                                    result.seconds, "again_seconds", result.again));
    if (!report->options->json)
        printf(TELL(BENCH_CLASS_SAYS), result.submissions, result.exercises, result.seconds,
               1e3 * result.seconds / (result.submissions * result.exercises), result.again);
}

// On one thread and on two; on as many as were asked for, where they were.
static void report_training(Report *report)
{
    int asked = report->plan->threads;
    report_training_on(report, asked ? asked : 1);
    if (!asked)
        report_training_on(report, 2);
}

static int measure_all(const AppOptions *options, const BenchPlan *plan)
{
    json_whole_begin();
    Report report = {options, plan, json_array(), json_array(), false, true};
    Error err = {.text = ""};
    report_workloads(&report);
    if (options->argument_count > 0 && is_wanted("growth", options))
        report_growth(&report);
    if (is_wanted("start", options))
        report_starts(&report);
    if (is_wanted("step", options))
        report_steps(&report);
    if (is_wanted("exercise", options))
        report_exercise(&report);
    if (options->argument_count > 0 && is_wanted("grade", options))
        report_class(&report);
    if (is_wanted("train", options))
        report_training(&report);
    if (!options->json && is_wanted("window", options) && !bench_window(&err))
        report_failure(&report, &err);
    if (!options->json && is_wanted("seed", options) && !bench_seed(plan->threads, &err))
        report_failure(&report, &err);
    json_t *all = json_pack("{s:o, s:o}", "workloads", report.workloads, "others", report.others);
    if (options->json &&
        !json_whole_print(all, JSON_INDENT(1) | JSON_REAL_PRECISION(6), stdout, &err))
        report_failure(&report, &err);
    json_decref(all);
    return report.worked ? APP_DONE : APP_FAILED;
}

static int run(int argc, char **argv)
{
    AppOptions options;
    if (!app_options(argc, argv, command_bench.options, &options))
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
    .arguments =
        "[A ... F] [SCENARIO] [growth] [start] [step] [exercise] [grade] [window]\n"
        "                [seed] [train] [--short] [--json] [--threads N] [--peer 'COMMAND']",
    .summary = WORDS("how long it takes on this machine", "이 컴퓨터에서 얼마나 걸리는지 잽니다"),
    .details = WORDS(
        "  A ... F        which workloads; all but growth and grade when nothing is named\n"
        "  SCENARIO       or a scenario, by its name\n"
        "  growth         64 to 4096 tokens: how the time grows, beside the multiply-adds\n"
        "  start          an empty program, this one, and the first frame of the stepper\n"
        "  step           from a key in the stepper to the frame that answers it\n"
        "  exercise       from an edit of an exercise to its verdict, compiling included\n"
        "  grade          a class of 200, 16 exercises each, graded cold and again: takes minutes\n"
        "  window         the pictures of the window\n"
        "  seed           how many seeds a second attnscope seed tries\n"
        "  train          a step of attnscope train on one thread and on two, and how much of\n"
        "                 what the kernel does alone its forward and backward pass reach\n"
        "  --short        a few runs of each\n"
        "  --json         for programs\n"
        "  --threads N    with N threads; A has always one\n"
        "  --peer COMMAND another program that runs the same workloads, in turn with this one;\n"
        "                 tests/bench has some, and says what such a program is asked\n"
        "\n"
        "Runs are repeated; the median counts. \"first\" is the first run, into memory that was\n"
        "never used; \"idle\" a run after a second of doing nothing. % peak is the part of the\n"
        "multiply-adds that the same threads can do at all, measured in the same run; % tile of\n"
        "those that the kernel does on numbers that never leave the nearest cache.\n",
        "  A ... F        어느 작업인지. 아무것도 쓰지 않으면 growth와 grade만 빼고 모두\n"
        "  SCENARIO       또는 시나리오의 이름\n"
        "  growth         토큰 64개부터 4096개까지: 시간이 곱셈-덧셈과 견주어 어떻게 느는지\n"
        "  start          빈 프로그램, 이 프로그램, 스테퍼의 첫 화면\n"
        "  step           스테퍼에서 무언가를 누르고 화면이 답할 때까지\n"
        "  exercise       연습문제를 고치고 판정이 나올 때까지, 컴파일을 포함해서\n"
        "  grade          200명인 반을 연습문제 16개씩 처음 채점하고 다시 채점할 때: 몇 분 "
        "걸립니다\n"
        "  window         창의 그림들\n"
        "  seed           attnscope seed가 1초에 시드를 몇 개 시도하는지\n"
        "  train          attnscope train의 한 단계를 스레드 하나와 둘로, 그리고 순전파와 "
        "역전파가\n"
        "                 커널만의 속도에 얼마나 이르는지\n"
        "  --short        저마다 몇 번만 실행합니다\n"
        "  --json         프로그램이 읽을 형식\n"
        "  --threads N    스레드 N개로. A는 늘 하나입니다\n"
        "  --peer COMMAND 같은 작업을 하는 다른 프로그램을 번갈아 실행합니다.\n"
        "                 tests/bench에 몇 가지가 있고, 그런 프로그램에 무엇을 묻는지도 있습니다\n"
        "\n"
        "여러 번 실행해서 중앙값을 셉니다. \"첫 실행\"은 한 번도 쓰지 않은 메모리에 하는\n"
        "실행이고, \"쉰 다음\"은 1초 동안 쉰 다음의 실행입니다. 최고%는 같은 스레드가 할 수 있는\n"
        "곱셈-덧셈에 대한 비율로, 같은 실행에서 잽니다. 타일%는 가장 가까운 캐시를 벗어나지\n"
        "않는 숫자로 커널이 하는 것에 대한 비율입니다.\n"),
    .options = "json short peer",
    .words = "A B C D E F growth start step exercise window seed train",
    .names = APP_NAMES_SCENARIO,
    .run = run,
};
