// A learner's function, run in a process of its own. That process is given inputs and gives back
// outputs; it holds nothing that it could be compared with. Whatever it does (a crash, an endless
// loop, exit, a write past the end), the caller gets a WorkerEnd and a sentence, and goes on.
//
// Life cycle: worker_build makes a program of the learner's file; worker_open; worker_call as often
// as wanted; worker_close. The process is started by the first call and stays for the next one. After
// an end other than WORKER_ANSWERED it is gone, and the next call starts a fresh one.
//
// WORKER.md beside this file tells what holds the process, and what happens where that is missing.
#ifndef WORKER_H
#define WORKER_H

#include <sys/types.h>
#include "place.h"
#include "trace.h"
#include "words.h"

// --- building

typedef struct WorkerBuild {
    const char *source; // the learner's file: "anna/exercises/score.c"
    const char *root;   // the submission's folder, which its files may come from, as it begins the
                        // source: "anna/"; NULL: the folder that the source lies in
    const char
        *header; // attnscope.h, for sources that bring none of their own; NULL: there is none
    const char *exercise; // "score": what libworker-score.a calls
    const char *compiler; // NULL: the first of $CC, cc, gcc, clang
    bool sanitize;        // AddressSanitizer and UBSan, where the compiler has them
    int optimisation;     // 0 to 3; 1 is what a learner gets
    int seconds;          // of CPU time that compiling may take; 0: the usual
} WorkerBuild;

typedef enum WorkerBuildEnd {
    WORKER_BUILD_FAILED,  // this machine could not: not the learner's doing
    WORKER_BUILD_REFUSED, // what was handed in cannot be read, or the compiler does not take it
    WORKER_BUILD_ENDLESS, // the compiler used up its time on it
    WORKER_BUILD_DONE
} WorkerBuildEnd;

enum { WORKER_PATH_MAX = PLACE_PATH_MAX, WORKER_TEXT_MAX = 768, WORKER_SAID_MAX = 16384 };

typedef struct WorkerProgram {
    char path[WORKER_PATH_MAX]; // for worker_open
    char compiler[WORKER_PATH_MAX];
    bool sanitized; // false although asked for: this compiler cannot, and `said` tells so
    bool was_built; // before, from the same files in the same way: nothing was compiled
    char said[WORKER_SAID_MAX]; // the compiler's warnings and errors as it wrote them
    Error why[LANGUAGES];       // of a source that the compiler refused: the sentence
    WorkerBuildEnd end;
    int milliseconds; // of CPU time that compiling took; 0: nothing was compiled
    char fence[160];  // what held the compiler, in words
    int fence_parts;  // the same as bits of fence.h
} WorkerProgram;

// Compiles and links, behind a fence: the compiler has a private copy of the source and of the files
// of its submission that it names, attnscope.h, the exercise's library and the system's headers and
// libraries, and writes in a folder of its own. The program lies in the cache
// ($XDG_CACHE_HOME/attnscope/workers), under a name that depends on everything it was made from.
// False with a sentence; `end` says whose doing it was, `said` has the compiler's words.
bool worker_build(const WorkerBuild *build, WorkerProgram *program, Error *err);

// Somebody else's text becomes valid UTF-8 of the same length without control characters, but for tabs
// and new lines, and without marks of direction: what a terminal would obey and what no file format
// takes becomes question marks.
void worker_words_printable(char *text);

// Cuts lines that are longer than anybody reads in their middle. False: no memory.
bool worker_words_shorten_lines(char *text);

// One digest of everything that such a program is made from, wherever it lies and whatever its folder is
// called: the source with what belongs to it, the exercise's library, attnscope.h, the compiler. Nothing
// is compiled. False with a sentence when something cannot be read, or worker_build would refuse it
// before a compiler sees it.
enum { WORKER_DIGEST_MAX = 72 };
bool worker_digest(const WorkerBuild *build, char digest[WORKER_DIGEST_MAX], Error *err);

// --- what holds it

typedef struct WorkerFence {
    int parts;      // as bits of fence.h; FENCE_WHOLE: all that there is
    char text[128]; // "limits, files (Landlock 7), calls (seccomp)"
} WorkerFence;

// Finds out what holds compilers and learners' functions on this machine, by putting it up around a
// process. False with a sentence when no process can be started at all.
bool worker_fence(WorkerFence *fence, Error *err);

// What the record of a fence says ("a process of its own, limits, files (Landlock 7)"), for the person:
// each part in their language. What is not known stays as it is.
enum { WORKER_FENCE_TEXT_MAX = 256 };
const char *worker_fence_tell(const char *recorded, char text[WORKER_FENCE_TEXT_MAX]);

// --- running

