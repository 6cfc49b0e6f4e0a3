// The bound of each stage of a workload: how fast this machine could do it.
//
// A stage does its multiply-adds, exponentials and divisions, reads its inputs and writes its outputs, each
// once. The same run measures how much of each the machine does per second. The largest of these times is the
// stage's bound. Compare bound and time only within one run.
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench.h"
#include "clock.h"
#include "fast.h"
#include "json.h"
#include "new_file.h"
#include "utf8.h"

// --- the rates, and how they are shown

void bench_add(BenchTimes *times, double seconds)
{
    if (times->count < BENCH_RUNS_MAX)
        times->seconds[times->count++] = seconds;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void bench_sort(BenchTimes *times)
{
    qsort(times->seconds, (size_t)times->count, sizeof *times->seconds, compare);
}

double bench_part(const BenchTimes *times, double part)
{
    return times->count ? times->seconds[(int)(part * (times->count - 1) + 0.5)] : 0.0;
}

// --- the machine

enum {
    PEAK_STEPS = 20 * 1000,
    PASS_BYTES = 16 << 20,
    BEYOND_CACHE = 4,
    STREAM = 128,
    CLOCK_TIMES = 2000
};

static const double wait_seconds = 0.02;

static size_t cache_bytes(int level)
{
    static const size_t usual[BENCH_MEMORY] = {32 << 10, 1 << 20, 32 << 20};
    static const char *const files[BENCH_MEMORY] = {"index0", "index2", "index3"};
    char path[80];
    size_t kilobytes = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/%s/size", files[level]);
    FILE *file = fopen(path, "r");
    bool is_known = file && fscanf(file, "%zuK", &kilobytes) == 1 && kilobytes > 0;
    if (file)
        fclose(file);
    return is_known ? kilobytes << 10 : usual[level];
}

// The caches of all threads together: they share the last one, and each core has its own others.
static void bench_caches(int threads, double bytes[BENCH_MEMORY])
{
    for (int level = BENCH_L1; level < BENCH_MEMORY; level++)
        bytes[level] = (double)cache_bytes(level) * (level == BENCH_L3 ? 1 : threads);
}

// The processor time of this thread, without what other programs take of its core.
static double thread_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Rate {
    const Kernel *kernel;
    int limit, threads;
    float *numbers; // for all threads
    ptrdiff_t count, turns;
    double work; // per thread
    atomic_int begun;
    double rates[TEAM_THREADS_MAX];
} Rate;

// Waits so that all threads work at the same time, but not for a thread that never starts.
static void wait_for_others(Rate *rate)
{
    double start = clock_seconds();
    atomic_fetch_add(&rate->begun, 1);
    while (atomic_load(&rate->begun) < rate->threads && clock_seconds() - start < wait_seconds)
        continue;
}

static void run_rate(void *context, ptrdiff_t number)
{
    Rate *rate = context;
    float *own = rate->numbers + number * rate->count;
    wait_for_others(rate);
    double start = thread_now();
    if (rate->limit < BENCH_READS)
        rate->kernel->peak((KernelPeak)rate->limit, rate->turns);
    for (ptrdiff_t turn = 0; rate->limit >= BENCH_READS && turn < rate->turns; turn++)
        if (rate->limit < BENCH_WRITES)
            rate->kernel->read_all(rate->count, own);
        else
            rate->kernel->write_all(rate->count, (float)turn, own);
    rate->rates[number] = rate->work / (thread_now() - start);
}

static double measure_rate(Trace *trace, Rate *rate)
{
    double all = 0.0;
    team_run(&trace->team, rate->threads, run_rate, rate);
    for (int thread = 0; thread < rate->threads; thread++)
        all += rate->rates[thread];
    return all;
}

// Takes memory for the rates and touches it, because the first touch costs time.
static bool take_numbers(Trace *trace, BenchStages *stages, double bytes, Error *err)
{
    ptrdiff_t shape[] = {(ptrdiff_t)bytes / (ptrdiff_t)sizeof(float) / STREAM * STREAM};
    Tensor tensor;
    if (!tensor_take(&stages->arena, DTYPE_F32, 1, shape, &tensor, err))
        return false;
    stages->numbers = (float *)tensor.storage.bytes;
    stages->bytes = (size_t)shape[0] * sizeof(float);
    trace->kernel->write_all(shape[0], 1.0f, stages->numbers);
    return true;
}

bool bench_rates(Trace *trace, BenchStages *stages, Error *err)
{
    int threads = trace->team.threads;
    double caches[BENCH_MEMORY];
    bench_caches(threads, caches);
    double beyond = caches[BENCH_L3] * BEYOND_CACHE;
    if (!stages->numbers && !take_numbers(trace, stages, beyond, err))
        return false;
    for (int limit = 0; limit < BENCH_LIMITS; limit++) {
        Rate rate = {.kernel = trace->kernel,
                     .limit = limit,
                     .threads = threads,
                     .numbers = stages->numbers,
                     .turns = PEAK_STEPS,
                     .work = (double)PEAK_STEPS * trace->kernel->peak_width};
        if (limit >= BENCH_READS) {
            int level = (limit - BENCH_READS) % BENCH_LEVELS;
            double bytes = level < BENCH_MEMORY ? caches[level] / 2 : beyond;
            rate.count = (ptrdiff_t)(bytes / threads / sizeof(float)) / STREAM * STREAM;
            rate.turns = 1 + PASS_BYTES / (rate.count * (ptrdiff_t)sizeof(float));
            rate.work = (double)(rate.turns * rate.count) * sizeof(float);
        }
        stages->rates.count[limit] = fmax(stages->rates.count[limit], measure_rate(trace, &rate));
    }
    return true;
}

// --- the work of a step

// The stored bytes: an axis with stride 0 repeats the same numbers.
static double bytes_of(const Tensor *tensor)
{
    double bytes = tensor->storage.bytes ? (double)dtype_size(tensor->dtype) : 0.0;
    for (int axis = 0; axis < tensor->rank; axis++)
        bytes *= tensor->stride[axis] == 0 ? 1.0 : (double)tensor->shape[axis];
    return bytes;
}

static bool writes(const TraceStep *step, int slot)
{
    return step->call->writes[slot].role && !step->call->writes[slot].is_view &&
           step->args.out[slot].storage.bytes;
}

static bool is_made_by(const TraceStep *step, const Tensor *tensor)
{
    for (int slot = 0; slot < STAGE_WRITES_MAX && step->call->writes[slot].role; slot++)
        if (writes(step, slot) && step->args.out[slot].storage.bytes == tensor->storage.bytes)
            return true;
    return false;
}

// The bytes that the step reads and writes; 0 for a view.
static double bytes_touched(const TraceStep *step)
{
    double in = 0.0, out = 0.0;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        in += bytes_of(&step->args.in[i]);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        out += writes(step, i) ? bytes_of(&step->args.out[i]) : 0.0;
    return out > 0.0 ? in + out : 0.0;
}

static int level_of(double bytes, const double caches[BENCH_MEMORY])
{
    int level = BENCH_L1;
    while (level < BENCH_MEMORY && bytes > caches[level])
        level++;
    return level;
}

// True if slices go through both steps while they are in the second cache (KERNEL.md).
static bool is_one_group(const Trace *trace, int earlier, int step)
{
    int first = 0;
    while (first <= earlier) {
        int count = trace->steps[first].group > 0 ? trace->steps[first].group : 1;
        if (earlier < first + count)
            return step < first + count;
        first += count;
    }
    return false;
}

// Where a tensor is when the step reads it: in the nearest cache that holds everything touched since the
// tensor was written. The last run touched the inputs and the memory of the outputs.
static int level_read(const Trace *trace, int step, const Tensor *tensor,
                      const double caches[BENCH_MEMORY])
{
    double since = 0.0;
    for (int earlier = step; earlier >= 0; earlier--) {
        since += bytes_touched(&trace->steps[earlier]);
        if (earlier == step || !is_made_by(&trace->steps[earlier], tensor))
            continue;
        int level = level_of(since, caches);
        return level > BENCH_L2 && is_one_group(trace, earlier, step) ? BENCH_L2 : level;
    }
    for (int later = step + 1; later < trace->step_count; later++)
        since += bytes_touched(&trace->steps[later]);
    return level_of(since, caches);
}

static bool is_power_of_two(float number)
{
    int exponent;
    return fabsf(frexpf(number, &exponent)) == 0.5f;
}

static void count_operations(const TraceStep *step, BenchWork *work)
{
    const StageArgs *args = &step->args;
    double numbers = (double)tensor_count(&args->out[step->stage->main_output]);
    for (int i = 0; i < STAGE_READS_MAX; i++)
        if (args->panels[i].storage.bytes)
            work->count[KERNEL_MULTIPLY_ADDS] =
                numbers * (double)args->in[0].shape[args->in[0].rank - 1];
    if (step->stage == &stage_scale)
        work->count[is_power_of_two(args->options->scale) ? KERNEL_MULTIPLY_ADDS
                                                          : KERNEL_DIVISIONS] = numbers;
    if (step->stage == &stage_softmax)
        work->count[KERNEL_EXPONENTIALS] = work->count[KERNEL_DIVISIONS] = numbers;
}

void bench_step_work(const Trace *trace, int number, const double caches[BENCH_MEMORY],
                     BenchWork *work)
{
    const TraceStep *step = &trace->steps[number];
    *work = (BenchWork){.count = {0}};
    if (bytes_touched(step) == 0.0)
        return;
    count_operations(step, work);
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++) {
        const Tensor *tensor = &step->args.in[i];
        if (tensor->storage.bytes)
            work->count[BENCH_READS + level_read(trace, number, tensor, caches)] +=
                bytes_of(tensor);
    }
    double all = 0.0;
    for (int other = 0; other < trace->step_count; other++)
        all += bytes_touched(&trace->steps[other]);
    for (int i = 0; i < STAGE_WRITES_MAX && step->call->writes[i].role; i++)
        if (writes(step, i))
            work->count[BENCH_WRITES + level_of(all, caches)] += bytes_of(&step->args.out[i]);
}

