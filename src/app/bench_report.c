// attnscope-bench: measures, and prints the results as text or JSON. A separate program, so that attnscope does not
// carry it. attnscope starts it with fixed arguments:
//
//   attnscope-bench PROGRAM short|whole text|json THREADS PEER stages|"" SVG [NAME ...]
//
// PROGRAM is the path of attnscope; THREADS is 0 for all; PEER and SVG may be "".
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "json.h"
#include "place.h"
#include "utf8.h"
#include "error.h"

// --- the usual workloads, and growing lengths

static const BenchWorkload workloads[] = {
    {.name = "A",
     .about = WORDS("four heads of 2, 3 tokens", "2차원 헤드 넷, 토큰 3개"),
     .scenario = "four-heads",
     .batch = 1,
     .length = 3,
     .width = 8,
     .heads = 4,
     .mask = "none",
     .threads = 1},
    {.name = "B",
     .about = WORDS("10 tokens, width 768, 12 heads", "토큰 10개, 768차원, 헤드 12개"),
     .scenario = "self-attention",
     .batch = 1,
     .length = 10,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "C",
     .about = WORDS("10 padded sequences of 20, width 512, 8 heads",
                    "패딩한 문장 10개 × 토큰 20개, 512차원, 헤드 8개"),
     .scenario = "padded-batch-masked",
     .batch = 10,
     .length = 20,
     .width = 512,
     .heads = 8,
     .mask = "padding"},
    {.name = "D",
     .about = WORDS("16 x 128 tokens, width 512, 8 heads, causal",
                    "문장 16개 × 토큰 128개, 512차원, 헤드 8개, 인과 마스크"),
     .scenario = "causal-large",
     .batch = 16,
     .length = 128,
     .width = 512,
     .heads = 8,
     .mask = "causal"},
    {.name = "E",
     .about = WORDS("1024 tokens, width 768, 12 heads", "토큰 1024개, 768차원, 헤드 12개"),
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 1024, 768]}"},
     .batch = 1,
     .length = 1024,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "F",
     .about = WORDS("4096 tokens, width 512, 8 heads", "토큰 4096개, 512차원, 헤드 8개"),
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 4096, 512]}", "model.d_model=512", "model.heads=8"},
     .batch = 1,
     .length = 4096,
     .width = 512,
     .heads = 8,
     .mask = "none"},
};

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static const BenchWorkload *find_workload(const char *name)
{
    for (int i = 0; i < WORKLOADS; i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}

// Sentences of 64, 128, ... 8192 tokens. The strings must stay where they are.
typedef struct Growing {
    BenchWorkload workload;
    char name[16], input[64];
} Growing;

static void make_growing(int length, Growing *growing)
{
    snprintf(growing->name, sizeof growing->name, "%d", length);
    snprintf(growing->input, sizeof growing->input, "input.vectors={randn: [1, %d, 512]}", length);
    growing->workload = (BenchWorkload){
        .name = growing->name,
        .about = WORDS("tokens, width 512, 8 heads", "토큰, 512차원, 헤드 8개"),
        .scenario = "self-attention",
        .sets = {growing->input, "model.d_model=512", "model.heads=8"},
        .batch = 1,
        .length = length,
        .width = 512,
        .heads = 8,
        .mask = "none",
    };
}

// --- the report
//
// Times of different runs do not compare: the machine is never the same. What compares is within one run: the
// share of the multiply-add peak, and the times of a peer that ran in turn with us.

// What to measure. Without names, everything cheap.
typedef struct Asked {
    const char *program; // the path of attnscope
    bool is_short, is_json;
    const char *svg; // a file for pictures of the stages, or NULL
    BenchPlan plan;
    int name_count;
    char *const *names;
} Asked;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_say(format, arguments);
    va_end(arguments);
}

static double rate(const BenchResult *result)
{
    return result->multiply_adds / bench_part(&result->times, 0.5);
}

// In percent; "-" if it is unknown.
static void percent_text(const BenchTimes *ratios, char text[8])
{
    double ratio, spread;
    if (bench_ratio(bench_undisturbed(ratios), &ratio, &spread))
        snprintf(text, 8, "%.1f", 100.0 * ratio);
    else
        snprintf(text, 8, "-");
}

static double first_bound(const BenchResult *result)
{
    return result->touch + bench_part(&result->times, 0.5);
}

static void print_peer(const BenchResult *result)
{
    double ratio, spread;
    printf(TELL(BENCH_PEER), 1e6 * bench_part(&result->peer, 0.5));
    if (bench_ratio(&result->peer_ratio, &ratio, &spread))
        printf("  x %.2f ± %.2f", ratio, spread);
}

