// attnscope-keeper: the process between the judging process and untrusted code. It starts a program in a sandbox,
// watches its memory, ends it when the judging process closes the lifeline, kills what it left behind, and reports how
// it ended.
//
//   attnscope-keeper run PROGRAM SECONDS MEGABYTES WATCHED   descriptors as in learner.h
//   attnscope-keeper tool SECONDS FOLDER WRITABLE READABLE... -- COMMAND ARGUMENT...
//   attnscope-keeper       is itself a program for `run`, with a known right function
//
// A tool runs in FOLDER, writes to WRITABLE ("": nowhere), and reads READABLE besides the system's files.
//
// Descriptor 0 is the lifeline to the judging process; 1 and 2 are the output.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fence.h"
#include "learner.h"
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum {
    LIFELINE = 9,
    LINE = 10,
    PAUSE_MILLISECONDS = 20,
    EXIT_NOT_STARTED = 127,
    PROCESSES_MAX = 32
};

typedef struct Job {
    char **command; // NULL-terminated
    int seconds, megabytes;
    int watched_megabytes; // 0: not watched
    const char *folder;    // of a tool; NULL: a learner's program
    FenceTool tool;
} Job;

// --- in the child

static void close_from(int first)
{
#if defined __linux__ && defined SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    for (int fd = first; fd < 1024; fd++)
        close(fd);
}

// Ends the child before it runs a program, and tells the keeper why.
static void give_up(void)
{
    int cause = errno;
    while (write(LINE, &cause, sizeof cause) < 0 && errno == EINTR)
        continue;
    _exit(EXIT_NOT_STARTED);
}

static void become(const Job *job, pid_t parent)
{
    char text[FENCE_TEXT_MAX], *const nothing[] = {NULL};
    Fence fence = {job->command[0], job->seconds, job->megabytes};
    setsid();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(EXIT_NOT_STARTED);
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0)
        give_up();
    if (null > STDERR_FILENO)
        close(null);
    close_from(LINE + 1);
    fcntl(LIFELINE, F_SETFD, FD_CLOEXEC);
    if (chdir(job->folder ? job->folder : "/") != 0) // away from the user's files
        give_up();
    int parts = job->folder ? fence_close_tool(&job->tool, text) : fence_close(&fence, text);
    if (parts < 0)
        give_up();
    WireReport report = {.process = getpid(), .parts = parts};
    snprintf(report.fence, sizeof report.fence, "%s", text);
    (void)!send(LIFELINE, &report, sizeof report, MSG_NOSIGNAL);
    if (job->folder)
        execv(job->command[0], job->command);
    else
        execve(job->command[0], job->command, nothing);
    give_up();
}

// --- in the keeper

// The process's own memory, without the shared tensors.
static int own_megabytes(pid_t process)
{
    char path[64];
    long pages = 0, resident = 0, shared = 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld %ld", &pages, &resident, &shared) != 3)
        resident = shared = 0;
    fclose(file);
    return (int)((resident - shared) * (sysconf(_SC_PAGESIZE) / 1024) / 1024);
}

// The first child of this process; 0: none, or unknown.
static pid_t any_child(void)
{
    long child = 0;
    FILE *file = fopen("/proc/thread-self/children", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%ld", &child) != 1)
        child = 0;
    fclose(file);
    return (pid_t)child;
}

// Counts the descendants of a process, up to `most`.
static int count_descendants(pid_t process, int most)
{
    char path[64];
    int count = 0;
    long child;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, (long)process);
    FILE *file = fopen(path, "r");
    while (file && count < most && fscanf(file, "%ld", &child) == 1)
        count += 1 + count_descendants((pid_t)child, most - count - 1);
    if (file)
        fclose(file);
    return count;
}

// Makes the keeper the parent of orphaned descendants.
static int sweep(void)
{
    int swept = 0;
    for (pid_t child = any_child(); child > 0; child = any_child()) {
        kill(child, SIGKILL);
        if (waitpid(child, NULL, 0) == child)
            swept++;
    }
    return swept;
}

// A descriptor to poll for the process's end; -1: unsupported.
static int end_of(pid_t process)
{
#if defined __linux__ && defined SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    (void)process;
    return -1;
#endif
}