double bench_bound(const BenchWork *work, const BenchWork *rates, int *limit)
{
    double most = 0.0;
    for (int i = 0; i < BENCH_LIMITS; i++) {
        double seconds = work->count[i] / rates->count[i];
        if (seconds > most) {
            most = seconds;
            *limit = i;
        }
    }
    return most;
}

// --- the time of a stage

// A trace reports when a piece of a step is done. Threads side by side share its time.
static _Thread_local double piece_began;
static double clock_cost; // of a clock call, which is about as long as a small piece

static void measure_clock(void)
{
    double start = thread_now();
    for (int i = 0; i < CLOCK_TIMES; i++)
        clock_cost = (thread_now() - start) / (i + 1);
}

static void note_piece(void *context, int step, int threads)
{
    atomic_llong *nanoseconds = context;
    double now = thread_now(), spent = now - piece_began - clock_cost;
    if (step >= 0)
        atomic_fetch_add(&nanoseconds[step], (long long)(1e9 * spent / threads));
    piece_began = now;
}

bool bench_stages_begin(Trace *trace, BenchStages *stages, Error *err)
{
    stages->nanoseconds =
        arena_take(&stages->arena, (size_t)trace->step_count, sizeof(atomic_llong), err);
    measure_clock();
    trace->passed = note_piece;
    trace->passed_context = stages->nanoseconds;
    return stages->nanoseconds != NULL;
}

