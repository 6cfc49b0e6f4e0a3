// Starts attnscope-keeper, waits for it, and finds out which sandbox this machine has; see worker_internal.h.
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
#include "clock.h"
#include "fence.h"
#include "place.h"
#include "words.h"
#include "worker.h"
#include "worker_internal.h"

// --- processes

enum {
    ABOVE = 20,
    STOP_MILLISECONDS = 5000,
    WORDS_MAX = 128,
    PIECES_MAX = 16,
    TOOL_WALL = 4, // a busy machine gives a process only part of each second
};

// What a process printed, in the caller's buffer.
typedef struct ToolOutput {
    char *said;
    size_t room, used;
    int lacks; // errno if its keeper could not be read, or 0
} ToolOutput;

// Moves descriptors above those that the keeper expects.
static int above(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE), reason = errno;
    close(fd);
    errno = reason;
    return moved;
}

static void close_ends(const int ends[], int count)
{
    for (int i = 0; i < count; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

static bool open_pipes(Keeper *keeper, int theirs[2], MachineFault *fault)
{
    int line[2] = {-1, -1}, output[2] = {-1, -1}, ends[4];
    if (socketpair(AF_UNIX, WIRE_SOCKET, 0, line) != 0 || pipe(output) != 0) {
        machine_lacks(fault, errno);
        close_ends(line, 2);
        return false;
    }
    bool moved = true;
    for (int i = 0; i < 4; i++) {
        ends[i] = above(i < 2 ? line[i] : output[i - 2]);
        if (ends[i] < 0)
            moved = machine_lacks(fault,
                                  errno == EINVAL ? EMFILE : errno); // fewer descriptors than ABOVE
    }
    if (!moved) {
        close_ends(ends, 4);
        return false;
    }
    keeper->lifeline = ends[0];
    theirs[0] = ends[1];
    keeper->output = ends[2];
    theirs[1] = ends[3];
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
                  const int descriptors[3], MachineFault *fault)
{
    char path[WORKER_PATH_MAX];
    Error missing;
    int theirs[2] = {-1, -1};
    *keeper = (Keeper){.lifeline = -1, .output = -1};
    if (!worker_place_keeper(path, &missing))
        return machine_misses(fault, &missing);
    if (!open_pipes(keeper, theirs, fault))
        return false;
    int failed = spawn(keeper, path, words, environment, theirs, descriptors);
    close(theirs[0]);
    close(theirs[1]);
    if (failed == 0)
        return true;
    close(keeper->lifeline);
    close(keeper->output);
    *keeper = (Keeper){.lifeline = -1, .output = -1};
    return machine_lacks(fault, failed);
}

// If the buffer is full, drops the middle: the start is read first, and the end says how it ended.
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
    // At most a pipe's capacity, so that endless output does not block us.
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
    *report = (WireReport){.has_ended = 0};
    for (;;) {
        ssize_t got = recv(lifeline, report, sizeof *report, MSG_DONTWAIT);
        if (got == (ssize_t)sizeof *report && report->has_ended)
            return true;
        bool goes_on = got > 0 || (got < 0 && (errno == EINTR || errno == ECONNRESET));
        if (!goes_on)
            return false;
    }
}

KeeperEnd keeper_stop(Keeper *keeper, WireReport *report)
{
    int status = 0;
    char over = 0;
    send(keeper->lifeline, &over, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    pid_t ended;
    for (int waited = 0;
         (ended = waitpid(keeper->process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR);
         waited++) {
        if (waited == STOP_MILLISECONDS)
            kill(keeper->process, SIGKILL);
        poll(NULL, 0, 1);
    }
    bool reported = last_report(keeper->lifeline, report);
    close(keeper->lifeline);
    close(keeper->output);
    *keeper = (Keeper){.lifeline = -1, .output = -1};
    return reported ? KEEPER_REPORTED : WIFSIGNALED(status) ? KEEPER_WAS_ENDED : KEEPER_GAVE_UP;
}

// --- tools

// Returns false if there are more words than a keeper takes.
static bool tool_words(const Tool *tool, char seconds[16], char *words[WORDS_MAX])
{
    static char begin[] = "tool", end[] = "--";
    int count = 0;
    snprintf(seconds, 16, "%d", tool->seconds);
    words[count++] = begin;
    words[count++] = seconds;
    words[count++] = (char *)(tool->folder ? tool->folder : "/");
    words[count++] = (char *)(tool->writable ? tool->writable : "");
    for (char *const *path = tool->readable; *path && count + 2 < WORDS_MAX; path++)
        words[count++] = *path;
    words[count++] = end;
    for (char *const *word = tool->command; *word && count < WORDS_MAX; word++)
        words[count++] = *word;
    if (count == WORDS_MAX)
        return false;
    words[count] = NULL;
    return true;
}

// Collects the tool's output until its keeper reports more than the fence, or time is up; then returns false.
static bool receive_from_tool(const Keeper *keeper, const Tool *tool, ToolOutput *output,
                              ToolEnd *end)
{
    struct pollfd ends[2] = {{.fd = keeper->output, .events = POLLIN},
                             {.fd = keeper->lifeline, .events = POLLIN}};
    long last = clock_milliseconds() + tool->seconds * 1000L * TOOL_WALL;
    for (long left = last - clock_milliseconds(); left > 0; left = last - clock_milliseconds()) {
        WireReport report;
        if (poll(ends, 2, (int)left) <= 0)
            continue; // nothing, or a signal: the previous result is void
        if (ends[0].revents &&
            !keeper_read_output(keeper->output, output->said, output->room, &output->used))
            ends[0].fd = -1;
        if (!ends[1].revents)
            continue;
        ssize_t got = recv(keeper->lifeline, &report, sizeof report, MSG_DONTWAIT | MSG_PEEK);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (got < 0 && errno != ECONNRESET)
            output->lacks = errno;
        if (got != (ssize_t)sizeof report)
            return true;
        if (report.has_ended)
            return true;
        recv(keeper->lifeline, &report, sizeof report, MSG_DONTWAIT);
        end->parts = report.parts;
        snprintf(end->fence, sizeof end->fence, "%s", report.fence);
    }
    return false;
}

bool keeper_run_tool(const Tool *tool, char *said, size_t room, ToolEnd *end, Error *err)
{
    char seconds[16], *words[WORDS_MAX];
    static const int nothing[3] = {-1, -1, -1};
    Keeper keeper;
    MachineFault fault;
    ToolOutput output = {.said = said, .room = room};
    *end = (ToolEnd){.status = -1};
    said[0] = '\0';
    if (!tool_words(tool, seconds, words))
        return error_set(err, TELL(TOOL_WORDS), tool->command[0]);
    if (!keeper_start(&keeper, words, tool->environment, nothing, &fault))
        return machine_error(&fault, err);
    temporary_helper(keeper.process, keeper.lifeline);
    bool in_time = receive_from_tool(&keeper, tool, &output, end);
    WireReport report;
    keeper_read_output(keeper.output, said, room, &output.used);
    temporary_helper(0, -1);
    KeeperEnd keeper_end = keeper_stop(&keeper, &report);
    worker_words_printable(said);
    if (output.lacks && !machine_lacks(&fault, output.lacks))
        return machine_error(&fault, err);
    if (keeper_end != KEEPER_REPORTED || report.lacks || !end->fence[0]) { // the tool did not start
        machine_ended(&fault, &report);
        return machine_error(&fault, err);
    }
    // A compiler driver reports a limit that ended one of its programs like any error. A tool that used half of its
    // time without finishing is taken as endless.
    int enough = in_time ? tool->seconds * 900 : tool->seconds * 500;
    end->milliseconds = report.milliseconds;
    end->used_up = report.milliseconds >= enough;
    if (!in_time && !end->used_up)
        return error_set(err, TELL(TOOL_ENDLESS), tool->command[0], tool->seconds * TOOL_WALL,
                         report.milliseconds / 1000, report.milliseconds % 1000 / 100);
    end->status = WIFEXITED(report.status) ? WEXITSTATUS(report.status) : -1;
    return true;
}

// --- time_limit: waiting by CPU time

enum { SLICE_MOST = 5 * TIME_LIMIT_SLICE }; // counted if we ourselves were stopped

// CPU time of all threads of a process; -1: it is gone, or unknown on this system.
static long processor_time(pid_t process)
{
#ifdef __linux__
    clockid_t clock;
    struct timespec time;
    if (process > 0 && clock_getcpuclockid(process, &clock) == 0 &&
        clock_gettime(clock, &time) == 0)
        return clock_whole_milliseconds(&time);
#else
    (void)process;
#endif
    return -1;
}

// True if it sleeps or is stopped: 'S' and 'T' of /proc/PID/stat. 'R' is computing or runnable, 'D' is the machine's
// fault.
static bool is_waiting(pid_t process)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = process > 0 ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    const char *name_end = strrchr(line, ')'); // the name may contain anything
    return name_end && name_end[1] == ' ' && strchr("STt", name_end[2]) && name_end[2];
}

TimeLimit time_limit_begin(pid_t process, long computing, long waiting, long waited)
{
    long begun = clock_milliseconds(), before = processor_time(process);
    return (TimeLimit){.computing = computing,
                       .waiting = waiting,
                       .computed = before < 0 ? 0 : before,
                       .waited = waited,
                       .begun = begun,
                       .looked = begun,
                       .guard = TIME_LIMIT_GUARD_SECONDS * 1000L};
}

long time_limit_computed(const TimeLimit *time_limit, pid_t process)
{
    long all = processor_time(process);
    return all < 0 ? -1 : all - time_limit->computed;
}

bool time_limit_goes_on(TimeLimit *time_limit, pid_t process, bool is_heard)
{
    long moment = clock_milliseconds(), slice = moment - time_limit->looked;
    if (slice < TIME_LIMIT_SLICE)
        return true;
    time_limit->looked = moment;
    bool waits = is_heard && is_waiting(process);
    if (waits && time_limit->waits)
        time_limit->waited += slice < SLICE_MOST ? slice : SLICE_MOST;
    time_limit->waits = waits;
    if (time_limit_computed(time_limit, process) >= time_limit->computing)
        time_limit->end = TIME_LIMIT_COMPUTED;
    else if (time_limit->waited >= time_limit->waiting)
        time_limit->end = TIME_LIMIT_WAITED;
    else if (moment - time_limit->begun >= time_limit->guard)
        time_limit->end = TIME_LIMIT_GUARD;
    return time_limit->end == TIME_LIMIT_LEFT;
}

// --- this machine's sandbox

enum { TRY_SECONDS = 2 };

bool worker_fence(WorkerFence *fence, Error *err)
{
    char keeper[WORKER_PATH_MAX], said[256], *nothing[] = {NULL};
    *fence = (WorkerFence){.parts = 0};
    if (!worker_place_keeper(keeper, err))
        return false;
    // Without arguments it only says that it is not for users.
    char *command[] = {keeper, NULL}, *readable[] = {keeper, NULL};
    Tool tool = {.command = command,
                 .environment = nothing,
                 .readable = readable,
                 .folder = ".",
                 .seconds = TRY_SECONDS};
    ToolEnd end;
    if (!keeper_run_tool(&tool, said, sizeof said, &end, err))
        return false;
    fence->parts = end.parts;
    snprintf(fence->text, sizeof fence->text, "%s", end.fence);
    return true;
}

// Translates one part by its beginning in the record; the rest ("7)") stays.
static const char *part_name(const char *part, size_t *kept)
{
    static const Words names[FENCE_PARTS] = {
#define FENCE_PART(NAME, english, korean) [FENCE_PART_##NAME] = WORDS(english, korean),
#include "fence_parts.def"
#undef FENCE_PART
    };
    for (FencePart known = 0; known < FENCE_PARTS; known++) {
        *kept = strlen(fence_recorded(known));
        if (strncmp(part, fence_recorded(known), *kept) == 0)
            return words_tell(names[known]);
    }
    *kept = 0;
    return "";
}

const char *worker_fence_text(const char *recorded, char text[WORKER_FENCE_TEXT_MAX])
{
    size_t kept;
    text[0] = '\0';
    for (const char *part = recorded; *part;) {
        const char *name = part_name(part, &kept);
        size_t length = strcspn(part, ",");
        text_add(text, WORKER_FENCE_TEXT_MAX, "%s%s%.*s", part == recorded ? "" : ", ", name,
                 (int)(length - kept), part + kept);
        part += length + strspn(part + length, ", ");
    }
    return text;
}
