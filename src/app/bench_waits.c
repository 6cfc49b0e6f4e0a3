// Measures how long people wait: for a start, a key in the stepper, a picture in the window, a class.
#define _GNU_SOURCE // posix_openpt
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"
#include "clock.h"
#include "cells.h"
#include "input_file.h"
#include "judging.h"
#include "picture_view.h"
#include "scenario_file.h"
#include "screen.h"
#include "session.h"
#include "utf8.h"

// --- starting: until the end, or the first frame

enum { START_ROUNDS = 21, FRAME_BYTES = 1000, START_ROWS = 24, START_COLUMNS = 80 };

bool bench_run_to_end(const char *program, char *const arguments[], double *seconds, Error *err)
{
    extern char **environ;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double start = clock_seconds();
    pid_t child;
    int status = 0, failure = posix_spawn(&child, program, &quiet, NULL, arguments, environ);
    while (!failure && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *seconds = clock_seconds() - start;
    posix_spawn_file_actions_destroy(&quiet);
    if (failure)
        return error_set(err, "%s: %s", program, error_reason(failure));
    return status == 0 || error_set(err, TELL(BENCH_NO_RESULT));
}

static bool measure_runs(const char *program, const char *argument, BenchLine *line, Error *err)
{
    char name[] = "attnscope", option[32];
    snprintf(option, sizeof option, "%s", argument);
    char *arguments[] = {name, option, NULL};
    double seconds;
    for (int round = 0; round < START_ROUNDS; round++) {
        if (!bench_run_to_end(program, arguments, &seconds, err))
            return false;
        bench_add(&line->times, seconds);
    }
    bench_sort(&line->times);
    return true;
}

static void become_stepper(const char *program, const char *terminal)
{
    setsid();
    int file = open(terminal, O_RDWR); // the first one of a session is its terminal
    struct winsize size = {.ws_row = START_ROWS, .ws_col = START_COLUMNS};
    ioctl(file, TIOCSWINSZ, &size);
    for (int standard = 0; standard <= 2; standard++)
        dup2(file, standard);
    setenv("TERM", "xterm-256color", 1);
    execl(program, "attnscope", "trace", "scaled-dot-product", (char *)NULL);
    _exit(127);
}

// A frame fills the screen, so it has arrived after that many bytes.
static bool see_frame(const char *program, int terminal, double *seconds, Error *err)
{
    char bytes[4096];
    double start = clock_seconds();
    pid_t child = fork();
    if (child == 0)
        become_stepper(program, ptsname(terminal));
    ssize_t all = 0, got = child > 0 ? 1 : 0;
    while (got > 0 && all < FRAME_BYTES && (got = read(terminal, bytes, sizeof bytes)) > 0)
        all += got;
    *seconds = clock_seconds() - start;
    bool quits = write(terminal, "q", 1) == 1;
    while (quits && read(terminal, bytes, sizeof bytes) > 0) // what is left, to its end
        continue;
    if (child > 0)
        waitpid(child, NULL, 0);
    return all >= FRAME_BYTES || error_set(err, TELL(BENCH_NO_FRAME));
}

static bool measure_first_frames(const char *program, BenchLine *line, Error *err)
{
    double seconds;
    for (int round = 0; round < START_ROUNDS; round++) {
        int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        bool seen = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0;
        if (!seen)
            error_set(err, TELL(BENCH_NO_TERMINAL), error_reason(errno));
        seen = seen && see_frame(program, terminal, &seconds, err);
        if (terminal >= 0)
            close(terminal);
        if (!seen)
            return false;
        bench_add(&line->times, seconds);
    }
    bench_sort(&line->times);
    return true;
}

bool bench_start(const char *program, BenchLine lines[BENCH_STARTS], Error *err)
{
    lines[0] = (BenchLine){.about = TELL(BENCH_EMPTY)};
    lines[1] = (BenchLine){.about = TELL(BENCH_VERSION)};
    lines[2] = (BenchLine){.about = TELL(BENCH_HELP)};
    lines[3] = (BenchLine){.about = TELL(BENCH_FIRST_FRAME)};
    return measure_runs("/bin/true", "", &lines[0], err) &&
           measure_runs(program, "--version", &lines[1], err) &&
           measure_runs(program, "--help", &lines[2], err) &&
           measure_first_frames(program, &lines[3], err);
}

// --- the stepper: from a key to the frame that answers it

enum { STEP_COLUMNS = 120, STEP_ROWS = 40, STEP_ROUNDS = 4 };

// Starts at the last step, where every tensor exists: back to the weights, through the depths, the cursor,
// the panels and the views. Ends where it began.
static const char *const walk[] = {
    "p", "p", "p", "Tab", "Down", "Right", "PageDown",  "G", "End",  "B",     "Home", "d", "n", "n",
    "d", "n", "n", "d",   "o",    "Enter", "Backspace", "o", "H",    "z",     "H",    "m", "m", "v",
    "v", "t", "t", "]",   "[",    "D",     "D",         "D", "Left", "Right", "S",    ">"};

static bool press(Session *session, const char *key, Cells *cells, Error *err)
{
    Command command;
    if (!session_key(session, key, &command))
        return true; // a key of one mode only
    if (!session_apply(session, &command, err))
        return error_prefix(err, TELL(BENCH_KEY), key);
    screen_show(session, cells);
    return true;
}

static bool press_all(Session *session, Cells *cells, BenchLine *line, Error *err)
{
    for (int round = 0; round < STEP_ROUNDS; round++)
        for (size_t key = 0; key < sizeof walk / sizeof *walk; key++) {
            double start = clock_seconds();
            if (!press(session, walk[key], cells, err))
                return false;
            bench_add(&line->times, clock_seconds() - start);
        }
    bench_sort(&line->times);
    return true;
}

bool bench_step(const BenchWorkload *workload, BenchLine *line, Error *err)
{
    Scenario scenario;
    static Session session; // too large for a small stack
    Cells cells = {.columns = 0};
    *line = (BenchLine){.about = words_tell(workload->about)};
    if (!bench_scenario(workload, &scenario, err))
        return false;
    bool is_open = session_open(&session, &scenario, err);
    bool done = is_open && cells_resize(&cells, STEP_COLUMNS, STEP_ROWS, err) &&
                press(&session, ">", &cells, err) && press_all(&session, &cells, line, err);
    cells_finish(&cells);
    if (is_open)
        session_close(&session);
    scenario_finish(&scenario);
    return done;
}

// --- the window: a picture, with SDL's dummy driver

enum { WINDOW_ROUNDS = 60, WIDTH = 1280, HEIGHT = 960 };

// Prints the best and the median time. A limit of 0 means none.
static void report(const char *what, BenchTimes *times, double limit)
{
    bench_sort(times);
    utf8_print(stdout, what, BENCH_NAME_COLUMNS);
    printf(TELL(BENCH_WINDOW_TIMES), 1e3 * bench_part(times, 0.0), 1e3 * bench_part(times, 0.5));
    if (limit > 0.0)
        printf(TELL(BENCH_WINDOW_LIMIT), limit);
    putchar('\n');
}

static bool wait_until_shown(Window *window)
{
    WindowEvent event;
    while (!window_is_ready(window) && window_wait(window, -1))
        while (window_next(window, &event))
            if (event.kind == WINDOW_CLOSED || event.kind == WINDOW_LOST)
                return false;
    return window_is_ready(window);
}

// A computed session that shows the attention weights.
typedef struct Bench {
    Scenario scenario;
    Session session;
    PictureView view;
    Window window;
} Bench;

// Measures one picture, from the request until the window has it.
static bool frame(Bench *bench, BenchTimes *times, Error *err)
{
    double start = clock_seconds();
    bool shown = picture_view_draw(&bench->view, &bench->session, err) &&
                 window_show(&bench->window, &bench->view.list) && wait_until_shown(&bench->window);
    bench_add(times, clock_seconds() - start);
    return shown || error_set(err, TELL(BENCH_WINDOW_ENDED));
}

static bool say(Bench *bench, const char *words, Error *err)
{
    Command command;
    return command_parse(words, &command, err) && session_apply(&bench->session, &command, err);
}

static bool open_scenario(Bench *bench, const char *name, const char *set, Error *err)
{
    const char *sets[] = {set};
    ScenarioRequest request = {.what = name, .sets = sets, .set_count = set ? 1 : 0};
    *bench = (Bench){.window = {.fd = -1}};
    return scenario_open(&bench->scenario, &request, err) &&
           session_open(&bench->session, &bench->scenario, err) && say(bench, "last", err) &&
           say(bench, "show attn_weights", err) && say(bench, "picture-back", err);
}

static bool open_window(Bench *bench, int width, int height, Error *err)
{
    if (!picture_view_open(&bench->view, err) ||
        !window_open(&bench->window, "bench", width, height, err))
        return false;
    bench->view.width = width;
    bench->view.height = height;
    bench->view.metrics = bench->window.metrics;
    window_lend(&bench->window, &bench->view.list);
    return true;
}

static void close_window(Bench *bench)
{
    window_close(&bench->window);
    picture_view_close(&bench->view);
}

static void close_scenario(Bench *bench)
{
    session_close(&bench->session);
    scenario_finish(&bench->scenario);
}

static bool measure_start(Error *err)
{
    static Bench bench; // too large for a small stack
    BenchTimes times = {.count = 0}, frames = {.count = 0};
    bool good = open_scenario(&bench, "padded-batch", NULL, err);
    for (int round = 0; good && round < 9; round++) {
        double start = clock_seconds();
        good = open_window(&bench, WIDTH, HEIGHT, err) && frame(&bench, &frames, err);
        bench_add(&times, clock_seconds() - start);
        close_window(&bench);
    }
    if (good)
        report(TELL(BENCH_WINDOW_START), &times, 30.0);
    close_scenario(&bench);
    return good;
}

// --- how fast memory delivers the numbers of a picture

typedef struct Reading {
    const float *numbers;
    ptrdiff_t count; // of a head
    float sums[64];  // so that no compiler leaves the reading out
} Reading;

// Reads one number of each cache line.
static void read_head(void *context, ptrdiff_t head)
{
    enum { CACHE_LINE = 16 };
    Reading *reading = context;
    const float *numbers = reading->numbers + head * reading->count;
    float sum = 0.0f;
    for (ptrdiff_t i = 0; i < reading->count; i += CACHE_LINE)
        sum += numbers[i];
    reading->sums[head % 64] = sum;
}

static void measure_reading(const Trace *trace)
{
    const Tensor *weights = &trace->tensors[trace_find(trace, "attn_weights")].tensor;
    Reading reading = {weights->storage.f32, weights->shape[2] * weights->shape[3], {0}};
    BenchTimes times = {.count = 0};
    Team team;
    team_init(&team, 0);
    for (int round = 0; round < WINDOW_ROUNDS; round++) {
        double start = clock_seconds();
        team_run(&team, weights->shape[1], read_head, &reading);
        bench_add(&times, clock_seconds() - start);
    }
    team_finish(&team);
    report(TELL(BENCH_WINDOW_READ), &times, 0.0);
}

// If the numbers change, a frame reads all of them; otherwise it moves the cursor.
static bool measure_rounds(Bench *bench, Error *err)
{
    BenchTimes changed = {.count = 0}, same = {.count = 0}, others = {.count = 0};
    FigureRequest *request = &bench->session.picture.request;
    if (!frame(bench, &others, err))
        return false;
    for (int round = 0; round < WINDOW_ROUNDS; round++) {
        request->version++;
        if (!frame(bench, &changed, err))
            return false;
    }
    while (bench->view.figure.unfinished)
        if (!frame(bench, &others, err))
            return false;
    for (int round = 0; round < WINDOW_ROUNDS; round++) {
        request->has_cursor = true;
        request->cursor = (FigureCell){round % 12, round, round * 2};
        if (!frame(bench, &same, err))
            return false;
    }
    report(TELL(BENCH_WINDOW_CHANGED), &changed, 3.0);
    report(TELL(BENCH_WINDOW_MOVED), &same, 0.5);
    return true;
}

// From the key to the picture of a weight that is a sum of 1024 exps.
static bool measure_origin(Bench *bench, Error *err)
{
    BenchTimes times = {.count = 0}, others = {.count = 0};
    for (int round = 0; round < WINDOW_ROUNDS; round++) {
        char cell[64];
        snprintf(cell, sizeof cell, "cell [%d,%d,%d]", round % 12, round, round * 2);
        if (!say(bench, cell, err))
            return false;
        double start = clock_seconds();
        if (!say(bench, "picture-origin", err) || !frame(bench, &others, err))
            return false;
        bench_add(&times, clock_seconds() - start);
        if (!say(bench, "picture-origin", err))
            return false;
    }
    report(TELL(BENCH_ORIGIN), &times, 5.0);
    return true;
}

// Reports the memory of the window's process as Linux counts it, including what it shares with the program.
static void report_memory(const Window *window, const char *what)
{
    char path[64];
    long pages, resident;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)window->child);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) == 2)
        printf("%-58s %7.1f MB   %s\n", what,
               (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6, TELL(BENCH_MEMORY_MOST));
    if (file)
        fclose(file);
}