void bench_stages_finish(BenchStages *stages)
{
    arena_finish(&stages->arena);
    stages->nanoseconds = NULL;
    stages->numbers = NULL;
}

// The row of a stage, which its steps share. NULL if there are too many.
static BenchStage *row_of(BenchStages *stages, const char *name)
{
    for (int row = 0; row < stages->count; row++)
        if (strcmp(stages->rows[row].name, name) == 0)
            return &stages->rows[row];
    if (stages->count == BENCH_STAGES_MAX)
        return NULL;
    BenchStage *row = &stages->rows[stages->count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

void bench_stages_forget(const Trace *trace, BenchStages *stages)
{
    for (int step = 0; step < trace->step_count; step++)
        atomic_store(&stages->nanoseconds[step], 0);
}

void bench_stages_note(const Trace *trace, BenchStages *stages, double run_seconds)
{
    double seconds[BENCH_STAGES_MAX] = {0}, all_seconds = 0.0;
    for (int step = 0; step < trace->step_count; step++) {
        BenchStage *row = bytes_touched(&trace->steps[step]) > 0.0
                              ? row_of(stages, trace->steps[step].stage->name)
                              : NULL;
        if (row)
            seconds[row - stages->rows] += 1e-9 * (double)atomic_load(&stages->nanoseconds[step]);
    }
    for (int row = 0; row < stages->count; row++) {
        bench_add(&stages->rows[row].seconds, seconds[row]);
        all_seconds += seconds[row];
    }
    bench_add(&stages->sum.seconds, all_seconds);
    bench_add(&stages->whole.seconds, run_seconds);
}

static void sort_row(BenchStage *row)
{
    for (int run = 0; run < row->seconds.count; run++)
        bench_add(&row->ratio, row->bound / row->seconds.seconds[run]);
    bench_sort(&row->seconds);
    bench_sort(&row->ratio);
}

void bench_stages_sort(const Trace *trace, BenchStages *stages)
{
    double caches[BENCH_MEMORY], most[BENCH_STAGES_MAX] = {0};
    bench_caches(trace->team.threads, caches);
    for (int step = 0; step < trace->step_count; step++) {
        BenchWork work;
        int limit = 0;
        bench_step_work(trace, step, caches, &work);
        double bound = bench_bound(&work, &stages->rates, &limit);
        BenchStage *row = bound > 0.0 ? row_of(stages, trace->steps[step].stage->name) : NULL;
        if (!row)
            continue;
        ptrdiff_t at = row - stages->rows;
        for (int i = 0; i < BENCH_LIMITS; i++)
            row->work.count[i] += work.count[i];
        row->bound += bound;
        row->limit = bound > most[at] ? limit : row->limit;
        most[at] = fmax(most[at], bound);
    }
    for (int row = 0; row < stages->count; row++) {
        stages->sum.bound += stages->rows[row].bound;
        sort_row(&stages->rows[row]);
    }
    stages->whole.bound = stages->sum.bound;
    sort_row(&stages->sum);
    sort_row(&stages->whole);
}

const BenchTimes *bench_undisturbed(const BenchTimes *ratios)
{
    static const BenchTimes none = {.count = 0};
    return bench_part(ratios, 0.5) > 1.0 ? &none : ratios;
}

bool bench_ratio(const BenchTimes *ratios, double *ratio, double *spread)
{
    *ratio = bench_part(ratios, 0.5);
    *spread = (bench_part(ratios, 0.75) - bench_part(ratios, 0.25)) / 2;
    return ratios->count > 0 && *spread <= fabs(1.0 - *ratio);
}

// --- as a table and as JSON

static const struct {
    const char *key;
    Words words;
} limits[BENCH_LIMITS] = {
    {"multiply_adds", WORDS("multiply-adds", "곱셈-덧셈")},
    {"exponentials", WORDS("exponentials", "지수 함수")},
    {"divisions", WORDS("divisions", "나눗셈")},
    {"read_l1", WORDS("reads, L1", "읽기, L1")},
    {"read_l2", WORDS("reads, L2", "읽기, L2")},
    {"read_l3", WORDS("reads, L3", "읽기, L3")},
    {"read_memory", WORDS("reads, memory", "읽기, 메모리")},
    {"write_l1", WORDS("writes, L1", "쓰기, L1")},
    {"write_l2", WORDS("writes, L2", "쓰기, L2")},
    {"write_l3", WORDS("writes, L3", "쓰기, L3")},
    {"write_memory", WORDS("writes, memory", "쓰기, 메모리")},
};

static void ratio_text(const BenchTimes *ratios, char text[24])
{
    double ratio, spread;
    if (bench_ratio(bench_undisturbed(ratios), &ratio, &spread))
        snprintf(text, 24, "%.0f %% ± %.0f", 100.0 * ratio, 100.0 * spread);
    else
        snprintf(text, 24, "-");
}

static void print_row(const char *name, const BenchStage *row, const char *limit)
{
    char ratio[24];
    ratio_text(&row->ratio, ratio);
    printf("    ");
    utf8_print(stdout, name, 26);
    printf("%11.1f %11.1f   ", 1e6 * bench_part(&row->seconds, 0.5), 1e6 * row->bound);
    utf8_print(stdout, ratio, 14);
    printf("%s\n", limit);
}

void bench_stages_print(const BenchStages *stages)
{
    const double *rate = stages->rates.count;
    printf(TELL(BENCH_RATES), 1e-9 * rate[0], 1e-9 * rate[1], 1e-9 * rate[2]);
    for (int level = 0; level < BENCH_LEVELS; level++)
        printf(TELL(BENCH_BYTES), words_tell(limits[BENCH_READS + level].words),
               1e-9 * rate[BENCH_READS + level], words_tell(limits[BENCH_WRITES + level].words),
               1e-9 * rate[BENCH_WRITES + level]);
    fputs(TELL(BENCH_STAGES_HEADING), stdout);
    for (int row = 0; row < stages->count; row++)
        print_row(stages->rows[row].name, &stages->rows[row],
                  words_tell(limits[stages->rows[row].limit].words));
    print_row(TELL(BENCH_ALL_STAGES), &stages->sum, "");
    print_row(TELL(BENCH_WHOLE), &stages->whole, "");
}

void bench_ratio_json(const BenchTimes *ratios, const char *name, json_t *into)
{
    double ratio, spread;
    char spread_name[40];
    bool says = bench_ratio(ratios, &ratio, &spread);
    snprintf(spread_name, sizeof spread_name, "%s_spread", name);
    json_object_set_new(into, name, says ? json_real(ratio) : json_null());
    json_object_set_new(into, spread_name, json_real(spread));
}

static json_t *row_json(const BenchStage *row)
{
    json_t *json = json_pack("{s:f, s:f}", "seconds", bench_part(&row->seconds, 0.5),
                             "bound_seconds", row->bound);
    bench_ratio_json(bench_undisturbed(&row->ratio), "of_bound", json);
    return json;
}

static json_t *work_json(const BenchWork *work)
{
    json_t *json = json_object();
    for (int limit = 0; limit < BENCH_LIMITS; limit++)
        if (work->count[limit] > 0.0)
            json_object_set_new(json, limits[limit].key, json_real(work->count[limit]));
    return json;
}

void bench_stages_json(const BenchStages *stages, json_t *into)
{
    json_t *rows = json_array(), *whole = row_json(&stages->whole);
    for (int row = 0; row < stages->count; row++) {
        json_t *json = row_json(&stages->rows[row]);
        json_object_set_new(json, "stage", json_string(stages->rows[row].name));
        json_object_set_new(json, "limit", json_string(limits[stages->rows[row].limit].key));
        json_object_set_new(json, "work", work_json(&stages->rows[row].work));
        json_array_append_new(rows, json);
    }
    json_object_update(into, whole);
    json_decref(whole);
    json_object_del(into, "seconds"); // keeps the workload's
    json_object_set_new(into, "stages", rows);
    json_object_set_new(into, "all_stages", row_json(&stages->sum));
    json_object_set_new(into, "rates", work_json(&stages->rates));
}

// --- as a picture: a roofline
//
// Across: operations per byte read or written. Up: operations per second. Both scales double at each step.
// The roofs are the rates of the units and the levels of memory. A stage is a dot, with a line to its bound.

enum { WIDTH = 900, HEIGHT = 480, LEFT = 60, TOP = 40, PLOT_WIDTH = 540, PLOT_HEIGHT = 380 };

static const double least_intensity = 1.0 / 32, most_intensity = 512.0;
static const double least_rate = 1e8, most_rate = 1e12;

static double across(double intensity)
{
    double part = log(intensity / least_intensity) / log(most_intensity / least_intensity);
    return LEFT + PLOT_WIDTH * fmin(fmax(part, 0.0), 1.0);
}

static double up(double rate)
{
    double part = log(rate / least_rate) / log(most_rate / least_rate);
    return TOP + PLOT_HEIGHT * (1.0 - fmin(fmax(part, 0.0), 1.0));
}

static void put_axes(FILE *out)
{
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\"/>\n", LEFT, TOP,
            PLOT_WIDTH, PLOT_HEIGHT);
    for (double x = least_intensity; x <= most_intensity; x *= 4)
        fprintf(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>\n", across(x),
                TOP + PLOT_HEIGHT + 18, x);
    for (double y = least_rate; y <= most_rate; y *= 10)
        fprintf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%g</text>\n", LEFT - 6,
                up(y) + 4, 1e-9 * y);
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT, TOP + PLOT_HEIGHT + 38,
            TELL(BENCH_ROOF_ACROSS));
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT, TOP - 8, TELL(BENCH_ROOF_UP));
}

