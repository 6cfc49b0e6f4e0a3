// Measures one workload of `attnscope bench` in a child process or in another program, and a training.
//
// In a child, the peak of memory is that of the workload, and memory starts fresh. tests/bench/README.md has
// the protocol of other programs.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"
#include "clock.h"
#include "scenario_file.h"
#include "trace.h"
#include "training.h"

// --- a child process and its results

static bool read_all(int file, void *to, size_t bytes)
{
    for (size_t got = 0; got < bytes;) {
        ssize_t count = read(file, (char *)to + got, bytes - got);
        if (count <= 0)
            return false;
        got += (size_t)count;
    }
    return true;
}

// Runs in a child, and writes its results to `result`.
typedef bool ApartWork(const void *context, void *result);

// Copies the child's `result`. Returns false and sets err if the child cannot start or its work failed.
static bool run_apart(ApartWork *work, const void *context, void *result, size_t bytes, Error *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return error_set(err, "a pipe: %s", error_reason(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(work(context, result) && write(ends[1], result, bytes) == (ssize_t)bytes ? 0 : 1);
    int cause = errno; // why there is no process
    close(ends[1]);
    bool came = child > 0 && read_all(ends[0], result, bytes);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (child < 0)
        return error_set(err, TELL(BENCH_NO_PROCESS), error_reason(cause));
    return came || error_set(err, TELL(BENCH_NO_RESULT));
}

// --- in another program

typedef struct Peer {
    int process;
    FILE *in, *out;
} Peer;

enum { LINE_MAX_BYTES = 256 };

static bool peer_start(Peer *peer, const char *command, Error *err)
{
    int to[2], from[2];
    if (pipe(to) != 0)
        return error_set(err, TELL(PEER_PIPE_TO), error_reason(errno));
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return error_set(err, TELL(PEER_PIPE_FROM), error_reason(errno));
    }
    peer->process = fork();
    if (peer->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    peer->in = fdopen(to[1], "w");
    peer->out = fdopen(from[0], "r");
    return peer->process > 0 && peer->in && peer->out
               ? true
               : error_set(err, TELL(PEER_NOT_STARTED), error_reason(errno));
}

// Sends a line, and reads a line as the answer.
static bool ask(Peer *peer, const char *line, char answer[LINE_MAX_BYTES], Error *err)
{
    if (fprintf(peer->in, "%s\n", line) < 0 || fflush(peer->in) != 0 ||
        !fgets(answer, LINE_MAX_BYTES, peer->out))
        return error_set(err, TELL(PEER_SILENT), line);
    answer[strcspn(answer, "\n")] = '\0';
    return true;
}

// Starts the command, which prepares the workload. Returns false and sets err on failure.
static bool peer_open(Peer *peer, const char *command, const BenchWorkload *workload, int threads,
                      Error *err)
{
    char line[LINE_MAX_BYTES], answer[LINE_MAX_BYTES];
    *peer = (Peer){.process = -1};
    if (!peer_start(peer, command, err))
        return false;
    snprintf(line, sizeof line, "open %s %d %d %d %d %s %d", workload->name, workload->batch,
             workload->length, workload->width, workload->heads, workload->mask, threads);
    if (!ask(peer, line, answer, err))
        return false;
    return strcmp(answer, "ready") == 0 || error_set(err, TELL(PEER_NOT_READY), answer, line);
}

// One run. The peer measures the seconds.
static bool peer_run(Peer *peer, double *seconds, Error *err)
{
    char answer[LINE_MAX_BYTES], *rest;
    if (!ask(peer, "run", answer, err))
        return false;
    *seconds = strtod(answer, &rest);
    return (rest != answer && *rest == '\0') || error_set(err, TELL(PEER_NO_SECONDS), answer);
}

static void peer_close(Peer *peer)
{
    if (peer->in)
        fclose(peer->in);
    if (peer->out)
        fclose(peer->out);
    if (peer->process > 0)
        waitpid(peer->process, NULL, 0);
    *peer = (Peer){.process = -1};
}

// --- in a child process

enum { RUNS_MIN = 5, PEAK_STEPS = 200 * 1000, PEAK_EVERY = 4, TILE_DEPTH = 128, TILES = 2000 };

// The multiply-adds of all matrix products. The trace must have run.
static double count_multiply_adds(const Trace *trace)
{
    double sum = 0.0;
    for (int step = 0; step < trace->step_count; step++) {
        const StageArgs *args = &trace->steps[step].args;
        bool is_product = false;
        for (int i = 0; i < STAGE_READS_MAX; i++)
            is_product = is_product || args->panels[i].storage.bytes;
        if (is_product)
            sum += (double)tensor_count(&args->out[0]) *
                   (double)args->in[0].shape[args->in[0].rank - 1];
    }
    return sum;
}

static void run_peak(void *context, ptrdiff_t number)
{
    (void)number;
    const Kernel *kernel = context;
    kernel->peak(KERNEL_MULTIPLY_ADDS, PEAK_STEPS);
}

// The peak of all threads together, with numbers in registers only.
static double measure_peak(Trace *trace)
{
    double start = clock_seconds();
    team_run(&trace->team, trace->team.threads, run_peak, (void *)(uintptr_t)trace->kernel);
    double steps = (double)PEAK_STEPS * trace->team.threads;
    return steps * trace->kernel->peak_width / (clock_seconds() - start);
}

static void run_tiles(void *context, ptrdiff_t number)
{
    (void)number;
    const Kernel *kernel = context;
    float left[KERNEL_ROWS_MAX * TILE_DEPTH] = {0}, panel[KERNEL_COLUMNS_MAX * TILE_DEPTH] = {0};
    float sums[KERNEL_ROWS_MAX * KERNEL_COLUMNS_MAX];
    KernelBand band = {.rows = kernel->rows,
                       .depth = TILE_DEPTH,
                       .left = left,
                       .left_row = TILE_DEPTH,
                       .left_k = 1,
                       .panel = panel,
                       .panel_row = kernel->columns,
                       .sums = sums,
                       .sums_row = kernel->columns,
                       .columns = kernel->columns};
    for (int tile = 0; tile < TILES; tile++)
        kernel->band(&band);
}

// A neighbour on the same core slows this down more than the peak, which needs no caches and loads.
static double bench_tile(Trace *trace)
{
    const Kernel *kernel = trace->kernel;
    double start = clock_seconds();
    team_run(&trace->team, trace->team.threads, run_tiles, (void *)(uintptr_t)kernel);
    double tiles = (double)TILES * trace->team.threads;
    return tiles * kernel->rows * kernel->columns * TILE_DEPTH / (clock_seconds() - start);
}

static bool run_once(Trace *trace, double *seconds, Error *err)
{
    double start = clock_seconds();
    bool ran = trace_run(trace, err);
    *seconds = clock_seconds() - start;
    return ran;
}

static const double rates_seconds = 0.02; // that it takes to measure them, about

// Runs ours and the peer's in turn, and sometimes the peak, until the time is used up.
static bool run_in_turn(Trace *trace, Peer *peer, const BenchPlan *plan, BenchResult *result,
                        Error *err)
{
    double start = clock_seconds(), seconds = 0.0, peak = 0.0, tile = 0.0;
    for (int run = 0; run < BENCH_RUNS_MAX; run++) {
        if (run >= RUNS_MIN && clock_seconds() - start > plan->seconds)
            break;
        // Before each long run, since other programs may disturb one measurement.
        if (run % PEAK_EVERY == 0 || seconds > rates_seconds) {
            peak = measure_peak(trace);
            tile = bench_tile(trace);
            bench_add(&result->peak, peak);
            bench_add(&result->tile, tile);
            if (plan->stages && !bench_rates(trace, &result->stages, err))
                return false;
        }
        trace_rewind(trace);
        if (plan->stages)
            bench_stages_forget(trace, &result->stages);
        if (!run_once(trace, &seconds, err))
            return false;
        bench_add(&result->times, seconds);
        bench_add(&result->of_peak, result->multiply_adds / seconds / peak);
        bench_add(&result->of_tile, result->multiply_adds / seconds / tile);
        double own = seconds;
        if (plan->stages)
            bench_stages_note(trace, &result->stages, seconds);
        if (plan->peer && !peer_run(peer, &seconds, err))
            return false;
        if (plan->peer) {
            bench_add(&result->peer, seconds);
            bench_add(&result->peer_ratio, seconds / own);
        }
    }
    for (int run = 0; run < plan->idle_runs; run++) {
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
        trace_rewind(trace);
        if (!run_once(trace, &seconds, err))
            return false;
        bench_add(&result->idle, seconds);
    }
    return true;
}

static bool measure_trace(Trace *trace, const BenchWorkload *workload, const BenchPlan *plan,
                          BenchResult *result, Error *err)
{
    Peer peer = {.process = -1};
    result->threads = trace->team.threads;
    result->bytes_kept = trace_bytes(trace);
    bool done = !plan->peer || peer_open(&peer, plan->peer, workload, trace->team.threads, err);
    done = done && run_once(trace, &result->first, err);
    result->multiply_adds = count_multiply_adds(trace);
    done = done && (!plan->stages || bench_stages_begin(trace, &result->stages, err)) &&
           run_in_turn(trace, &peer, plan, result, err);
    if (done && plan->stages)
        bench_stages_sort(trace, &result->stages);
    bench_stages_finish(&result->stages);
    peer_close(&peer);
    return done;
}

bool bench_scenario(const BenchWorkload *workload, Scenario *scenario, Error *err)
{
    ScenarioRequest request = {.what = workload->scenario};
    const char *sets[BENCH_SETS_MAX];
    memcpy(sets, workload->sets, sizeof sets);
    request.sets = sets;
    while (request.set_count < BENCH_SETS_MAX && sets[request.set_count])
        request.set_count++;
    return scenario_open(scenario, &request, err);
}

// --- the bound of a first run: all threads touch as much fresh memory as it needs

enum { TOUCHED = 2 * 1024 * 1024, PAGE = 4096 };

typedef struct Touch {
    char *memory;
    size_t bytes;
    int threads;
} Touch;

static void touch_piece(void *context, ptrdiff_t number)
{
    const Touch *touch = context;
    size_t begin = (size_t)number * TOUCHED, end = begin + TOUCHED;
    for (size_t at = begin; at < end && at < touch->bytes; at += PAGE)
        touch->memory[at] = 1;
}

static bool touch_once(const Touch *asked, double *seconds)
{
    Error err;
    Arena arena = {0};
    Team team;
    Touch touch = *asked;
    touch.memory = arena_take(&arena, touch.bytes, 1, &err);
    if (!touch.memory)
        return false;
    team_init(&team, touch.threads);
    double start = clock_seconds();
    team_run(&team, (ptrdiff_t)((touch.bytes + TOUCHED - 1) / TOUCHED), touch_piece, &touch);
    *seconds = clock_seconds() - start;
    team_finish(&team);
    arena_finish(&arena);
    return true;
}

// Touches it twice: a virtual machine gets memory from its host at the first touch, which may take any time.
// The first run that follows has the memory, too.
static bool touch_twice(const void *context, void *seconds)
{
    return touch_once(context, seconds) && touch_once(context, seconds);
}

// Measures in a child, so that this memory is not counted for the workload.
static bool measure_touch(const Trace *trace, BenchResult *result, Error *err)
{
    Touch touch = {.threads = trace->team.threads, .bytes = trace_bytes(trace)};
    for (int i = 0; i < trace->scenario->tensor_count; i++) // the packed weights
        touch.bytes += (size_t)tensor_count(&trace->scenario->tensors[i].tensor) * sizeof(float);
    return run_apart(touch_twice, &touch, &result->touch, sizeof result->touch, err);
}

static void count_bytes(void *context, const Tensor *panels)
{
    *(size_t *)context += (size_t)tensor_count(panels) * sizeof(float);
}

static bool measure(const BenchWorkload *workload, const BenchPlan *plan, BenchResult *result,
                    Error *err)
{
    Scenario scenario;
    Trace trace;
    if (!bench_scenario(workload, &scenario, err))
        return false;
    scenario.threads = workload->threads ? workload->threads : plan->threads;
    bool done = trace_open(&trace, &scenario, err) && measure_touch(&trace, result, err) &&
                measure_trace(&trace, workload, plan, result, err);
    trace_visit_panels(&trace, count_bytes, &result->bytes_kept);
    for (int i = 0; done && i < scenario.tensor_count; i++)
        result->bytes_kept += (size_t)tensor_count(&scenario.tensors[i].tensor) *
                              dtype_size(scenario.tensors[i].tensor.dtype);
    trace_close(&trace);
    scenario_finish(&scenario);
    return done;
}

typedef struct Asked {
    const BenchWorkload *workload;
    const BenchPlan *plan;
} Asked;

static bool run_child(const void *context, void *to)
{
    const Asked *asked = context;
    BenchResult *result = to;
    Error err = {.text = ""};
    signal(SIGPIPE, SIG_IGN); // an ended peer becomes an error
    if (!measure(asked->workload, asked->plan, result, &err))
        snprintf(result->failure, sizeof result->failure, "%s", err.text);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result->bytes_peak = (size_t)usage.ru_maxrss * 1024 - result->stages.bytes;
    bench_sort(&result->times);
    bench_sort(&result->peer);
    bench_sort(&result->peer_ratio);
    bench_sort(&result->of_peak);
    bench_sort(&result->of_tile);
    bench_sort(&result->peak);
    bench_sort(&result->tile);
    bench_sort(&result->idle);
    return true;
}

void bench_measure(const BenchWorkload *workload, const BenchPlan *plan, BenchResult *result)
{
    Error err;
    *result = (BenchResult){.first = 0};
    if (!run_apart(run_child, &(Asked){workload, plan}, result, sizeof *result, &err))
        snprintf(result->failure, sizeof result->failure, "%s", err.text);
}

// --- a step of the training that made the shipped weights
//
// And how close its passes come to the kernel alone.

enum { RUNS = 100, RUNS_SHORT = 5 };

// The products of the forward pass: four matrices of d_model x d_model, the scores and their sum, and the
// readouts. For each product, the backward pass has two of the same size, one per factor.
static double multiply_adds(const TrainingRecipe *recipe)
{
    double rows = (double)recipe->batch * recipe->grammar->length, width = recipe->width;
    double layers = 4.0 * width * width, attention = 2.0 * recipe->grammar->length * width;
    double readouts = (double)QUESTION_COUNT * GRAMMAR_WORDS * width;
    return 3.0 * rows * (layers + attention + readouts);
}

static bool run(Training *training, int runs, BenchTraining *result, Error *err)
{
    for (int i = 0; i < runs; i++) {
        double start = clock_seconds();
        if (!training_step(training, err))
            return false;
        bench_add(&result->step, clock_seconds() - start);
        start = clock_seconds();
        if (!training_batch_run(&training->batch, err))
            return false;
        bench_add(&result->passes, clock_seconds() - start);
        bench_add(&result->tile, bench_tile(&training->batch.trace));
    }
    return true;
}

// --- the bound of its passes
//
// Products of the same small sizes and the same exponentials, on numbers that stay in the nearest cache, and what
// the other steps read and write in the second cache, shared evenly among the threads. No pass can do without
// them. The peak of large tiles is not a bound for small ones.

enum {
    BOUND_ROWS = 64,
    BOUND_DEPTH = 1024,
    BOUND_TIMES = 20,
    BOUND_ROUNDS = 7,
    BOUND_MOVED = 1 << 17
};

// A product of `rows` x `depth` x `columns`. If there are many rows, uses the first ones repeatedly.
typedef struct SmallProduct {
    ptrdiff_t rows, depth, columns;
    double count;
} SmallProduct;

static void run_product(const Kernel *kernel, const SmallProduct *product)
{
    static float left[BOUND_ROWS * BOUND_DEPTH], panel[KERNEL_WIDEST_MAX * BOUND_DEPTH];
    static float sums[BOUND_ROWS * KERNEL_WIDEST_MAX];
    for (ptrdiff_t column = 0, wide; column < product->columns; column += wide) {
        ptrdiff_t left_over = product->columns - column;
        wide = left_over <= kernel->widest ? left_over : kernel->columns;
        for (ptrdiff_t row = 0; row < product->rows; row += BOUND_ROWS) {
            ptrdiff_t rest = product->rows - row;
            kernel->band(&(KernelBand){.rows = rest < BOUND_ROWS ? rest : BOUND_ROWS,
                                       .depth = product->depth,
                                       .left = left,
                                       .left_row = product->depth,
                                       .left_k = 1,
                                       .panel = panel,
                                       .panel_row = kernel->widest,
                                       .panel_beside = kernel->columns,
                                       .sums = sums,
                                       .sums_row = kernel->widest,
                                       .columns = wide});
        }
    }
}

static double product_seconds(const Kernel *kernel, const SmallProduct *product)
{
    double least = 1.0;
    for (int round = 0; round < BOUND_ROUNDS; round++) {
        double start = clock_seconds();
        for (int time = 0; time < BOUND_TIMES; time++)
            run_product(kernel, product);
        double seconds = (clock_seconds() - start) / BOUND_TIMES;
        least = seconds < least ? seconds : least;
    }
    return product->count * least;
}

// Not in place: a step reads one tensor and writes another, and a row that waits for what the last call has stored
// takes longer than a step's.
static double softmax_seconds(const Kernel *kernel, const Tensor *out)
{
    static float from[BOUND_ROWS * BOUND_DEPTH], to[BOUND_ROWS * BOUND_DEPTH];
    ptrdiff_t columns = out->shape[out->rank - 1];
    double least = 1.0, count = (double)tensor_count(out) / (double)(columns * BOUND_ROWS);
    for (int round = 0; round < BOUND_ROUNDS; round++) {
        double start = clock_seconds();
        for (int time = 0; time < BOUND_TIMES; time++)
            kernel->softmax(BOUND_ROWS, columns, from, columns, to, columns);
        double seconds = (clock_seconds() - start) / BOUND_TIMES;
        least = seconds < least ? seconds : least;
    }
    return count * least;
}

// The products of a step with these panels: one for all rows, or one per head or question.
static SmallProduct product_of(const StageArgs *args, const Tensor *out, const Tensor *panels)
{
    const Tensor *stack = args->in[0].rank == 4 ? &args->in[0] : out;
    SmallProduct product = {.depth = panels->shape[panels->rank - 2],
                            .columns = out->shape[out->rank - 1],
                            .rows = out->shape[out->rank - 2]};
    product.count = panels->rank > 3 ? (double)(stack->shape[0] * stack->shape[1]) : 1.0;
    if (panels->rank == 3)
        product.rows = tensor_count(out) / product.columns;
    product.depth = product.depth < BOUND_DEPTH ? product.depth : BOUND_DEPTH;
    return product;
}

// What a number takes that is read, or written, in the second cache: all that a step makes lies there.
typedef struct Moving {
    double read, write;
} Moving;

static Moving measure_moving(const Kernel *kernel)
{
    static float numbers[BOUND_MOVED];
    Moving least = {1.0, 1.0};
    for (int round = 0; round < BOUND_ROUNDS * BOUND_TIMES; round++) {
        double start = clock_seconds();
        kernel->write_all(BOUND_MOVED, 1.0f, numbers);
        double written = clock_seconds();
        kernel->read_all(BOUND_MOVED, numbers);
        double read = (clock_seconds() - written) / BOUND_MOVED;
        written = (written - start) / BOUND_MOVED;
        least.read = read < least.read ? read : least.read;
        least.write = written < least.write ? written : least.write;
    }
    return least;
}

// A step that only passes numbers on, or changes each alone, reads and writes them.
static double moving_seconds(const TraceStep *step, const Moving *moving)
{
    double read = 0.0;
    for (int i = 0; i < STAGE_READS_MAX && step->call->reads[i].role; i++)
        if (step->args.in[i].storage.bytes && step->args.in[i].dtype == DTYPE_F32)
            read += (double)tensor_count(&step->args.in[i]);
    return read * moving->read +
           (double)tensor_count(&step->args.out[step->stage->main_output]) * moving->write;
}

static double step_bound(const Kernel *kernel, const TraceStep *step, const Moving *moving)
{
    const Tensor *out = &step->args.out[step->stage->main_output];
    for (int i = 0; i < STAGE_READS_MAX; i++)
        if (step->args.panels[i].storage.bytes) {
            SmallProduct product = product_of(&step->args, out, &step->args.panels[i]);
            return product_seconds(kernel, &product);
        }
    if (step->stage == stage_find("softmax") || step->stage == stage_find("prediction"))
        return softmax_seconds(kernel, out);
    return step->part == STRETCH_SLICED ? moving_seconds(step, moving) : 0.0;
}

static double passes_bound(const Trace *trace)
{
    double sum = 0.0;
    Moving moving = measure_moving(trace->kernel);
    for (int number = 0; number < trace->step_count; number++)
        sum += step_bound(trace->kernel, &trace->steps[number], &moving);
    return sum / trace->team.threads;
}

bool bench_train(int threads, const BenchPlan *plan, BenchTraining *result, Error *err)
{
    static Training training; // too large for a small stack
    TrainingRecipe recipe = training_recipe(&grammar_english);
    recipe.threads = threads;
    *result = (BenchTraining){.multiply_adds = multiply_adds(&recipe), .steps = recipe.steps};
    if (!training_open(&training, &recipe, err))
        return false;
    bool good = run(&training, plan->seconds < 1.0 ? RUNS_SHORT : RUNS, result, err);
    result->bound = good ? passes_bound(&training.batch.trace) : 0.0;
    training_close(&training);
    bench_sort(&result->step);
    bench_sort(&result->passes);
    bench_sort(&result->tile);
    return good;
}
