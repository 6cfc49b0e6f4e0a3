// worker_words: what became of a learner's process, in a sentence for the learner.
//
// The process says what it can before it ends: lines that begin with '@' (learner_fault.c) and
// AddressSanitizer's report. Code addresses in them are made into places in the source by addr2line,
// from the debug information. All of it decides words only, never whether a result counts.
#include "worker_internal.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "utf8.h"
#if defined WORKER_SECCOMP
#include <seccomp.h>
#endif

enum { FRAMES_MAX = 8, TOOL_SECONDS = 5 };

void worker_words_printable(char *text)
{
    uint32_t character;
    for (size_t length = utf8_next(text, &character); length > 0;
         length = utf8_next(text, &character)) {
        bool is_broken = length == 1 && character == 0xFFFD;
        bool is_control = (character < ' ' && character != '\n' && character != '\t') ||
                          (character >= 0x7F && character < 0xA0);
        if (is_broken || is_control)
            memset(text, '?', length);
        text += length;
    }
}

WorkerEnd worker_words_set(WorkerAnswer *answer, WorkerEnd end, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->why, sizeof answer->why, format, arguments);
    va_end(arguments);
    worker_words_printable(answer->why);
    answer->end = end;
    return end;
}

// --- where in the source

// The next address of the program in the text: "(PROGRAM+0x1234)" or a line "@code 1234".
static const char *next_frame(const char *text, const char *program, char frame[32])
{
    const char *code = strstr(text, "\n@code "), *at = strstr(text, program);
    if (code && (!at || code < at)) {
        snprintf(frame, 32, "0x%.16s", code + 7);
        frame[2 + strspn(frame + 2, "0123456789abcdef")] = '\0';
        return code + 7;
    }
    if (!at)
        return NULL;
    at += strlen(program);
    snprintf(frame, 32, "%.18s", *at == '+' ? at + 1 : "");
    frame[strspn(frame, "0123456789abcdefx")] = '\0';
    return at;
}

// The first line of addr2line's that lies in a file of the learner's: "score.c:12".
static void pick_place(char *said, WorkerAnswer *answer)
{
    static const char *const ours[] = {"??", "call.c", "learner_", "asan", "sanitizer", "ubsan"};
    char *rest = NULL;
    for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *slash = strrchr(line, '/'), *name = slash ? slash + 1 : line;
        char *colon = strrchr(name, ':');
        bool is_ours = !colon || !isdigit((unsigned char)colon[1]);
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            is_ours = is_ours || strncmp(name, ours[i], strlen(ours[i])) == 0;
        if (is_ours)
            continue;
        colon[1 + strspn(colon + 1, "0123456789")] = '\0'; // "(discriminator 3)" may follow
        snprintf(answer->place, sizeof answer->place, "%s", name);
        return;
    }
}

static void find_place(const Worker *worker, WorkerAnswer *answer)
{
    char frames[FRAMES_MAX][32], said[4096];
    char *command[FRAMES_MAX + 5] = {(char[]){"addr2line"}, (char[]){"-e"},
                                     (char *)worker->program};
    char path[WORKER_PATH_MAX + 8], *environment[] = {path, NULL};
    int count = 0;
    Error err;
    const char *text = worker->said;
    while (count < FRAMES_MAX && (text = next_frame(text, worker->program, frames[count])))
        if (frames[count][0]) {
            command[3 + count] = frames[count];
            count++;
        }
    snprintf(path, sizeof path, "PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    if (count > 0 &&
        keeper_run_tool(command, environment, TOOL_SECONDS, said, sizeof said, &err) == 0)
        pick_place(said, answer);
}

