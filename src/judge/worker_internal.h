// Shared by the files of the judging side, and by nobody else.
#ifndef WORKER_INTERNAL_H
#define WORKER_INTERNAL_H

#include <stdbool.h>
#include <sys/types.h>
#include "learner.h"
#include "words.h"
#include "worker.h"

// --- words

#include "worker_words.def"

// --- worker_sentences.c: sentences, filled in, in both languages

typedef enum WorkerSentence {
#define SENTENCE(name, english, korean) SENTENCE_##name,
#include "worker_sentences.def"
#undef SENTENCE
} WorkerSentence;

// What {0}, {1} and {2} stand for; those that the sentence does not have may be NULL.
typedef struct Given {
    const char *texts[3];
} Given;

// Sets the end and what is said about it; {p} is answer->place. Returns `end`.
WorkerEnd worker_say(WorkerAnswer *answer, WorkerEnd end, WorkerSentence sentence, Given given);

// --- worker_sentences.c: what this machine lacked
//
// Kept until it becomes words: learners are told that it was not their doing, and what to do about it.

typedef struct MachineFault {
    WorkerSentence sentence;
    char detail[1024]; // what its {0} stands for
} MachineFault;

// Notes why a system call failed (an errno). Returns false, so that a caller can return it.
bool machine_lacks(MachineFault *fault, int cause);

// Notes why a keeper could not begin or go on, from its last report; returns false.
bool machine_ended(MachineFault *fault, const WireReport *report);

// Notes that somebody outside killed the learner's process; returns false.
bool machine_killed(MachineFault *fault, const WireReport *report);

// Notes that a part of attnscope is not where it should be; returns false.
bool machine_misses(MachineFault *fault, const Error *err);

// Says it of a call: it was not judged.
WorkerEnd machine_say(const MachineFault *fault, WorkerAnswer *answer);

// Says it of anything else; returns false.
bool machine_error(const MachineFault *fault, Error *err);

// --- worker_keeper.c: patience
//
// A learner's process is waited for in the processor time that it takes itself, so that a busy or
// suspended machine costs nobody a point. Whether it computes or waits is looked up while it runs.

typedef enum PatienceEnd {
    PATIENCE_LEFT,     // go on
    PATIENCE_COMPUTED, // it used its processor time up
    PATIENCE_WAITED,   // it slept, or waits for what nobody sends
    PATIENCE_GUARD,    // neither, for so long: the machine did not let it run
} PatienceEnd;

typedef struct Patience {
    long computing, waiting; // milliseconds that it may
    long computed;           // those before this began
    long waited;             // so far
    long begun, looked;      // when this did, and when the process was last looked at
    long guard;              // milliseconds by the clock after which it was the machine
    bool waits; // when it was looked at last: once is no wait, it may just have replied
    PatienceEnd end;
} Patience;

enum { PATIENCE_SLICE = 20, PATIENCE_GUARD_SECONDS = 30 };

// Begins with a process (0: it is not known yet) that may compute for so long and wait for so long,
// `waited` of which are used up.
Patience patience_begin(pid_t process, long computing, long waiting, long waited);

// Looks at the process, at most once in a slice. `is_heard`: what it prints is taken from it, so that
// it does not wait for us. Whether to go on.
bool patience_goes_on(Patience *patience, pid_t process, bool is_heard);

// The processor time that it has used since, in milliseconds; -1: this system does not tell.
long patience_computed(const Patience *patience, pid_t process);

// --- worker_keeper.c: processes

// A keeper and what it watches. Descriptors are -1 where there are none.
typedef struct Keeper {
    pid_t process;
    int lifeline, output;
} Keeper;

// Starts attnscope-keeper with these words after its name. `control`, `inputs` and `outputs` become
// the descriptors of learner.h and stay the caller's; -1: none. `environment` as for execve.
bool keeper_start(Keeper *keeper, char *const words[], char *const environment[],
                  const int descriptors[3], MachineFault *fault);

// Takes what is there to read of the output, NUL as a question mark; the middle of what is too long
// is left out. False at its end.
bool keeper_read_output(int output, char *said, size_t room, size_t *used);

typedef enum KeeperEnd {
    KEEPER_TOLD,      // what became of the process
    KEEPER_WAS_ENDED, // by a signal, before it told
    KEEPER_GAVE_UP,   // by itself: this machine lacks something
} KeeperEnd;

// Lets go of the lifeline's other end and waits; what the keeper reported.
KeeperEnd keeper_stop(Keeper *keeper, WireReport *report);

