// keeper: starts attnscope-keeper and listens to it; see worker_internal.h.
#include "worker_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ABOVE = 20, STOP_MILLISECONDS = 5000, WORDS_MAX = 40, PIECES_MAX = 16 };

// Descriptors that do not collide with those that the keeper will find its own under.
static int above(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);
    if (fd >= 0)
        close(fd);
    return moved;
}

static bool open_pipes(Keeper *keeper, int theirs[2], Error *err)
{
    int line[2] = {-1, -1}, output[2] = {-1, -1};
    if (socketpair(AF_UNIX, WIRE_SOCKET, 0, line) != 0 || pipe(output) != 0) {
        int reason = errno;
        close(line[0]);
        close(line[1]);
        return error_set(err, "no connection to a process of its own: %s", strerror(reason));
    }
    keeper->lifeline = above(line[0]);
    keeper->output = above(output[0]);
    theirs[0] = above(line[1]);
    theirs[1] = above(output[1]);
    fcntl(keeper->output, F_SETFL, O_NONBLOCK);
    return true;
}

static int spawn(Keeper *keeper, const char *path, char *const words[], char *const environment[],
                 const int theirs[2], const int descriptors[3])
{
    char *arguments[WORDS_MAX] = {(char[]){"attnscope-keeper"}};
    for (int i = 0; i + 2 < WORDS_MAX && words[i]; i++)
        arguments[i + 1] = words[i];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs[1], STDERR_FILENO);
    for (int i = 0; i < 3; i++)
        if (descriptors[i] >= 0)
            posix_spawn_file_actions_adddup2(&actions, descriptors[i], WIRE_CONTROL + i);
    int failed = posix_spawn(&keeper->process, path, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

bool keeper_start(Keeper *keeper, char *const words[], char *const environment[],
                  const int descriptors[3], Error *err)
{
    char path[WORKER_PATH_MAX];
    int theirs[2] = {-1, -1};
    *keeper = (Keeper){.lifeline = -1, .output = -1};
    if (!worker_place_keeper(path, err) || !open_pipes(keeper, theirs, err))
        return false;
    int failed = spawn(keeper, path, words, environment, theirs, descriptors);
    close(theirs[0]);
    close(theirs[1]);
    if (failed == 0)
        return true;
    close(keeper->lifeline);
    close(keeper->output);
    *keeper = (Keeper){.lifeline = -1, .output = -1};
    return error_set(err, "%s cannot be started: %s", path, strerror(failed));
}

// Where there is no room left, the middle goes: the beginning is what one looks at first, and what
// came last says how it ended.
static void make_room(char *said, size_t room, size_t *used)
{
    static const char gap[] = "\n[...]\n";
    size_t kept = room / 4, from = room / 2;
    memcpy(said + kept, gap, sizeof gap - 1);
    memmove(said + kept + sizeof gap - 1, said + from, *used - from);
    *used -= from - kept - (sizeof gap - 1);
}

bool keeper_read_output(int output, char *said, size_t room, size_t *used)
{
    char piece[4096];
    // No more than a pipe holds: a process that prints without end must not keep us here.
    for (int pieces = 0; pieces < PIECES_MAX; pieces++) {
        ssize_t got = read(output, piece, sizeof piece);
        if (got <= 0)
            return got < 0;
        for (ssize_t i = 0; i < got; i++) {
            if (*used + 1 == room)
                make_room(said, room, used);
            said[(*used)++] = piece[i] ? piece[i] : '?';
        }
        said[*used] = '\0';
    }
    return true;
}

static bool last_report(int lifeline, WireReport *report)
{
    for (;;) {
        ssize_t got = recv(lifeline, report, sizeof *report, MSG_DONTWAIT);
        if (got == (ssize_t)sizeof *report && report->has_ended)
            return true;
        bool goes_on = got > 0 || (got < 0 && (errno == EINTR || errno == ECONNRESET));
        if (!goes_on)
            return false;
    }
}

bool keeper_stop(Keeper *keeper, WireReport *report)
{
    if (keeper->process <= 0)
        return false;
    char over = 0;
    send(keeper->lifeline, &over, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    for (int waited = 0; waitpid(keeper->process, NULL, WNOHANG) == 0; waited++) {
        if (waited == STOP_MILLISECONDS)
            kill(keeper->process, SIGKILL);
        poll(NULL, 0, 1);
    }
    bool told = last_report(keeper->lifeline, report);
    close(keeper->lifeline);
    close(keeper->output);
    *keeper = (Keeper){.lifeline = -1, .output = -1};
    return told;
}

int keeper_run_tool(char *const command[], char *const environment[], int seconds, char *said,
                    size_t room, Error *err)
{
    char number[16], *words[WORDS_MAX] = {(char[]){"compile"}, number};
    static const int nothing[3] = {-1, -1, -1};
    Keeper keeper;
    size_t used = 0;
    snprintf(number, sizeof number, "%d", seconds);
    for (int i = 0; i + 3 < WORDS_MAX && command[i]; i++)
        words[i + 2] = command[i];
    if (!keeper_start(&keeper, words, environment, nothing, err))
        return -1;
    said[0] = '\0';
    struct pollfd ends[2] = {{.fd = keeper.output, .events = POLLIN},
                             {.fd = keeper.lifeline, .events = POLLIN}};
    int slices = seconds * 100; // of 10 ms in which nothing happens
    while (slices > 0 && !(ends[1].revents & POLLIN)) {
        if (poll(ends, 2, 10) == 0)
            slices--;
        if (ends[0].revents && !keeper_read_output(keeper.output, said, room, &used))
            ends[0].fd = -1;
    }
    WireReport report = {.has_ended = 0};
    keeper_read_output(keeper.output, said, room, &used);
    bool told = keeper_stop(&keeper, &report);
    worker_words_printable(said);
    if (told && slices > 0 && WIFEXITED(report.status))
        return WEXITSTATUS(report.status);
    error_set(err, "%s did not come to an end within its limits (%d seconds, 1.5 GiB)", command[0],
              seconds);
    return -1;
}
