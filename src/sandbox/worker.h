// Runs a learner's function in a process of its own. The process gets inputs and returns outputs; it holds
// nothing to compare them with. Whatever it does (crash, loop, exit, write out of bounds), the caller gets
// a WorkerEnd and a message, and continues.
//
// Life cycle: worker_build compiles the learner's file; worker_open; worker_call any number of times;
// worker_close. The first call starts the process, later ones reuse it. After any end but WORKER_ANSWERED
// the next call starts a new one.
//
// WORKER.md describes the sandbox, and what happens where parts of it are missing.
#ifndef WORKER_H
#define WORKER_H

#include <sys/types.h>
#include "place.h"
#include "trace.h"
#include "words.h"

// --- building

typedef struct WorkerBuild {
    const char *source; // the learner's file: "anna/exercises/score.c"
    const char
        *root; // the submission's folder, a prefix of the source: "anna/"; NULL: the source's
    const char *header;   // attnscope.h for sources without one of their own; or NULL
    const char *exercise; // libworker-score.a calls it
    const char *compiler; // NULL: the first of $CC, cc, gcc, clang
    bool sanitize;        // AddressSanitizer and UBSan, if the compiler has them
    int optimisation;     // 0 to 3; learners get 1
    int seconds;          // CPU time for the compiler; 0: the default
} WorkerBuild;

typedef enum WorkerBuildEnd {
    WORKER_BUILD_FAILED,  // the machine's fault, not the learner's
    WORKER_BUILD_REFUSED, // the source is unreadable or does not compile
    WORKER_BUILD_ENDLESS, // the compiler ran out of time
    WORKER_BUILD_DONE
} WorkerBuildEnd;

enum { WORKER_PATH_MAX = PLACE_PATH_MAX, WORKER_TEXT_MAX = 768, WORKER_SAID_MAX = 16384 };

typedef struct WorkerProgram {
    char path[WORKER_PATH_MAX]; // for worker_open
    char compiler[WORKER_PATH_MAX];
    bool sanitized;             // false if requested but unsupported; `said` explains
    bool was_built;             // found in the cache; nothing was compiled
    char said[WORKER_SAID_MAX]; // the compiler's warnings and errors
    Error why[LANGUAGES];       // if the compiler rejected it: the message
    WorkerBuildEnd end;
    int milliseconds; // CPU time of the compiler
    char fence[160];  // the compiler's sandbox, in words
    int fence_parts;  // the same as bits of fence.h
} WorkerProgram;

// Compiles and links in a sandbox. The compiler sees a private copy of the source and of the files that it
// includes, attnscope.h, the exercise's library and the system's headers and libraries, and writes to a
// folder of its own. The program goes to the cache ($XDG_CACHE_HOME/attnscope/workers), under a digest of
// everything it was built from. Returns false and sets err on failure; `end` says whose fault, `said` has
// the compiler's output.
bool worker_build(const WorkerBuild *build, WorkerProgram *program, Error *err);

// Makes a foreign text printable, in place and of the same length: valid UTF-8 without control characters
// (except tab and newline) or direction marks. Others become question marks.
void worker_words_printable(char *text);

// Shortens very long lines in their middle. Returns false without memory.
bool worker_words_shorten_lines(char *text);

// One digest of everything that a program would be built from, independent of paths: the source and its
// includes, the exercise's library, attnscope.h, the compiler. Compiles nothing. Returns false and sets err
// if something cannot be read or worker_build would refuse it.
enum { WORKER_DIGEST_MAX = 72 };
bool worker_digest(const WorkerBuild *build, char digest[WORKER_DIGEST_MAX], Error *err);

// --- the sandbox

typedef struct WorkerFence {
    int parts;      // as bits of fence.h; FENCE_WHOLE: all that there is
    char text[128]; // "limits, files (Landlock 7), calls (seccomp)"
} WorkerFence;

// Finds out which parts of the sandbox work here, by setting it up. Returns false and sets err if no
// process can be started.
bool worker_fence(WorkerFence *fence, Error *err);

// Translates the record of a fence ("a process of its own, limits, files (Landlock 7)"). Unknown parts stay
// as they are.
enum { WORKER_FENCE_TEXT_MAX = 256 };
const char *worker_fence_text(const char *recorded, char text[WORKER_FENCE_TEXT_MAX]);

// --- running

