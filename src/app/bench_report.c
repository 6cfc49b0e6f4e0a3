// Measures and prints all that was asked, for people or as JSON.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "bench.h"
#include "utf8.h"
#include "json.h"
#include "written.h"

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

static const BenchWorkload *bench_workload(int number)
{
    return number >= 0 && number < WORKLOADS ? &workloads[number] : NULL;
}

static const BenchWorkload *bench_workload_find(const char *name)
{
    for (int i = 0; i < WORKLOADS; i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}

static bool bench_growing(int number, BenchGrowing *growing)
{
    int length = 64 << number;
    if (length > 8192)
        return false;
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
    return true;
}

// --- the report
//
// A run computes and keeps every tensor of the walk. Times of different runs do not compare,
// because machines are never twice as fast in the same way. What compares are the columns of one run: the
// fraction of the multiply-add peak, and the times of a peer that ran in turn with us.

void bench_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    output_say(format, arguments);
    va_end(arguments);
}

// What was asked for by name; all of it when nothing was.
static bool is_wanted(const char *name, const BenchAsked *asked)
{
    for (int i = 0; i < asked->name_count; i++)
        if (strcmp(asked->names[i], name) == 0)
            return true;
    return asked->name_count == 0;
}

// What is measured besides workloads.
static const char *const others[] = {"growth", "start", "step",  "exercise", "window",
                                     "seed",   "train", "grade", NULL};

static double rate(const BenchResult *result)
{
    return result->multiply_adds / bench_part(&result->times, 0.5);
}

// In percent; "-" where it says nothing.
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
    if (*result->failure) {
        printf("%-3s %s\n", workload->name, result->failure);
        return;
    }
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

static void print_heading(void)
{
    fputs(TELL(BENCH_HEADING), stdout);
}

typedef struct Report {
    const BenchAsked *asked;
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
        bench_fail("%s: %s", workload->name, result->failure);
        report->worked = false;
    }
    json_array_append_new(report->workloads, result_json(workload, result));
    if (report->pictures.out && result->stages.count > 0)
        bench_stages_draw(&result->stages, workload->name, report->picture_count++,
                          report->pictures.out);
    if (report->asked->is_json)
        return;
    if (!report->has_heading)
        print_heading();
    report->has_heading = true;
    print_result(workload, result);
    if (result->stages.count > 0 && report->asked->plan.stages)
        bench_stages_print(&result->stages);
    fflush(stdout);
}

static void report_line(Report *report, const BenchLine *line)
{
    json_t *json = times_json(&line->times);
    json_object_set_new(json, "about", json_string(line->about));
    json_object_set_new(json, "most", json_real(bench_part(&line->times, 1.0)));
    json_array_append_new(report->others, json);
    if (report->asked->is_json)
        return;
    utf8_print(stdout, line->about, BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_LINE_TIMES), 1e6 * bench_part(&line->times, 0.5),
           1e6 * bench_part(&line->times, 0.9), 1e6 * bench_part(&line->times, 1.0));
}

static void report_failure(Report *report, const Error *err)
{
    bench_fail("%s", err->text);
    report->worked = false;
}

