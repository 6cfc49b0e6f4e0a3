// sweep_run: starts a command, with a terminal or without, and waits for it and for what it leaves;
// see sweep.h.
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 32, PATIENCE_MILLISECONDS = 60000, QUIET_MILLISECONDS = 40 };

static int open_in(const Place *place, const char *name, int flags)
{
    char path[TREE_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    return open(path, flags, 0644);
}

static void set_environment(const Place *place, const Case *item, FaultKind kind, long call)
{
    static const char *const folders[] = {"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
                                          "TMPDIR", "HOME"};
    static const char *const below[] = {"/state", "/cache", "/config", "/tmp", ""};
    static const char *const without[] = {"DISPLAY", "WAYLAND_DISPLAY", "CC", "CFLAGS"};
    char text[TREE_PATH_MAX * 2];
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "%s%s", place->here, below[i]);
        setenv(folders[i], text, 1);
    }
    for (int i = 0; i < 4; i++)
        unsetenv(without[i]);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "xterm-256color", 1);
    snprintf(text, sizeof text, "%s %s %ld %s/record", item->process, sweep_kind_name(kind), call,
             place->folder);
    setenv(FAULT_ENVIRONMENT, text, 1);
    setenv("LD_PRELOAD", place->library, 1);
}

// The child's side: never returns.
static void become(const Place *place, const Case *item, FaultKind kind, long call)
{
    char words[512], *arguments[WORDS_MAX] = {(char[]){"attnscope"}};
    int count = 1;
    snprintf(words, sizeof words, "%s", item->command);
    for (char *word = strtok(words, " "); word && count + 1 < WORDS_MAX; word = strtok(NULL, " "))
        arguments[count++] = word;
    for (int i = 1; i < count; i++)
        for (char *gap; (gap = strchr(arguments[i], '~')) != NULL;)
            *gap = ' ';
    if (!item->keys) {
        setsid();
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(open_in(place, "out", O_WRONLY | O_CREAT | O_TRUNC), STDOUT_FILENO);
    }
    dup2(open_in(place, "err", O_WRONLY | O_CREAT | O_TRUNC), STDERR_FILENO);
    for (int file = 3; file < 64; file++)
        close(file);
    set_environment(place, item, kind, call);
    if (chdir(place->here) == 0)
        execv(place->program, arguments);
    _exit(127);
}

// One key for each time that the program has nothing more to draw; at the end, q and again q.
static void type(int terminal, const char **keys)
{
    char letter = **keys ? *(*keys)++ : 'q';
    if (write(terminal, &letter, 1) != 1)
        return;
}

static long now_in_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// What the terminal shows goes to the file. False when there is nothing more.
static bool note(int terminal, int out)
{
    char drawn[4096];
    ssize_t count = read(terminal, drawn, sizeof drawn);
    return count > 0 && write(out, drawn, (size_t)count) == count;
}

// Waits for the process, and plays its terminal if it has one (-1: none). False: it does not end.
static bool wait_for(pid_t process, int terminal, int out, const char *keys, int *status)
{
    long end = now_in_milliseconds() + PATIENCE_MILLISECONDS;
    while (now_in_milliseconds() < end) {
        pid_t ended = waitpid(process, status, WNOHANG);
        if (ended == process) {
            while (terminal >= 0 && note(terminal, out))
                continue;
            return true;
        }
        struct pollfd screen = {.fd = terminal, .events = POLLIN};
        int came = poll(&screen, 1, terminal < 0 ? 1 : QUIET_MILLISECONDS);
        if (terminal >= 0 && came == 0)
            type(terminal, &keys);
        else if (terminal >= 0 && !note(terminal, out))
            poll(NULL, 0, 1);
    }
    kill(-process, SIGKILL);
    waitpid(process, status, 0);
    return false;
}

// Processes that the command started come to this one when it has ended; they have to end, too.
static bool wait_for_the_rest(void)
{
    long end = now_in_milliseconds() + 8000;
    for (;;) {
        pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended < 0 && errno == ECHILD)
            return true;
        if (now_in_milliseconds() > end)
            break;
        if (ended == 0)
            poll(NULL, 0, 1);
    }
    char path[64], list[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    FILE *children = fopen(path, "r");
    char *at = children && fgets(list, sizeof list, children) ? list : NULL;
    for (long child; at && (child = strtol(at, &at, 10)) > 0;)
        kill((pid_t)child, SIGKILL);
    if (children)
        fclose(children);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    return false;
}

static void clear(FaultRecord *record)
{
    for (int i = 0; i < FAULT_KINDS; i++)
        record->calls[i] = 0;
    record->failed = 0;
    record->signal = 0;
}

static void run_here(const Place *place, const Case *item, FaultKind kind, long call, Run *run)
{
    int terminal = -1, status = 0;
    struct winsize size = {.ws_row = 30, .ws_col = 100};
    clear(place->record);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fflush(NULL);
    pid_t process = item->keys ? forkpty(&terminal, NULL, NULL, &size) : fork();
    if (process == 0)
        become(place, item, kind, call);
    int out = terminal >= 0 ? open_in(place, "out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC) : -1;
    bool ends = process > 0 && wait_for(process, terminal, out, item->keys, &status);
    if (terminal >= 0)
        close(terminal), close(out);
    bool all_end = wait_for_the_rest();
    *run = (Run){.ending = !ends                 ? ENDLESS
                           : WIFSIGNALED(status) ? SIGNALLED
                           : all_end             ? ENDED
                                                 : LEFT_SOMETHING,
                 .code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                 .failed = place->record->failed,
                 .helper_signal = place->record->signal};
    for (int i = 0; i < FAULT_KINDS; i++)
        run->calls[i] = place->record->calls[i];
}

void sweep_run(const Place *place, const Case *item, FaultKind kind, long call, Run *run)
{
    tree_mirror(place->before, place->here);
    run_here(place, item, kind, call, run);
}

void sweep_run_again(const Place *place, const Case *item, Run *run)
{
    run_here(place, item, FAULT_memory, 0, run);
}