// Waits until the process ends, or ends it.
static void watch(const Job *job, pid_t process, WireReport *report)
{
    struct pollfd ends[2] = {{.fd = LIFELINE, .events = POLLIN},
                             {.fd = end_of(process), .events = POLLIN}};
    while (waitpid(process, &report->status, WNOHANG) == 0) {
        poll(ends, 2, PAUSE_MILLISECONDS);
        bool is_over = ends[0].revents != 0;
        if (job->watched_megabytes > 0 && own_megabytes(process) > job->watched_megabytes)
            report->too_large = is_over = true;
        if (job->folder && count_descendants(process, PROCESSES_MAX) >= PROCESSES_MAX)
            is_over = true;
        if (is_over) {
            report->was_ended = true;
            kill(process, SIGKILL);
            waitpid(process, &report->status, 0);
            return;
        }
    }
}

static void note_used(WireReport *report)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return;
    report->milliseconds = (int)((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                                 (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
    report->megabytes = (int)(used.ru_maxrss / 1024);
}

// Why the child could not start the program (errno); 0: it started, which closes its end of the line.
static int receive_start(int line)
{
    int cause = 0;
    ssize_t got;
    do
        got = read(line, &cause, sizeof cause);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof cause ? cause : 0;
}

// The keeper's end of a pipe whose other end is LINE and closes when the program starts; -1: none.
static int open_line(void)
{
    int line[2];
    if (pipe(line) != 0)
        return -1;
    int ours = fcntl(line[0], F_DUPFD_CLOEXEC, LINE + 1);
    bool moved = ours >= 0 && dup2(line[1], LINE) == LINE;
    for (int i = 0; i < 2; i++)
        if (line[i] != LINE)
            close(line[i]);
    return moved && fcntl(LINE, F_SETFD, FD_CLOEXEC) == 0 ? ours : -1;
}

static int run(const Job *job)
{
    WireReport report = {.has_ended = 1};
    int line = open_line();
    pid_t self = getpid(), child = line < 0 ? -1 : fork();
    if (child == 0)
        become(job, self);
    if (child < 0) {
        report.lacks = errno;
    } else {
        close(LINE);
        report.lacks = receive_start(line);
        for (int fd = 0; fd < LIFELINE; fd++)
            close(fd); // nobody waits for us on the child's descriptors
        watch(job, child, &report);
    }
    report.left_behind = sweep();
    note_used(&report);
    return send(LIFELINE, &report, sizeof report, MSG_NOSIGNAL) < 0;
}

static void guard_self(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

// "SECONDS FOLDER WRITABLE READABLE... -- COMMAND ARGUMENT..."
static bool take_tool(Job *job, char **words)
{
    char **end = words;
    while (*end && strcmp(*end, "--") != 0)
        end++;
    if (end - words < 3 || !*end || !end[1])
        return false;
    *end = NULL; // of the readable paths
    *job = (Job){.command = end + 1,
                 .folder = words[1],
                 .tool = {.seconds = atoi(words[0]), .writable = words[2], .readable = words + 3}};
    return true;
}

int main(int count, char **words)
{
    Job job = {.command = NULL};
    if (count == 6 && strcmp(words[1], "run") == 0) {
        static char *program[2];
        program[0] = words[2];
        job = (Job){program, .seconds = atoi(words[3]), .megabytes = atoi(words[4]),
                    .watched_megabytes = atoi(words[5])};
    } else if (count == 1 && learner_serve()) {
        return 0;
    } else if (count < 3 || strcmp(words[1], "tool") != 0 || !take_tool(&job, words + 2)) {
        fputs("attnscope-keeper: attnscope starts this program itself\n", stderr);
        return 2;
    }
    guard_self();
    if (dup2(STDIN_FILENO, LIFELINE) < 0)
        return 1;
    return run(&job);
}

// --- a known right function

bool exercise_call(StageArgs *args)
{
    const Tensor *q = &args->in[0], *k = &args->in[1], *scores = &args->out[0];
    for (ptrdiff_t i = 0; i < q->shape[2]; i++)
        for (ptrdiff_t j = 0; j < k->shape[2]; j++) {
            float sum = 0.0f;
            for (ptrdiff_t d = 0; d < q->shape[3]; d++)
                sum += *tensor_at4(q, 0, 0, i, d) * *tensor_at4(k, 0, 0, j, d);
            *tensor_at4(scores, 0, 0, i, j) = sum;
        }
    return true;
}