static void print_result(const BenchWorkload *workload, const BenchResult *result)
{
    const BenchTimes *times = &result->times;
    char peak[8], tile[8];
    percent_text(&result->of_peak, peak);
    percent_text(&result->of_tile, tile);
    printf("%-3s %11.1f %11.1f %11.1f %4d %7.1f %6s %6s %11.1f %11.1f %9.1f %9.1f", workload->name,
           1e6 * bench_part(times, 0.5), 1e6 * bench_part(times, 0.0), 1e6 * bench_part(times, 0.9),
           times->count, 2e-9 * rate(result), peak, tile, 1e6 * result->first,
           1e6 * first_bound(result), 1e-6 * (double)result->bytes_kept,
           1e-6 * (double)result->bytes_peak);
    if (result->idle.count)
        printf(TELL(BENCH_IDLE), 1e6 * bench_part(&result->idle, 0.5));
    if (result->peer.count)
        print_peer(result);
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
        "{s:s, s:s, s:i, s:o, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "workload", workload->name,
        "about", words_tell(workload->about), "threads", result->threads, "seconds",
        times_json(&result->times), "first_seconds", result->first, "first_bound_seconds",
        first_bound(result), "flops", 2.0 * rate(result), "peak_flops",
        2.0 * bench_part(&result->peak, 0.5), "tile_flops", 2.0 * bench_part(&result->tile, 0.5),
        "bytes_kept", (json_int_t)result->bytes_kept, "bytes_peak", (json_int_t)result->bytes_peak);
    bench_ratio_json(bench_undisturbed(&result->of_peak), "of_peak", json);
    bench_ratio_json(bench_undisturbed(&result->of_tile), "of_tile", json);
    if (result->stages.count > 0)
        bench_stages_json(&result->stages, json);
    if (result->idle.count)
        json_object_set_new(json, "idle_seconds", times_json(&result->idle));
    if (result->peer.count)
        json_object_set_new(json, "peer_seconds", times_json(&result->peer));
    if (result->peer.count)
        bench_ratio_json(&result->peer_ratio, "peer_ratio", json);
    return json;
}

typedef struct Report {
    const Asked *asked;
    const BenchPlan *plan;
    json_t *workloads, *others;
    Written pictures;
    int picture_count;
    bool has_heading, worked;
} Report;

static void report_workload(Report *report, const BenchWorkload *workload, BenchResult *result)
{
    fprintf(stderr, "bench: %s, %s ...\n", workload->name, words_tell(workload->about));
    bench_measure(workload, report->plan, result);
    if (*result->failure) {
        fail("%s: %s", workload->name, result->failure);
        report->worked = false;
    }
    json_array_append_new(report->workloads, result_json(workload, result));
    if (report->pictures.out && result->stages.count > 0)
        bench_stages_draw(&result->stages, workload->name, report->picture_count++,
                          report->pictures.out);
    if (report->asked->is_json || *result->failure)
        return;
    if (!report->has_heading)
        fputs(TELL(BENCH_HEADING), stdout);
    report->has_heading = true;
    print_result(workload, result);
    if (result->stages.count > 0 && report->asked->plan.stages)
        bench_stages_print(&result->stages);
    fflush(stdout);
}

// Returns the line's JSON, which the report owns.
static json_t *report_line(Report *report, const BenchLine *line)
{
    json_t *json = times_json(&line->times);
    json_object_set_new(json, "about", json_string(line->about));
    json_object_set_new(json, "most", json_real(bench_part(&line->times, 1.0)));
    json_array_append_new(report->others, json);
    if (report->asked->is_json)
        return json;
    utf8_print(stdout, line->about, BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_LINE_TIMES), 1e6 * bench_part(&line->times, 0.5),
           1e6 * bench_part(&line->times, 0.9), 1e6 * bench_part(&line->times, 1.0));
    return json;
}

static void report_failure(Report *report, const Error *err)
{
    fail("%s", err->text);
    report->worked = false;
}

// Adds the members of `more`, which it releases.
static void add_json(json_t *json, json_t *more)
{
    json_object_update(json, more);
    json_decref(more);
}

static double exponent(double now, double before)
{
    return log2(now / before);
}