typedef enum WorkerEnd {
    WORKER_ANSWERED,
    WORKER_REFUSED,       // the function returned an error
    WORKER_CRASHED,       // killed by a signal
    WORKER_SANITIZER,     // stopped by AddressSanitizer or UBSan
    WORKER_WROTE_OUTSIDE, // out of a tensor's bounds
    WORKER_READ_OUTSIDE,
    WORKER_CHANGED_INPUT,
    WORKER_BAD_VIEW,  // returned a view of memory that it may not use
    WORKER_TIMED_OUT, // no answer in time
    WORKER_LEFT,      // called exit() or similar
    WORKER_FORBIDDEN, // made a forbidden system call
    WORKER_TOO_LARGE, // used too much memory
    WORKER_FORGED,    // sent an answer that was not requested, or a malformed one
    WORKER_NOT_JUDGED // the machine could not run it; not the learner's fault
} WorkerEnd;

typedef struct WorkerAnswer {
    WorkerEnd end;
    char why[LANGUAGES]
            [WORKER_TEXT_MAX]; // "score wrote past the end of scores at score.c:12"; "" if answered
    char place[128];           // "score.c:12", or "" if unknown
    bool at_start;             // it failed before the function was called
    ptrdiff_t unwritten[STAGE_WRITES_MAX]; // elements of each output that were never written
} WorkerAnswer;

typedef struct Worker {
    char program[WORKER_PATH_MAX];
    int milliseconds; // CPU time limit of a call; 0: the default
    int megabytes;    // memory limit; 0: the default
    long time_limit;  // total milliseconds for all starts and calls; 0: no limit
    long spent;       // used so far
    char fence[160];  // the sandbox, in words; known after the first call

    bool begins_at_0;   // outputs start as 0, not as the pattern that marks unwritten elements
    WorkerAnswer start; // the answer of a failed start; the next would fail too

    // Its output during the last call, shortened and printable.
    char said[WORKER_SAID_MAX];
    size_t said_bytes;

    struct {
        pid_t keeper;   // watches and cleans up; 0: not running
        pid_t process;  // the learner's; 0: not started
        bool is_closed; // the keeper is unreachable
        int lifeline;   // to the keeper; closing it ends everything
        int control;    // requests and replies
        int output;     // standard output and error of the process
        int file[2];    // the shared memory: inputs, outputs
        unsigned char *memory[2];
        size_t bytes[2];
        uint32_t number; // of the last request
        long waited;     // milliseconds without work, over all calls
    } running;
} Worker;

// True if `time_limit` is used up.
bool worker_is_spent(const Worker *worker);

// Sets the program to run. Returns false and sets err if it does not exist.
bool worker_open(Worker *worker, const char *program, Error *err);

// Calls the learner's function: passes args->in and the options, fills args->out as `call` describes.
// Outputs that are views start empty and then point into the storage of args->in. args->out is valid only
// after WORKER_ANSWERED.
WorkerEnd worker_call(Worker *worker, const StageCall *call, StageArgs *args, WorkerAnswer *answer);

// True if an element of an output still has the bits of unwritten memory. Adding to it (+=) keeps them.
bool worker_unwritten(const Tensor *tensor, const ptrdiff_t at[]);

// Whether sanitized programs start on this machine, tested with a known program: some machines lack the
// address space for their shadow memory. Compiles it the first time.
bool worker_sanitizers_start(const char *exercise);

// Fills `answer` as WORKER_NOT_JUDGED, with what to do about this errno.
void worker_machine_lacks(int cause, WorkerAnswer *answer);

// Ends the process and all its children.
void worker_close(Worker *worker);

// Saves a call to a file, replacing it: `PROGRAM FILE` repeats that call without a sandbox, for a debugger
// ("gdb --args PROGRAM FILE").
bool worker_save_call(const StageCall *call, const StageArgs *args, const char *path, Error *err);

// --- in a trace

// Which worker replaces which stage. Lists end with a NULL stage.
typedef struct WorkerStage {
    const char *stage;
    int output; // the only output that the function fills; -1: all
    Worker *worker;
    Language language; // of error messages
    WorkerEnd end;     // of its last call
} WorkerStage;

// A TraceRun; `context` is a list of WorkerStage. The stage itself fills outputs that no function fills.
// Sets err if the call fails, a view has the wrong shape, or a number was never written.
bool worker_stage_run(void *context, const TraceStep *step, StageArgs *args, bool *done,
                      Error *err);

// The TraceTakes for it.
bool worker_stage_takes(void *context, const Stage *stage);

#endif
