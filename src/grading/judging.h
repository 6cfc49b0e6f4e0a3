// A learner's exercise checked: compiled with their compiler, judged by attnscope-judge in a process
// of its own, and told.
//
// Life cycle: a zeroed Judging; judging_run; judging_print, judging_json; judging_finish.
#ifndef JUDGING_H
#define JUDGING_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>
#include "error.h"
#include "place.h"
#include "verdict.h"
#include "words.h"
#include "worker.h"
#include "workspace.h"
#include "written.h"

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

// --- beside this process
//
// A check in a process beside this one: keys are heard meanwhile, and it can be called off.
//
// Life cycle: zeroed; judging_beside_begin; wait for `output`; judging_beside_hear until it is true;
// judging_beside_end, at any time.

typedef enum JudgingNews {
    JUDGING_NEWS_NOTHING_WRITTEN,
    JUDGING_NEWS_TOLD, // what has not passed, or why this machine could not judge it
    JUDGING_NEWS_PASSED
} JudgingNews;

typedef struct JudgingBeside {
    pid_t process; // 0: none runs
    int output;    // to wait for, while one runs
    Written said;  // once it has ended: a letter for the news, then what judging_print prints
    Error unheard; // why that could not be kept
} JudgingBeside;

// Begins to check exercise `number`; one that runs is called off. False with a sentence.
bool judging_beside_begin(JudgingBeside *beside, const Workspace *workspace, int number,
                          long long seed, Error *err);

// Takes what has come. True once the check has ended: what is to be told, and its text, which stays
// until the next call of any other function: where there was no memory for it, the sentence that says
// so; NULL where the process ended without a word.
bool judging_beside_hear(JudgingBeside *beside, JudgingNews *news, const char **text);

// Calls off what runs, and leaves nothing of it behind.
void judging_beside_end(JudgingBeside *beside);

// --- what a source shows
//
// Whether a learner's function has other arguments than it is called with. No compiler tells: the call lies
// in another file, which sees no definition.

// --- arguments

// Compares the function in `source` with the one in `stub`. True with a sentence in each language where its
// arguments are of other kinds or stand in another order; false where they fit, or where its text does not
// tell (macros, types of the learner's own).
bool judging_arguments(const char *source, const char *stub, const char *exercise,
                       Error told[LANGUAGES]);

// The same for what a learner has written as exercise `number`.
bool judging_arguments_of(const Workspace *workspace, int number, Error told[LANGUAGES]);

// --- variables that outlive a call

enum { JUDGING_KEPT_MAX = 160 };

// The first variable in `source` that outlives a call and can change: "5: static float root". False where
// there is none, or the text does not tell (macros).
bool judging_kept(const char *source, char kept[JUDGING_KEPT_MAX]);

// The same of what a learner has written as exercise `number`: "scale.c:5: static float root".
bool judging_kept_of(const Workspace *workspace, int number, char kept[JUDGING_KEPT_MAX]);

#endif
