// Private to the library that runs learners' functions.
#ifndef WORKER_INTERNAL_H
#define WORKER_INTERNAL_H

#include <stdbool.h>
#include <sys/types.h>
#include "learner.h"
#include "words.h"
#include "worker.h"

// --- words

#include "worker_words.def"

// --- worker_sentences.c: formatted sentences in both languages

typedef enum WorkerSentence {
#define SENTENCE(name, english, korean) SENTENCE_##name,
#include "worker_sentences.def"
#undef SENTENCE
} WorkerSentence;

// Values for {0}, {1} and {2}; NULL for those the sentence does not use.
typedef struct Given {
    const char *texts[3];
} Given;

// Sets the end and its sentence; {p} is answer->place. Returns `end`.
WorkerEnd worker_say(WorkerAnswer *answer, WorkerEnd end, WorkerSentence sentence, Given given);

// --- worker_sentences.c: faults of the machine
//
// They never count against a learner: the message says so, and what to do.

typedef struct MachineFault {
    WorkerSentence sentence;
    char detail[1024]; // its {0}
} MachineFault;

// A system call failed with this errno. All of these return false, for the caller to return.
bool machine_lacks(MachineFault *fault, int cause);

// A keeper could not start or continue, according to its last report.
bool machine_ended(MachineFault *fault, const WireReport *report);

// Someone else killed the learner's process.
bool machine_killed(MachineFault *fault, const WireReport *report);

// A part of attnscope is not installed where it should be.
bool machine_misses(MachineFault *fault, const Error *err);

// Ends a call as not judged, with the fault.
WorkerEnd machine_say(const MachineFault *fault, WorkerAnswer *answer);

// Sets err to the fault; returns false.
bool machine_error(const MachineFault *fault, Error *err);

// --- worker_keeper.c: time_limit
//
// Time limits count the CPU time of the learner's own process, so that a busy or suspended machine costs
// no points. The process is polled to see whether it computes or waits.

typedef enum TimeLimitEnd {
    TIME_LIMIT_LEFT,     // time is left
    TIME_LIMIT_COMPUTED, // used up its CPU time
    TIME_LIMIT_WAITED,   // slept or blocked for too long
    TIME_LIMIT_GUARD,    // neither: the machine did not let it run
} TimeLimitEnd;

typedef struct TimeLimit {
    long computing, waiting; // limits, in milliseconds
    long computed;           // CPU time before this began
    long waited;             // so far
    long begun, looked;      // times: start, last poll
    long guard;              // wall-clock limit in milliseconds; beyond it the machine is at fault
    bool waits; // it waited at the last poll; one poll is no proof, it may just have replied
    TimeLimitEnd end;
} TimeLimit;

enum { TIME_LIMIT_SLICE = 20, TIME_LIMIT_GUARD_SECONDS = 30 };

// Starts the limits of a process (0: not known yet); `waited` of the waiting time is already used.
TimeLimit time_limit_begin(pid_t process, long computing, long waiting, long waited);

// Polls the process, at most once per slice. `is_heard`: its output is being read, so it does not wait for
// us. Returns whether time is left.
bool time_limit_goes_on(TimeLimit *time_limit, pid_t process, bool is_heard);

// The CPU time it used since the start, in milliseconds; -1: unknown on this system.
long time_limit_computed(const TimeLimit *time_limit, pid_t process);

// --- worker_keeper.c: processes

// A running keeper. Descriptors are -1 if closed.
typedef struct Keeper {
    pid_t process;
    int lifeline, output;
} Keeper;

// Starts attnscope-keeper with these arguments. The descriptors (control, inputs, outputs; -1: none) become
// those of learner.h, and remain the caller's. `environment` as for execve.
bool keeper_start(Keeper *keeper, char *const words[], char *const environment[],
                  const int descriptors[3], MachineFault *fault);

// Reads available output; NUL becomes a question mark, and the middle of long output is dropped. Returns
// false at the end.
bool keeper_read_output(int output, char *said, size_t room, size_t *used);

