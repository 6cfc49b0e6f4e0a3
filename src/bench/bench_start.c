// bench_start: how long programs take to start: to their end, or to the first frame of the stepper
// in a terminal that this one plays.
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench_words.h"

enum { ROUNDS = 21, FRAME_BYTES = 1000, ROWS = 24, COLUMNS = 80 };

bool bench_run_to_end(const char *program, char *const arguments[], double *seconds, Error *err)
{
    extern char **environ;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double start = bench_now();
    pid_t child;
    int status = 0, failure = posix_spawn(&child, program, &quiet, NULL, arguments, environ);
    while (!failure && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *seconds = bench_now() - start;
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
    for (int round = 0; round < ROUNDS; round++) {
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
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    ioctl(file, TIOCSWINSZ, &size);
    for (int standard = 0; standard <= 2; standard++)
        dup2(file, standard);
    setenv("TERM", "xterm-256color", 1);
    execl(program, "attnscope", "trace", "scaled-dot-product", (char *)NULL);
    _exit(127);
}

// A frame fills the screen: it has come when as many bytes have.
static bool see_frame(const char *program, int terminal, double *seconds, Error *err)
{
    char bytes[4096];
    double start = bench_now();
    pid_t child = fork();
    if (child == 0)
        become_stepper(program, ptsname(terminal));
    ssize_t all = 0, got = child > 0 ? 1 : 0;
    while (got > 0 && all < FRAME_BYTES && (got = read(terminal, bytes, sizeof bytes)) > 0)
        all += got;
    *seconds = bench_now() - start;
    bool quits = write(terminal, "q", 1) == 1;
    while (quits && read(terminal, bytes, sizeof bytes) > 0) // what is left, to its end
        continue;
    if (child > 0)
        waitpid(child, NULL, 0);
    return all >= FRAME_BYTES || error_set(err, TELL(BENCH_NO_FRAME));
}

static bool measure_frames(const char *program, BenchLine *line, Error *err)
{
    double seconds;
    for (int round = 0; round < ROUNDS; round++) {
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
           measure_frames(program, &lines[3], err);
}