static void put_roofs(const BenchWork *rates, FILE *out)
{
    for (int unit = 0; unit < KERNEL_PEAKS; unit++)
        fprintf(
            out,
            "<path d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            LEFT, up(rates->count[unit]), PLOT_WIDTH, LEFT + PLOT_WIDTH - 4,
            up(rates->count[unit]) - 4, words_tell(limits[unit].words));
    for (int level = 0; level < BENCH_LEVELS; level++) {
        double rate = rates->count[BENCH_READS + level];
        double first = fmax(least_intensity, least_rate / rate);
        double last = fmin(most_intensity, rates->count[KERNEL_MULTIPLY_ADDS] / rate);
        double label = least_intensity * (level % 2 ? 4 : 8);
        bool is_above = level < BENCH_L3; // separates the names of neighbours
        fprintf(out,
                "<path d=\"M%.1f %.1fL%.1f %.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                across(first), up(first * rate), across(last), up(last * rate),
                across(label) + (is_above ? -4 : 6), up(label * rate) + (is_above ? -2 : 10),
                is_above ? "end" : "start", words_tell(limits[BENCH_READS + level].words));
    }
}

static void put_stage(const BenchStage *stage, int number, FILE *out)
{
    double operations = 0.0, bytes = 0.0;
    for (int limit = 0; limit < KERNEL_PEAKS; limit++)
        operations = fmax(operations, stage->work.count[limit]);
    for (int limit = KERNEL_PEAKS; limit < BENCH_LIMITS; limit++)
        bytes += stage->work.count[limit];
    char ratio[24];
    ratio_text(&stage->ratio, ratio);
    fprintf(out, "<text x=\"%d\" y=\"%d\">%d %s, %s: %s</text>\n", LEFT + PLOT_WIDTH + 20,
            TOP + 20 * number, number, stage->name, words_tell(limits[stage->limit].words), ratio);
    if (operations == 0.0) // it only moves numbers, so it has no rate of operations
        return;
    double x = across(operations / bytes), y = up(operations / bench_part(&stage->seconds, 0.5));
    fprintf(out,
            "<path class=\"way\" d=\"M%.1f %.1fV%.1f\"/><circle class=\"stage\" cx=\"%.1f\" "
            "cy=\"%.1f\" r=\"4\"/>"
            "<text x=\"%.1f\" y=\"%.1f\">%d</text>\n",
            x, y, up(operations / stage->bound), x, y, x + 7, y + 5, number);
}

void bench_stages_draw(const BenchStages *stages, const char *title, int place, FILE *out)
{
    fprintf(out, "<g transform=\"translate(0 %d)\">\n<text x=\"%d\" y=\"16\">%s</text>\n",
            place * HEIGHT, LEFT, title);
    put_axes(out);
    put_roofs(&stages->rates, out);
    for (int row = 0; row < stages->count; row++)
        put_stage(&stages->rows[row], row + 1, out);
    fputs("</g>\n", out);
}

typedef struct Pictures {
    const char *drawn;
    int count;
} Pictures;

static bool write_pictures(const void *what, FILE *out, Error *err)
{
    const Pictures *pictures = what;
    (void)err;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<style>rect,path{stroke:#777;"
            "fill:none}.way{stroke:#c00;stroke-width:2}circle{fill:#c00}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" style=\"fill:#fff\"/>\n%s</svg>\n",
            WIDTH, HEIGHT * pictures->count, pictures->drawn);
    return true;
}

bool bench_stages_save(const char *path, const char *drawn, int count, Error *err)
{
    return new_file_write(path, write_pictures, &(Pictures){drawn, count}, err);
}