// For each doubling, the exponents of the time, of the stages' processor time and of the bound. Uses the least
// times: a busy machine spoils medians of few runs.
static void report_growth(Report *report)
{
    Growing growing;
    BenchPlan plan = *report->plan;
    static BenchResult result, before;
    plan.stages = true;
    report->plan = &plan;
    for (int length = 64; length <= 8192; length *= 2, before = result) {
        make_growing(length, &growing);
        report_workload(report, &growing.workload, &result);
        if (length == 64 || *result.failure || *before.failure)
            continue;
        double time = exponent(bench_part(&result.times, 0.0), bench_part(&before.times, 0.0));
        double stages = exponent(bench_part(&result.stages.sum.seconds, 0.0),
                                 bench_part(&before.stages.sum.seconds, 0.0));
        double bound = exponent(result.stages.sum.bound, before.stages.sum.bound);
        json_t *last = json_array_get(report->workloads, json_array_size(report->workloads) - 1);
        add_json(last, json_pack("{s:f, s:f, s:f, s:f}", "exponent", time, "stages_exponent",
                                 stages, "bound_exponent", bound, "multiply_adds_exponent",
                                 exponent(result.multiply_adds, before.multiply_adds)));
        if (!report->asked->is_json)
            printf(TELL(BENCH_TWICE), time, stages, bound);
    }
    report->plan = &report->asked->plan;
}