// As many pixels as a large screen.
static bool measure_large(Bench *bench, Error *err)
{
    BenchTimes others = {.count = 0};
    bool good = open_window(bench, 3 * WIDTH, 9 * HEIGHT / 4, err) && frame(bench, &others, err);
    if (good)
        report_memory(&bench->window, TELL(BENCH_MEMORY_LARGE));
    close_window(bench);
    return good;
}

static bool measure_frames(Error *err)
{
    static Bench bench; // too large for a small stack
    bool good =
        open_scenario(&bench, "self-attention", "input.vectors.randn=[1, 1024, 768]", err) &&
        open_window(&bench, WIDTH, HEIGHT, err) && measure_rounds(&bench, err) &&
        measure_origin(&bench, err);
    if (good) {
        measure_reading(&bench.session.run.trace);
        report_memory(&bench.window, TELL(BENCH_MEMORY));
    }
    close_window(&bench);
    good = good && measure_large(&bench, err);
    close_scenario(&bench);
    return good;
}

bool bench_window(Error *err)
{
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    return measure_start(err) && measure_frames(err);
}

// --- a class: its first grading, and again from the cache
//
// Creates the class, and removes it afterwards.

enum { WRONG_EVERY = 4, SOLUTION_BYTES_MAX = 1 << 16 };