// A to F, and every scenario that is named.
static void report_workloads(Report *report)
{
    static BenchResult result; // too large for a small stack
    const BenchAsked *asked = report->asked;
    for (int i = 0; asked->name_count == 0 && bench_workload(i); i++)
        report_workload(report, bench_workload(i), &result);
    for (int i = 0; i < asked->name_count; i++) {
        const char *name = asked->names[i];
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

static double exponent(double now, double before)
{
    return log2(now / before);
}

// The local exponents of the time, by the clock and of the processor, and of the bound. The least times,
// since a machine that has other things to do spoils medians of few runs.
static void report_growth(Report *report)
{
    BenchGrowing growing;
    BenchPlan plan = *report->plan;
    static BenchResult result, before;
    plan.stages = true;
    report->plan = &plan;
    for (int i = 0; bench_growing(i, &growing); i++, before = result) {
        report_workload(report, &growing.workload, &result);
        if (i == 0 || *result.failure || *before.failure)
            continue;
        double time = exponent(bench_part(&result.times, 0.0), bench_part(&before.times, 0.0));
        double stages = exponent(bench_part(&result.stages.sum.seconds, 0.0),
                                 bench_part(&before.stages.sum.seconds, 0.0));
        double bound = exponent(bench_part(&result.stages.sum.bound, 0.5),
                                bench_part(&before.stages.sum.bound, 0.5));
        json_t *last = json_array_get(report->workloads, json_array_size(report->workloads) - 1);
        json_object_set_new(last, "exponent", json_real(time));
        json_object_set_new(last, "stages_exponent", json_real(stages));
        json_object_set_new(last, "bound_exponent", json_real(bound));
        json_object_set_new(last, "multiply_adds_exponent",
                            json_real(exponent(result.multiply_adds, before.multiply_adds)));
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
    bool done = bench_start(report->asked->program, lines, &err);
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

// How fast a training is: in the middle of all runs, or at the best of each, which a machine that does
// other things at the same time disturbs least.
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
    report_line(report, &(BenchLine){.about = about, .times = result.step});
    TrainingSpeed usual = training_speed(&result, 0.5), best = training_speed(&result, 0.0);
    json_t *last = json_array_get(report->others, json_array_size(report->others) - 1);
    json_object_set_new(last, "threads", json_integer(threads));
    json_object_set_new(last, "whole_seconds", json_real(usual.whole));
    json_object_set_new(last, "flops", json_real(2.0 * usual.rate));
    json_object_set_new(last, "tile_flops", json_real(2.0 * usual.tile));
    json_object_set_new(last, "of_tile", json_real(usual.rate / usual.tile));
    json_object_set_new(last, "best_of_tile", json_real(best.rate / best.tile));
    double usual_passes = bench_part(&result.passes, 0.5), least = bench_part(&result.passes, 0.0);
    json_object_set_new(last, "bound_seconds", json_real(result.bound));
    json_object_set_new(last, "of_bound", json_real(result.bound / usual_passes));
    json_object_set_new(last, "best_of_bound", json_real(result.bound / least));
    if (report->asked->is_json)
        return;
    printf(TELL(BENCH_TRAIN_SAYS), (long long)result.steps, usual.whole, 2e-9 * usual.rate,
           2e-9 * usual.tile, 100.0 * usual.rate / usual.tile);
    printf(TELL(BENCH_TRAIN_BEST), best.whole, 2e-9 * best.rate, 2e-9 * best.tile,
           100.0 * best.rate / best.tile);
    printf(TELL(BENCH_TRAIN_BOUND), 1e6 * usual_passes, 1e6 * result.bound,
           100.0 * result.bound / usual_passes, 100.0 * result.bound / least);
}

// Two hundred of sixteen exercises; a few where it is to be short.
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

// On one thread and on two; on as many as were asked for, where they were.
static void report_training(Report *report)
{
    int asked = report->plan->threads;
    report_training_on(report, asked ? asked : 1);
    if (!asked)
        report_training_on(report, 2);
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

bool bench_report(const BenchAsked *asked)
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
    if (asked->name_count > 0 && is_wanted("growth", asked))
        report_growth(&report);
    if (is_wanted("start", asked))
        report_starts(&report);
    if (is_wanted("step", asked))
        report_steps(&report);
    if (is_wanted("exercise", asked))
        report_exercise(&report);
    if (asked->name_count > 0 && is_wanted("grade", asked))
        report_class(&report);
    if (is_wanted("train", asked))
        report_training(&report);
    if (!asked->is_json && is_wanted("window", asked) && !bench_window(&err))
        report_failure(&report, &err);
    if (!asked->is_json && is_wanted("seed", asked) && !bench_seed(asked->plan.threads, &err))
        report_failure(&report, &err);
    save_pictures(&report);
    json_t *all = json_pack("{s:o, s:o}", "workloads", report.workloads, "others", report.others);
    if (asked->is_json &&
        !json_whole_print(all, JSON_INDENT(1) | JSON_REAL_PRECISION(6), stdout, &err))
        report_failure(&report, &err);
    json_decref(all);
    return report.worked;
}
