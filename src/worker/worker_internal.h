// What the files of the judging side share with each other and with nobody else.
#ifndef WORKER_INTERNAL_H
#define WORKER_INTERNAL_H

#include "wire.h"
#include "worker.h"
#include "worker_machine.h"
#include "worker_patience.h"

// --- worker_keeper.c: processes

// A keeper and what it watches. Descriptors are -1 where there are none.
typedef struct Keeper {
    pid_t process;
    int lifeline, output;
} Keeper;

// Starts attnscope-keeper with these words after its name. `control`, `inputs` and `outputs` become
// the descriptors of wire.h and stay the caller's; -1: none. `environment` as for execve.
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

// --- worker.c

// A call that is taken as it comes out: nobody asks whether this machine is to blame for its end.
WorkerEnd worker_call_once(Worker *worker, const StageCall *what, StageArgs *args,
                           WorkerAnswer *answer);

// --- worker_known.c

// Whether a function that is known to be right runs on this machine now; `answer` says why not.
bool worker_known_runs(WorkerAnswer *answer);

// --- worker_ending.c: whose doing it is that no reply came

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

// Says in `answer` what it was: the learner's doing, or this machine's.
WorkerEnd worker_ending_say(const Worker *worker, const Ending *ending, WorkerAnswer *answer);

// --- worker_words.c: sentences

// What became of a process that ended without an answer, from the keeper's report and from what the
// process wrote before it ended.
void worker_words_end(const Worker *worker, const WireReport *report, WorkerAnswer *answer);

// Why a file does not compile, from what compiler and linker said; in both languages, since what is
// recorded of somebody's work is read by others, too. False.
bool worker_refusal_say(const char *name, const char *said, Error why[LANGUAGES], Error *err);

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