// Every fourth person has wrong roots: like any class, this one has mistakes.
static const char wrong_root[] = "#include <math.h>\n#define\tsqrtf(x) (x)\n";

// Writes the solution with a comment that no other copy has.
static bool write_solution(const Exercise *exercise, const char *before, int number,
                           const char *path, Error *err)
{
    Arena arena = {0};
    const char *from = arena_format(&arena, err, "%s/solution.c", exercise->folder);
    const char *text = from ? input_file_text(from, SOLUTION_BYTES_MAX, &arena, err) : NULL;
    FILE *out = text ? fopen(path, "we") : NULL;
    bool written = out && fprintf(out, "%s%s// %d\n", before, text, number) > 0;
    if (out && fclose(out) != 0)
        written = false;
    if (text && !written)
        error_unwritten(err, errno, path);
    arena_finish(&arena);
    return written;
}

// A person's submission: solutions that differ from everybody else's.
static bool hand_in(const char *folder, const ExerciseList *list, int exercises, int person,
                    Error *err)
{
    Arena arena = {0};
    const char *own = arena_format(&arena, err, "%s/person%03d", folder, person);
    bool good = own && mkdir(own, 0700) == 0;
    for (int i = 0; good && i < exercises; i++) {
        const char *path = arena_format(&arena, err, "%s/%s.c", own, list->exercises[i].name);
        good =
            path && write_solution(&list->exercises[i], person % WRONG_EVERY == 0 ? wrong_root : "",
                                   person, path, err);
    }
    arena_finish(&arena);
    return good;
}

