// Explains the end of a learner's process in words.
//
// Sources: lines that the process writes before it ends, which begin with '@' (learner_main.c), and AddressSanitizer's
// report. addr2line turns code addresses into source positions. All this affects only words, never whether a result
// counts.
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "shown_name.h"
#include "utf8.h"
#include "words.h"
#include "worker_internal.h"
#if defined WORKER_SECCOMP
#include <seccomp.h>
#endif

enum { FRAMES_MAX = 8, TOOL_SECONDS = 5 };

void worker_words_without_echo(char *text)
{
    const char *last = NULL, *before = NULL;
    char *end = text;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool is_whole = line[length] == '\n';
        length += is_whole;
        bool is_echo = is_whole && before && strncmp(line, last, length) == 0 &&
                       strncmp(line, before, length) == 0;
        if (!is_echo) {
            memmove(end, line, length);
            before = last;
            last = end;
            end += length;
        }
        line += length;
    }
    *end = '\0';
}

void worker_words_without_dump(char *text)
{
    static const char *const beginnings[] = {"PLEASE submit a bug report",
                                             "Stack dump:", "PLEASE ATTACH THE FOLLOWING"};
    for (char *line = text; *line; line += strspn(line, "\n")) {
        for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
            if (strncmp(line, beginnings[i], strlen(beginnings[i])) == 0) {
                *line = '\0';
                return;
            }
        line += strcspn(line, "\n");
    }
}

// --- where in the source

// The next address in the text: "(PROGRAM+0x1234)" or a line "@code 1234".
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

// True for our own or the compiler's files, which a learner cannot mend.
static bool is_ours(const char *name)
{
    static const char *const ours[] = {"??",   "call.c",    "learner_", "attnscope.h",
                                       "asan", "sanitizer", "ubsan"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(name, ours[i], strlen(ours[i])) == 0)
            return true;
    return false;
}

// addr2line's first line in a file of the learner's: "score.c:12".
static void pick_place(char *said, WorkerAnswer *answer)
{
    char *rest = NULL;
    for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *name = path_name(line);
        char *colon = strrchr(name, ':');
        if (!colon || !isdigit((unsigned char)colon[1]) || is_ours(name))
            continue;
        colon[1 + strspn(colon + 1, "0123456789")] = '\0'; // "(discriminator 3)" may follow
        snprintf(answer->place, sizeof answer->place, "%s", name);
        return;
    }
}

static void find_place(const Worker *worker, WorkerAnswer *answer)
{
    char frames[FRAMES_MAX][32], said[4096];
    char reader[WORKER_PATH_MAX];
    char *command[FRAMES_MAX + 6] = {reader, (char[]){"-i"}, (char[]){"-e"},
                                     (char *)worker->program};
    char *environment[] = {NULL}, *readable[] = {reader, (char *)worker->program, NULL};
    Tool tool = {.command = command,
                 .environment = environment,
                 .readable = readable,
                 .seconds = TOOL_SECONDS};
    ToolEnd end;
    int count = 0;
    Error err;
    const char *text = worker->said;
    while (count < FRAMES_MAX && (text = next_frame(text, worker->program, frames[count])))
        if (frames[count][0]) {
            command[4 + count] = frames[count];
            count++;
        }
    if (count > 0 && worker_place_program("addr2line", reader) &&
        keeper_run_tool(&tool, said, sizeof said, &end, &err) && end.status == 0)
        pick_place(said, answer);
}

// UBSan writes the position itself: "score.c:12:9: runtime error: ...".
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
    if (!answer->place[0] && !is_ours(name)) // else the calling line is known
        snprintf(answer->place, sizeof answer->place, "%.127s", name);
    found += strlen(": runtime error: ");
    char what[300];
    snprintf(what, sizeof what, "%.*s", (int)strcspn(found, "\n"), found);
    for (char *at = what; (at = strstr(at, " 0x")) != NULL;) { // addresses differ in every run
        char *end = at + 3 + strspn(at + 3, "0123456789abcdef");
        memmove(at, end, strlen(end) + 1);
    }
    bool is_null = false;
#define UNDEFINED_NULL(part) is_null = is_null || strstr(what, part);
#include "worker_phrases.def"
    if (is_null)
        worker_say(answer, WORKER_CRASHED, SENTENCE_NULL_POINTER, (Given){{NULL}});
    else
        worker_say(answer, WORKER_SANITIZER, SENTENCE_UNDEFINED, (Given){{what}});
    return true;
}

// --- what happened