// A compiler or a tool of its family, behind the fence of fence.h.
typedef struct Tool {
    char *const *command; // the first is a path; NULL ends it
    char *const *environment;
    char *const *readable; // what it may read besides the system's own files; NULL ends it
    const char *folder;    // that it runs in; NULL: the root
    const char *writable;  // the one folder that it may write to; NULL: none
    int seconds;           // of CPU time that each of its processes may take
} Tool;

typedef struct ToolEnd {
    int status;       // its exit status; -1: a signal ended it
    bool used_up;     // its time
    int parts;        // of the fence that held it, as bits
    int milliseconds; // of CPU time, with those that it started
    char fence[128];
} ToolEnd;

// Runs a tool to its end. False with a sentence when this machine could not run it, or gave it no time.
bool keeper_run_tool(const Tool *tool, char *said, size_t room, ToolEnd *end, Error *err);

// --- worker_memory.c: tensors

// How a call's tensors lie in the shared memory, and whose they are here.
typedef struct WorkerLayout {
    WireRequest request;
    unsigned char *owner[WIRE_TENSORS_MAX]; // of each region: the storage that it stands for
} WorkerLayout;

// Plans the storages, makes both files large enough, fills inputs and outputs and what lies around.
bool worker_memory_fill(Worker *worker, const StageCall *call, const StageArgs *args,
                        WorkerLayout *layout, MachineFault *fault);

// Judges what came back and takes it over into args->out. `answer->end` says how it went.
void worker_memory_take(Worker *worker, const WorkerLayout *layout, const StageCall *call,
                        const WireReply *reply, StageArgs *args, WorkerAnswer *answer);

bool worker_memory_open(Worker *worker, int *inputs_to_read, MachineFault *fault);
void worker_memory_close(Worker *worker);

// --- worker.c: whose doing it is that no reply came

enum { PROCESSOR_SECONDS = 120 }; // of all calls of a process together; each call has its own limit

typedef enum Heard {
    HEARD_REPLY,
    HEARD_NONSENSE,
    HEARD_END,
    HEARD_NOTHING, // while there was patience
    HEARD_MACHINE, // it could not be asked or heard, with errno
} Heard;

// What is known of a process that ended, or was ended, without a reply.
typedef struct Ending {
    Heard heard;
    int cause; // an errno, of HEARD_MACHINE
    KeeperEnd keeper;
    WireReport report;
    const Patience *patience;
    long computed; // milliseconds; -1: nobody can tell
} Ending;

// --- worker_words.c: sentences

// What became of a process that ended without an answer, from the keeper's report and from what the
// process wrote before it ended.
void worker_words_end(const Worker *worker, const WireReport *report, WorkerAnswer *answer);

// A line that equals the two before it is left out, as often as it comes: a file that includes itself
// makes clang tell two hundred times from where, before it tells what is wrong.
void worker_words_without_echo(char *text);

// What a compiler prints when it ends itself (clang without memory: how it was called, its folders, its
// stack) is cut off; the reason, which stands before it, stays.
void worker_words_without_dump(char *text);

// Takes the lines that are for us (they begin with '@') and the sanitizer's report out of what the
// process printed; what is left is the learner's own.
void worker_words_clean(Worker *worker);

// --- worker_places.c: where things are

// attnscope-keeper; libworker-NAME.a; false with a sentence when it is not there.
bool worker_place_keeper(char path[WORKER_PATH_MAX], Error *err);
bool worker_place_library(const char *exercise, char path[WORKER_PATH_MAX], Error *err);

// The folder of built programs, made if it is not there.
bool worker_place_cache(char path[WORKER_PATH_MAX], Error *err);

// The compiler to use, as a path: `named`, or the first of $CC, cc, gcc, clang.
bool worker_place_compiler(const char *named, char path[WORKER_PATH_MAX], Error *err);

// The options that come with it where it is $CC: "gcc -m64" has one. How many; `text` holds them.
enum { WORKER_OPTIONS = 16, WORKER_OPTIONS_MAX = 1024 };
int worker_place_options(const char *named, char text[WORKER_OPTIONS_MAX],
                         char *words[WORKER_OPTIONS]);

// The first program of this name in PATH, or the path that it is.
bool worker_place_program(const char *name, char path[WORKER_PATH_MAX]);

// A program that was built with sanitizers has a name that ends so.
#define WORKER_SANITIZED "-sanitized"
#define WORKER_PLAIN "-plain"
#define WORKER_RECORD ".record" // beside the program, what is known of it
bool worker_program_is_sanitized(const char *program);

#endif