// A course of the first exercises.
static bool write_course(const char *folder, const ExerciseList *list, int exercises, Error *err)
{
    char path[TEMPORARY_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/course.yaml", folder);
    FILE *out = fopen(path, "we");
    bool written = out && fputs("exercises:\n", out) >= 0;
    for (int i = 0; written && i < exercises; i++)
        written = fprintf(out, "  - %s\n", list->exercises[i].name) > 0;
    if (out && fclose(out) != 0)
        written = false;
    return written || error_unwritten(err, errno, path);
}

static bool make_class(const char *folder, BenchClass *result, Error *err)
{
    ExerciseList list;
    if (!exercise_list_open(&list, LANGUAGE_ENGLISH, err))
        return false;
    if (result->exercises > list.count)
        result->exercises = list.count;
    bool good = (mkdir(folder, 0700) == 0 || error_unwritten(err, errno, folder)) &&
                write_course(folder, &list, result->exercises, err);
    for (int i = 0; good && i < result->submissions; i++)
        good = hand_in(folder, &list, result->exercises, i, err);
    exercise_list_close(&list);
    return good;
}

bool bench_class(const char *program, BenchClass *result, Error *err)
{
    Temporary folder;
    char class[TEMPORARY_PATH_MAX + 8];
    char name[] = "attnscope", grade[] = "grade";
    char *arguments[] = {name, grade, class, NULL};
    if (!judging_folder(&folder, err))
        return false;
    snprintf(class, sizeof class, "%s/class", folder.path);
    setenv("XDG_CACHE_HOME", folder.path, 1);
    setenv("XDG_STATE_HOME", folder.path, 1);
    bool good = make_class(class, result, err) &&
                bench_run_to_end(program, arguments, &result->seconds, err) &&
                bench_run_to_end(program, arguments, &result->again, err);
    temporary_drop(&folder);
    return good;
}
