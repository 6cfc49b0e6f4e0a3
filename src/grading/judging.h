// A learner's exercise checked: compiled with their compiler, judged by attnscope-judge in a process
// of its own, and told.
//
// Life cycle: a zeroed Judging; judging_run; judging_print, judging_json; judging_finish.
#ifndef JUDGING_H
#define JUDGING_H

#include <jansson.h>
#include "temporary.h"
#include "verdict.h"
#include "worker.h"
#include "workspace.h"

typedef enum JudgingEnd {
    JUDGING_UNTOUCHED,    // the stub, or no file at all: there is nothing to check
    JUDGING_NOT_COMPILED, // the compiler refused it: `why`
    JUDGING_NOT_JUDGED,   // this machine could not: `why`. It gives no points and takes none
    JUDGING_DONE,         // `verdict`
} JudgingEnd;

typedef struct Judging {
    JudgingEnd end;
    Error why
        [LANGUAGES]; // of what is no judgement; where the machine failed, that alone in the language
                     // of this process. Asked with judging_why
    bool is_nowhere; // JUDGING_NOT_JUDGED as what was handed in holds no file that it could be: no
                     // fault of this machine
    bool is_closed;  // its file cannot be read, and so was not compiled
    WorkspaceFile file;           // what was checked
    WorkerProgram plain, guarded; // guarded: with sanitizers, where the compiler has them
    Verdict verdict;
    json_t *record;  // the same as the judge wrote it
    Error not_noted; // why the progress does not know of it; "" when it does
    Error
        not_chained; // why this machine left out functions of the learner's before it; "": it did not
} Judging;

// Checks exercise `number` with numbers drawn from `seed` and notes the result. What else has passed
// takes part where the exercise is tried after the learner's own functions. The first call that fails
// is saved in `case_path` (worker_save_call); NULL: nowhere.
void judging_run(Judging *judging, const Workspace *workspace, int number, long long seed,
                 const char *case_path);

bool judging_passed(const Judging *judging);

// Why it was not judged or not compiled, in a language.
const char *judging_why(const Judging *judging, Language language);

// What the compiler said, in its words and in plain ones, and what was found.
void judging_print(const Judging *judging, const Workspace *workspace, int number, FILE *out);

// The same for programs; the caller's to free. NULL: no memory.
json_t *judging_json(const Judging *judging, const Exercise *exercise);

void judging_finish(Judging *judging);

// --- parts that others need

// Milliseconds that are spent on waiting for the functions of one exercise.
enum { JUDGING_PATIENCE = 2500 };

// How an exercise is compiled: for checking, for finding slips, for a debugger.
typedef enum JudgingBuild { JUDGING_PLAIN, JUDGING_GUARDED, JUDGING_DEBUGGED } JudgingBuild;

// Compiles exercise `number`. False with a sentence.
bool judging_build(const Workspace *workspace, int number, JudgingBuild how, WorkerProgram *program,
                   Error *err);

// What makes the result what it is of what was handed in and of what compiles it (worker_digest). False
// where no compiler gets to see it: there is nothing, or nothing that may be compiled.
bool judging_digest(const Workspace *workspace, int number, char digest[WORKER_DIGEST_MAX]);

// Says what there is to say of exercise `number` before anything is compiled: it is not begun, or is no
// file with text. False where it is to be judged.
bool judging_is_idle(Judging *judging, const Workspace *workspace, int number);

// Makes a folder for files that are soon gone again, for temporary_drop. False with a sentence.
bool judging_folder(Temporary *folder, Error *err);

// --- a finished check as JSON
//
// A check that is read back gives the same report as a fresh one.

// Takes `folder` out of a text, in which a compiler's words have it as worker_words_printable makes it:
// where somebody's work lies is nobody's business.
void judging_without(char *text, const char *folder);

// The caller's to free; NULL: no memory. Paths below `folder`, which ends in a slash, begin below it:
// where it lay does not matter. What this machine could not judge says so, to be tried again.
json_t *judging_keep(const Judging *judging, const Exercise *exercise, const char *folder);

// Fills a zeroed Judging, for judging_finish. False where this is none.
bool judging_take(Judging *judging, const json_t *kept);

#endif