typedef enum KeeperEnd {
    KEEPER_REPORTED,  // it reported
    KEEPER_WAS_ENDED, // a signal ended it before it could report
    KEEPER_GAVE_UP,   // it exited: this machine lacks something
} KeeperEnd;

// Closes the lifeline and waits for the keeper's report.
KeeperEnd keeper_stop(Keeper *keeper, WireReport *report);

// A compiler or similar tool, run in the sandbox of fence.h.
typedef struct Tool {
    char *const *command; // starts with a path; NULL-terminated
    char *const *environment;
    char *const *readable; // readable paths besides the system's own; NULL-terminated
    const char *folder;    // working directory; NULL: the root
    const char *writable;  // the only writable folder; NULL: none
    int seconds;           // CPU time limit of each of its processes
} Tool;

typedef struct ToolEnd {
    int status;       // exit status; -1: ended by a signal
    bool used_up;     // hit its time limit
    int parts;        // active parts of the sandbox, as bits
    int milliseconds; // CPU time, including its children
    char fence[128];
} ToolEnd;

// Runs a tool to its end. Returns false and sets err if this machine could not run it.
bool keeper_run_tool(const Tool *tool, char *said, size_t room, ToolEnd *end, Error *err);

// --- worker_memory.c: tensors

// Where a call's tensors lie in the shared memory.
typedef struct WorkerLayout {
    WireRequest request;
    unsigned char *owner[WIRE_TENSORS_MAX]; // per region: the storage it mirrors
} WorkerLayout;

// Lays out the storages, resizes both files, and fills inputs, outputs and the guard bytes around them.
bool worker_memory_fill(Worker *worker, const StageCall *call, const StageArgs *args,
                        WorkerLayout *layout, MachineFault *fault);

// Checks the reply and copies it into args->out. Sets `answer->end`.
void worker_memory_take(Worker *worker, const WorkerLayout *layout, const StageCall *call,
                        const WireReply *reply, StageArgs *args, WorkerAnswer *answer);

bool worker_memory_open(Worker *worker, int *inputs_to_read, MachineFault *fault);
void worker_memory_close(Worker *worker);

// --- worker_words.c: how a process ended

// Explains a process that ended without an answer, from the keeper's report and the process's own output.
void worker_words_end(const Worker *worker, const WireReport *report, WorkerAnswer *answer);

// Drops lines that equal the two before them: for a file that includes itself, clang prints two hundred
// "included from" lines before the error.
void worker_words_without_echo(char *text);

// Cuts off a compiler's crash dump (clang out of memory: arguments, folders, stack), and keeps the reason,
// which comes first.
void worker_words_without_dump(char *text);

// Removes our own lines (they begin with '@') and the sanitizer's report from the output; the rest is the
// learner's.
void worker_words_clean(Worker *worker);

// --- worker_place.c: where things are

// Paths of attnscope-keeper and libworker-NAME.a. They return false and set err if it is missing.
bool worker_place_keeper(char path[WORKER_PATH_MAX], Error *err);
bool worker_place_library(const char *exercise, char path[WORKER_PATH_MAX], Error *err);

// The cache of built programs, created if missing.
bool worker_place_cache(char path[WORKER_PATH_MAX], Error *err);

// The compiler to use, as a path: `named`, or the first of $CC, cc, gcc, clang.
bool worker_place_compiler(const char *named, char path[WORKER_PATH_MAX], Error *err);

// The options in $CC, if the compiler comes from there: "gcc -m64" has one. Returns the count; `text` holds them.
enum { WORKER_OPTIONS = 16, WORKER_OPTIONS_MAX = 1024 };
int worker_place_options(const char *named, char text[WORKER_OPTIONS_MAX],
                         char *words[WORKER_OPTIONS]);

// Finds a program in PATH; a name with a slash is a path already.
bool worker_place_program(const char *name, char path[WORKER_PATH_MAX]);

// How the names of built programs end.
#define WORKER_SANITIZED "-sanitized"
#define WORKER_PLAIN "-plain"
#define WORKER_RECORD ".record" // next to the program: how it was built

#endif