// The line "@fault wrote past scores 24 24".
static bool tensor_fault(const Worker *worker, WorkerAnswer *answer)
{
    char did[8], where[8], name[WIRE_NAME_MAX], element[24], count[24], last[32];
    const char *line = strstr(worker->said, "\n@fault ");
    if (!line ||
        sscanf(line, "\n@fault %7s %7s %31s %23s %23s", did, where, name, element, count) != 5)
        return false;
    bool wrote = strcmp(did, "wrote") == 0, is_past = strcmp(where, "past") == 0;
    snprintf(last, sizeof last, "%lld", strtoll(count, NULL, 10) - 1);
    Given given = {{name, element, last}};
    if (strcmp(where, "inside") == 0)
        worker_say(answer, WORKER_CHANGED_INPUT, SENTENCE_WROTE_INPUT, given);
    else if (wrote)
        worker_say(answer, WORKER_WROTE_OUTSIDE,
                   is_past ? SENTENCE_WROTE_PAST : SENTENCE_WROTE_BEFORE, given);
    else
        worker_say(answer, WORKER_READ_OUTSIDE, is_past ? SENTENCE_READ_PAST : SENTENCE_READ_BEFORE,
                   given);
    return true;
}

// AddressSanitizer's error kinds.
static const struct {
    const char *kind;
    WorkerSentence sentence;
} reports[] = {
#define ADDRESS_KIND(kind, sentence) {kind, SENTENCE_##sentence},
#include "worker_phrases.def"
};

static bool sanitizer(const Worker *worker, WorkerAnswer *answer)
{
    const char *text = strstr(worker->said, "ERROR: AddressSanitizer: ");
    if (!text)
        return undefined(worker, answer);
    text += strlen("ERROR: AddressSanitizer: ");
    WorkerSentence sentence = SENTENCE_OTHER_REPORT;
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strncmp(text, reports[i].kind, strlen(reports[i].kind)) == 0)
            sentence = reports[i].sentence;
    char line[200];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    worker_say(answer, WORKER_SANITIZER, sentence, (Given){{line}});
    return true;
}

// The line "@call 29": a forbidden system call.
static void forbidden(const Worker *worker, WorkerAnswer *answer)
{
    const char *line = strstr(worker->said, "\n@call ");
    char *name = NULL;
#if defined WORKER_SECCOMP
    if (line)
        name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)strtol(line + 7, NULL, 16));
#else
    (void)line;
#endif
    worker_say(answer, WORKER_FORBIDDEN, name ? SENTENCE_CALLED : SENTENCE_CALLED_SOMETHING,
               (Given){{name}});
    free(name);
}

// Describes an invalid read or write, from the process's report.
static WorkerSentence fault(const Worker *worker)
{
    if (strstr(worker->said, "\n@null "))
        return SENTENCE_NULL_POINTER;
    return strstr(worker->said, "\n@stack ") ? SENTENCE_STACK_USED : SENTENCE_NO_MEMORY_THERE;
}

static void by_signal(const Worker *worker, int number, WorkerAnswer *answer)
{
    WorkerEnd end = WORKER_CRASHED;
    WorkerSentence sentence = SENTENCE_SIGNAL;
    switch (number) {
    case SIGXFSZ:
        end = WORKER_FORBIDDEN;
        sentence = SENTENCE_WROTE_FILE;
        break;
    case SIGXCPU:
        end = WORKER_TIMED_OUT;
        sentence = SENTENCE_TIME_USED;
        break;
    case SIGFPE:
        sentence = SENTENCE_DIVIDED_BY_ZERO;
        break;
    case SIGSEGV:
    case SIGBUS:
        sentence = fault(worker);
        break;
    default:
        break;
    }
    worker_say(answer, end, sentence,
               (Given){{signal_text(number, language_beside(LANGUAGE_ENGLISH)),
                        signal_text(number, language_beside(LANGUAGE_KOREAN))}});
}

void worker_words_end(const Worker *worker, const WireReport *report, WorkerAnswer *answer)
{
    if (report->too_large) {
        worker_say(answer, WORKER_TOO_LARGE, SENTENCE_TOO_LARGE, (Given){{NULL}});
        return;
    }
    find_place(worker, answer);
    if (tensor_fault(worker, answer) || sanitizer(worker, answer))
        return;
    char status[16];
    snprintf(status, sizeof status, "%d", WEXITSTATUS(report->status));
    if (WIFSIGNALED(report->status) && WTERMSIG(report->status) == SIGSYS)
        forbidden(worker, answer);
    else if (WIFSIGNALED(report->status))
        by_signal(worker, WTERMSIG(report->status), answer);
    else
        worker_say(answer, WORKER_LEFT, SENTENCE_LEFT, (Given){{status}});
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