// UBSan writes the place itself: "score.c:12:9: runtime error: ...".
static bool undefined(const Worker *worker, WorkerAnswer *answer)
{
    const char *found = strstr(worker->said, ": runtime error: ");
    if (!found)
        return false;
    const char *line = found;
    while (line > worker->said && line[-1] != '\n')
        line--;
    char text[300];
    snprintf(text, sizeof text, "%.*s", (int)(found - line), line);
    char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    char *first = strchr(name, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    if (second)
        *second = '\0';
    snprintf(answer->place, sizeof answer->place, "%.127s", name);
    found += strlen(": runtime error: ");
    char what[300];
    snprintf(what, sizeof what, "%.*s", (int)strcspn(found, "\n"), found);
    if (strstr(what, "null pointer"))
        worker_words_set(answer, WORKER_CRASHED, "your function uses a pointer that is NULL at %s",
                         answer->place);
    else
        worker_words_set(answer, WORKER_SANITIZER,
                         "at %s your function does what C leaves undefined: %s", answer->place,
                         what);
    return true;
}

// --- what happened

// " at score.c:12", or nothing.
static const char *at_place(const WorkerAnswer *answer, char text[160])
{
    text[0] = '\0';
    if (answer->place[0])
        snprintf(text, 160, " at %s", answer->place);
    return text;
}

// The line "@fault wrote past scores 24 24".
static bool tensor_fault(const Worker *worker, WorkerAnswer *answer)
{
    char did[8], where[8], name[WIRE_NAME_MAX], place[160];
    long long element = 0, count = 0;
    const char *line = strstr(worker->said, "\n@fault ");
    if (!line ||
        sscanf(line, "\n@fault %7s %7s %31s %lld %lld", did, where, name, &element, &count) != 5)
        return false;
    bool wrote = strcmp(did, "wrote") == 0;
    at_place(answer, place);
    if (strcmp(where, "inside") == 0)
        worker_words_set(
            answer, WORKER_CHANGED_INPUT,
            "your function wrote into its input %s%s: inputs are only read, results go "
            "into the output",
            name, place);
    else
        worker_words_set(
            answer, wrote ? WORKER_WROTE_OUTSIDE : WORKER_READ_OUTSIDE,
            "your function %s %s %s%s: element %lld of its storage, which has elements "
            "0 to %lld",
            did, *where == 'p' ? "past the end of" : "before the beginning of", name, place,
            element, count - 1);
    return true;
}

// AddressSanitizer's kinds, as a learner would say it.
static const struct {
    const char *kind, *words;
} reports[] = {
    {"stack-buffer-overflow", "reads or writes outside of one of its own arrays"},
    {"stack-buffer-underflow", "reads or writes before the beginning of one of its own arrays"},
    {"dynamic-stack-buffer-overflow", "reads or writes outside of one of its own arrays"},
    {"global-buffer-overflow", "reads or writes outside of a global array"},
    {"heap-buffer-overflow", "reads or writes outside of memory that it took with malloc"},
    {"heap-use-after-free", "uses memory that it has given back with free"},
    {"stack-use-after-scope", "uses a variable that no longer exists"},
    {"attempting double-free", "gives memory back with free twice"},
    {"attempting free", "gives back with free what malloc did not give"},
    {"stack-overflow", "uses up the stack: it calls itself without end, or has a very large array"},
    {"out-of-memory", "takes more memory than an exercise may"},
};

static bool sanitizer(const Worker *worker, WorkerAnswer *answer)
{
    char place[160];
    const char *text = strstr(worker->said, "ERROR: AddressSanitizer: ");
    if (!text)
        return undefined(worker, answer);
    text += strlen("ERROR: AddressSanitizer: ");
    at_place(answer, place);
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strncmp(text, reports[i].kind, strlen(reports[i].kind)) == 0)
            return worker_words_set(answer, WORKER_SANITIZER, "your function %s%s",
                                    reports[i].words, place) != WORKER_ANSWERED;
    return worker_words_set(answer, WORKER_SANITIZER,
                            "AddressSanitizer stopped your function%s: %.*s", place,
                            (int)(strcspn(text, "\n") < 200 ? strcspn(text, "\n") : 200),
                            text) != WORKER_ANSWERED;
}

static void forbidden(const Worker *worker, WorkerAnswer *answer)
{
    const char *line = strstr(worker->said, "\n@call "), *name = "something";
    char number[32] = "";
#if defined WORKER_SECCOMP
    char *resolved = NULL;
    if (line) {
        int call = (int)strtol(line + 7, NULL, 16);
        resolved = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
        snprintf(number, sizeof number, "%.31s", resolved ? resolved : "");
        free(resolved);
    }
#else
    (void)line;
#endif
    worker_words_set(answer, WORKER_FORBIDDEN,
                     "your code asked the system for %s, which an exercise does not need: no other "
                     "processes, files to write, or network",
                     number[0] ? number : name);
}

static void by_signal(const Worker *worker, int number, WorkerAnswer *answer)
{
    char place[160];
    at_place(answer, place);
    if (number == SIGSYS)
        forbidden(worker, answer);
    else if (number == SIGXFSZ)
        worker_words_set(answer, WORKER_FORBIDDEN, "your code wrote to a file%s", place);
    else if (number == SIGXCPU)
        worker_words_set(answer, WORKER_TIMED_OUT, "your functions have used up their time");
    else if (number == SIGFPE)
        worker_words_set(answer, WORKER_CRASHED, "your function divides an integer by zero%s",
                         place);
    else if (strstr(worker->said, "\n@null "))
        worker_words_set(answer, WORKER_CRASHED, "your function uses a pointer that is NULL%s",
                         place);
    else if (strstr(worker->said, "\n@stack "))
        worker_words_set(answer, WORKER_CRASHED,
                         "your function uses up the stack: it calls itself without end, or has a "
                         "very large array");
    else if (number == SIGSEGV || number == SIGBUS)
        worker_words_set(
            answer, WORKER_CRASHED,
            "your function reads or writes where there is no memory%s: is an index far "
            "too large, or a pointer never set?",
            place);
    else
        worker_words_set(answer, WORKER_CRASHED, "your function was ended by a signal%s: %s", place,
                         strsignal(number));
}

void worker_words_end(const Worker *worker, const WireReport *report, WorkerAnswer *answer)
{
    if (report->too_large) {
        worker_words_set(
            answer, WORKER_TOO_LARGE,
            "your function took more memory than an exercise may: it needs none besides "
            "the tensors that it is given");
        return;
    }
    find_place(worker, answer);
    if (tensor_fault(worker, answer) || sanitizer(worker, answer))
        return;
    if (WIFSIGNALED(report->status))
        by_signal(worker, WTERMSIG(report->status), answer);
    else if (worker->running.number == 0 && WEXITSTATUS(report->status) == 127)
        worker_words_set(answer, WORKER_NOT_STARTED, "%.600s", worker->said);
    else
        worker_words_set(answer, WORKER_LEFT,
                         "your code ended the program (exit status %d) before your function came "
                         "back: let it return instead",
                         WEXITSTATUS(report->status));
}

void worker_words_clean(Worker *worker)
{
    char *report = strstr(worker->said, "\n================================================");
    char *first = strncmp(worker->said, "========", 8) == 0 ? worker->said : NULL;
    if (first || report)
        *(first ? first : report) = '\0';
    for (char *line = strstr(worker->said, "\n@"); line; line = strstr(line, "\n@")) {
        char *end = strchr(line + 1, '\n');
        memmove(line, end ? end + 1 : "", end ? strlen(end + 1) + 1 : 1);
    }
    worker->said_bytes = strlen(worker->said);
}