static void report_steps(Report *report)
{
    static const char *const names[] = {"D", "F"};
    int count = report->asked->is_short ? 1 : 2;
    for (int i = 0; i < count; i++) {
        BenchLine line;
        Error err = {.text = ""};
        fprintf(stderr, TELL(BENCH_DOES_STEP), names[i]);
        if (!bench_step(find_workload(names[i]), &line, &err)) {
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
    bool done = bench_start(report->asked->program, lines, &err);
    for (int i = 0; done && i < BENCH_STARTS; i++)
        report_line(report, &lines[i]);
    if (!done)
        report_failure(report, &err);
}

// The speed of a training: the median of all runs, or the best, which a busy machine disturbs least.
typedef struct TrainingSpeed {
    double whole;      // seconds of all steps
    double rate, tile; // multiply-adds a second
} TrainingSpeed;

static TrainingSpeed training_speed(const BenchTraining *result, double part)
{
    return (TrainingSpeed){.whole = bench_part(&result->step, part) * (double)result->steps,
                           .rate = result->multiply_adds / bench_part(&result->passes, part),
                           .tile = bench_part(&result->tile, 1.0 - part)};
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
    json_t *json = report_line(report, &(BenchLine){.about = about, .times = result.step});
    TrainingSpeed usual = training_speed(&result, 0.5), best = training_speed(&result, 0.0);
    double passes = bench_part(&result.passes, 0.5), least = bench_part(&result.passes, 0.0);
    add_json(json, json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "threads", threads,
                             "whole_seconds", usual.whole, "flops", 2.0 * usual.rate, "tile_flops",
                             2.0 * usual.tile, "of_tile", usual.rate / usual.tile, "best_of_tile",
                             best.rate / best.tile, "bound_seconds", result.bound, "of_bound",
                             result.bound / passes, "best_of_bound", result.bound / least));
    if (report->asked->is_json)
        return;
    printf(TELL(BENCH_TRAIN_SAYS), (long long)result.steps, usual.whole, 2e-9 * usual.rate,
           2e-9 * usual.tile, 100.0 * usual.rate / usual.tile);
    printf(TELL(BENCH_TRAIN_BEST), best.whole, 2e-9 * best.rate, 2e-9 * best.tile,
           100.0 * best.rate / best.tile);
    printf(TELL(BENCH_TRAIN_BOUND), 1e6 * passes, 1e6 * result.bound, 100.0 * result.bound / passes,
           100.0 * result.bound / least);
}

static void report_class(Report *report)
{
    BenchClass result = {.submissions = report->asked->is_short ? 2 : 200,
                         .exercises = report->asked->is_short ? 2 : 16};
    Error err = {.text = ""};
    fprintf(stderr, TELL(BENCH_CLASS), result.submissions);
    if (!bench_class(report->asked->program, &result, &err)) {
        report_failure(report, &err);
        return;
    }
    json_array_append_new(report->others,
                          json_pack("{s:s, s:i, s:i, s:f, s:f}", "about", "grade", "submissions",
                                    result.submissions, "exercises", result.exercises, "seconds",
                                    result.seconds, "again_seconds", result.again));
    if (!report->asked->is_json)
        printf(TELL(BENCH_CLASS_SAYS), result.submissions, result.exercises, result.seconds,
               1e3 * result.seconds / (result.submissions * result.exercises), result.again);
}

// On --threads, or on one thread and on two.
static void report_training(Report *report)
{
    int asked = report->plan->threads;
    report_training_on(report, asked ? asked : 1);
    if (!asked)
        report_training_on(report, 2);
}

// What only prints text.
static void report_window(Report *report)
{
    Error err;
    if (!report->asked->is_json && !bench_window(&err))
        report_failure(report, &err);
}

// The measurements besides workloads.
static const struct {
    const char *name;
    void (*report)(Report *report);
    bool is_named_only; // takes minutes: not run without its name
} others[] = {
    {"growth", report_growth, true},   {"start", report_starts, false},
    {"step", report_steps, false},     {"grade", report_class, true},
    {"train", report_training, false}, {"window", report_window, false},
};

enum { OTHERS = sizeof others / sizeof *others };

static bool is_wanted(int other, const Asked *asked)
{
    for (int i = 0; i < asked->name_count; i++)
        if (strcmp(asked->names[i], others[other].name) == 0)
            return true;
    return asked->name_count == 0 && !others[other].is_named_only;
}

// A to F, and every named scenario.
static void report_workloads(Report *report)
{
    static BenchResult result; // too large for a small stack
    const Asked *asked = report->asked;
    for (int i = 0; asked->name_count == 0 && i < WORKLOADS; i++)
        report_workload(report, &workloads[i], &result);
    for (int i = 0; i < asked->name_count; i++) {
        const char *name = asked->names[i];
        const BenchWorkload *known = find_workload(name);
        bool is_other = false;
        for (int other = 0; other < OTHERS; other++)
            is_other = is_other || strcmp(name, others[other].name) == 0;
        BenchWorkload scenario = {
            .name = name, .about = WORDS("a scenario", "시나리오"), .scenario = name};
        if (!is_other)
            report_workload(report, known ? known : &scenario, &result);
    }
}

static void save_pictures(Report *report)
{
    Error err;
    if (report->pictures.out && (!written_end(&report->pictures, &err) ||
                                 !bench_stages_save(report->asked->svg, report->pictures.text,
                                                    report->picture_count, &err)))
        report_failure(report, &err);
    written_drop(&report->pictures);
}

// Measures and prints everything requested. Returns false after an error.
static bool report_all(const Asked *asked)
{
    json_whole_begin();
    Report report = {.asked = asked,
                     .plan = &asked->plan,
                     .workloads = json_array(),
                     .others = json_array(),
                     .worked = true};
    Error err = {.text = ""};
    if (asked->svg && !written_begin(&report.pictures, &err))
        report_failure(&report, &err);
    report_workloads(&report);
    for (int other = 0; other < OTHERS; other++)
        if (is_wanted(other, asked))
            others[other].report(&report);
    save_pictures(&report);
    json_t *all = json_pack("{s:o, s:o}", "workloads", report.workloads, "others", report.others);
    if (asked->is_json &&
        !json_whole_print(all, JSON_INDENT(1) | JSON_REAL_PRECISION(6), stdout, &err))
        report_failure(&report, &err);
    json_decref(all);
    return report.worked;
}

// --- the program

enum { PROGRAM = 1, RUNS, FORM, THREADS, PEER, STAGES, SVG, NAMES };

static Asked take_arguments(int argc, char **argv)
{
    bool is_short = strcmp(argv[RUNS], "short") == 0;
    return (Asked){.program = argv[PROGRAM],
                   .is_short = is_short,
                   .is_json = strcmp(argv[FORM], "json") == 0,
                   .svg = *argv[SVG] ? argv[SVG] : NULL,
                   .plan = {.seconds = is_short ? 0.05 : 3.0,
                            .idle_runs = is_short ? 0 : 3,
                            .threads = atoi(argv[THREADS]),
                            .peer = *argv[PEER] ? argv[PEER] : NULL,
                            .stages = *argv[STAGES] || *argv[SVG]},
                   .name_count = argc - NAMES,
                   .names = argv + NAMES};
}

int main(int argc, char **argv)
{
    place_begin(argv[0]);
    temporary_watch_signals();
    setlocale(LC_CTYPE, "C.UTF-8");
    language_choose(language_of_environment());
    if (argc < NAMES) {
        fail("%s", TELL(BENCH_ALONE));
        return 2;
    }
    Asked asked = take_arguments(argc, argv);
    bool worked = report_all(&asked);
    Error err;
    bool arrived = output_finish(&err);
    if (!arrived)
        fail("%s", err.text);
    return worked && arrived ? 0 : 1;
}