typedef enum WorkerEnd {
    WORKER_ANSWERED,
    WORKER_REFUSED,       // the adapter said no, in words
    WORKER_CRASHED,       // a signal
    WORKER_SANITIZER,     // AddressSanitizer or UBSan stopped it
    WORKER_WROTE_OUTSIDE, // beyond the beginning or the end of a tensor
    WORKER_READ_OUTSIDE,
    WORKER_CHANGED_INPUT,
    WORKER_BAD_VIEW,  // a tensor given back whose elements do not lie in any storage it may use
    WORKER_TIMED_OUT, // no answer in its time
    WORKER_LEFT,      // exit() and the like
    WORKER_FORBIDDEN, // asked the system for what an exercise does not need
    WORKER_TOO_LARGE, // took too much memory
    WORKER_FORGED,    // wrote an answer that was not asked for, or not in the agreed form
    WORKER_NOT_JUDGED // this machine could not run it: not the learner's doing
} WorkerEnd;

typedef struct WorkerAnswer {
    WorkerEnd end;
    char why[LANGUAGES]
            [WORKER_TEXT_MAX]; // "score wrote past the end of scores at score.c:12"; "" if answered
    char place[128];           // "score.c:12"; "" where that is not known
    bool at_start;             // its program did not come as far as to be called
    ptrdiff_t unwritten[STAGE_WRITES_MAX]; // how many elements of each output were never written
} WorkerAnswer;

typedef struct Worker {
    char program[WORKER_PATH_MAX];
    int milliseconds; // of processor time that one call may take; 0: the usual
    int megabytes;    // that the process may take; 0: the usual
    long patience; // milliseconds that all starts and calls together may compute or wait; 0: no end
    long spent;    // of these, so far
    char fence[160]; // what holds the process, in words; known after the first call

    bool begins_at_0;   // outputs hold 0 before a call, not what tells that nothing was written
    WorkerAnswer start; // what became of a start that failed: the next would as well

    // What it printed during the last call, cut when too long: valid UTF-8, nothing that steers a
    // terminal.
    char said[WORKER_SAID_MAX];
    size_t said_bytes;

    struct {
        pid_t keeper;   // the process between, that watches and cleans up; 0: none runs
        pid_t process;  // the learner's; 0: it has not begun
        bool is_closed; // it cannot reach its keeper
        int lifeline;   // to the keeper: closing it ends everything
        int control;    // to the learner's process: requests and replies
        int output;     // what that prints
        int file[2];    // the memory that both map: inputs, outputs
        unsigned char *memory[2];
        size_t bytes[2];
        uint32_t number; // of the last request
        long waited;     // milliseconds in which it did nothing, of all calls
    } running;
} Worker;

// Whether it has used up all the time that it has (Worker.patience).
bool worker_is_spent(const Worker *worker);

// Notes which program to run; false when it is not there.
bool worker_open(Worker *worker, const char *program, Error *err);

// Calls the learner's function with a stage's arguments: hands over args->in and the options, and
// fills args->out, which `call` names. Outputs that are views are given as nothing, and point into the
// storage of args->in afterwards. args->out holds something sensible only after WORKER_ANSWERED.
WorkerEnd worker_call(Worker *worker, const StageCall *call, StageArgs *args, WorkerAnswer *answer);

// Whether nothing was ever written to this element of an output, as far as its bits tell: what is added to
// it (+=) leaves them as they were.
bool worker_unwritten(const Tensor *tensor, const ptrdiff_t at[]);

// Whether a program that is known to be right, built with sanitizers for the same exercise, starts on this
// machine now: their shadow takes addresses that not every machine gives. Compiles it the first time.
bool worker_sanitizers_start(const char *exercise);

// What to say where this machine lacks something (an errno) that judging takes: the end is
// WORKER_NOT_JUDGED.
void worker_machine_lacks(int cause, WorkerAnswer *answer);

// Ends the process and everything it may have left behind.
void worker_close(Worker *worker);

// Writes one call to a file: `PROGRAM FILE` then makes just that call, without a fence, under a
// debugger ("gdb --args PROGRAM FILE"). A file that is there is replaced.
bool worker_save_call(const StageCall *call, const StageArgs *args, const char *path, Error *err);

// --- as part of a trace

// Which worker stands for which stage; a NULL stage ends the list.
typedef struct WorkerStage {
    const char *stage;
    int output; // the only output of the stage that the function fills; -1: all of them
    Worker *worker;
    Language language; // in which it is said what became of it
    WorkerEnd end;     // of its last call
} WorkerStage;

// A TraceRun; `context` is such a list. Outputs that nobody's function fills are the stage's own. The
// sentence of an end other than an answer becomes `err`; so does a view of another shape than planned,
// and a number that was never set.
bool worker_stage_run(void *context, const TraceStep *step, StageArgs *args, bool *done,
                      Error *err);

// Its TraceTakes.
bool worker_stage_takes(void *context, const Stage *stage);

#endif
