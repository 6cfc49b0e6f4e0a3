// Checks a learner's exercise: compiles it with their compiler, runs attnscope-judge, and reports.
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

typedef enum JudgingEnd {
    JUDGING_UNTOUCHED,    // still the stub, or no file
    JUDGING_NOT_COMPILED, // compiler error; see `why`
    JUDGING_NOT_JUDGED,   // this machine failed; see `why`. Points do not change
    JUDGING_DONE,         // see `verdict`
} JudgingEnd;

typedef struct Judging {
    JudgingEnd end;
    Error why
        [LANGUAGES]; // of what is not a judgement; where the machine failed, that alone in the language
                     // of this process. Asked with judging_why
    bool is_nowhere; // JUDGING_NOT_JUDGED as what was handed in holds no file that it could be: no
                     // fault of this machine
    bool is_closed;  // the file is unreadable
    WorkspaceFile file; // what was checked
    bool is_begun;      // the rest is not all 0

    WorkerProgram plain, guarded; // guarded: with sanitizers, where the compiler has them
    Verdict verdict;
    Error not_noted; // why the progress was not updated; "": it was
    Error
        not_chained; // why this machine left out functions of the learner's before it; "": it did not
} Judging;

// Checks exercise `number` with inputs drawn from `seed` and records the result. Exercises that passed before
// run as earlier stages where the test chains the learner's functions. Saves the first failing call in
// `case_path` (worker_save_call); NULL: nowhere.
void judging_run(Judging *judging, const Workspace *workspace, int number, long long seed,
                 const char *case_path);

bool judging_passed(const Judging *judging);

// Why it was not judged or not compiled.
const char *judging_why(const Judging *judging);

// Prints the compiler's messages, a plain explanation of them, and the verdict.
void judging_print(const Judging *judging, const Workspace *workspace, int number, FILE *out);

// Where another formula makes the numbers, prints its step; at level 2 how it differs, from 3 on the place, too.
void judging_print_edits(const Judging *judging, int level, FILE *out);

// The same as JSON, for the caller to free. NULL: no memory.
json_t *judging_json(const Judging *judging, const Exercise *exercise);

void judging_finish(Judging *judging);

// --- parts that others need

// Default limit for the functions of one exercise, in milliseconds.
enum { JUDGING_TIME_LIMIT = 2500 };

// How to compile: for checking, with sanitizers, for a debugger.
typedef enum JudgingBuild { JUDGING_PLAIN, JUDGING_GUARDED, JUDGING_DEBUGGED } JudgingBuild;

// Compiles exercise `number`. Returns false and sets err.
bool judging_build(const Workspace *workspace, int number, JudgingBuild how, WorkerProgram *program,
                   Error *err);

// Digest of everything the result depends on: the submission and the compiler (worker_digest). Returns false
// if nothing would be compiled.
bool judging_digest(const Workspace *workspace, int number, char digest[WORKER_DIGEST_MAX]);

// Sets the result of exercise `number` if it needs no compiler: not begun, or not a text file. Returns false
// if it must be judged.
bool judging_is_idle(Judging *judging, const Workspace *workspace, int number);

// Creates a temporary folder, for temporary_drop. Returns false and sets err.
bool judging_folder(Temporary *folder, Error *err);

// --- a finished check as JSON
//
// A stored check gives the same report as a fresh one.

// Says why in both languages; `what` fills the sentence.
void judging_say(Judging *judging, ExerciseWord word, const char *what);

// Removes the path `folder` from compiler output (as cleaned by worker_words_printable), for privacy.
void judging_without(char *text, const char *folder);

// Returns the check as JSON, for the caller to free; NULL: no memory. Paths are relative to `folder`, which
// ends in a slash. Checks that this machine failed to make are marked, to be repeated.
json_t *judging_keep(const Judging *judging, const Exercise *exercise, const char *folder);

// Fills a zeroed Judging, for judging_finish. Returns false if `kept` is not a check.
bool judging_take(Judging *judging, const json_t *kept);

// --- in the background
//
// A check in a child process: the caller stays responsive and can cancel it.
//
// Life cycle: zeroed; judging_beside_begin; wait for `output`; judging_beside_receive until it is true;
// judging_beside_end, at any time.

typedef enum JudgingNews {
    JUDGING_NEWS_NOTHING_WRITTEN,
    JUDGING_NEWS_SETTLED, // failed, or could not be judged
    JUDGING_NEWS_PASSED
} JudgingNews;

typedef struct JudgingBeside {
    pid_t process; // 0: none
    int output;    // descriptor to poll
    Written
        said; // at the end: a letter for the news, the output of judging_print, a NUL, and that of
              // judging_print_edits for each level with a NUL behind it
    Error unheard; // why that could not be stored
} JudgingBeside;

// Starts a check of exercise `number` and cancels a running one. Returns false and sets err.
bool judging_beside_begin(JudgingBeside *beside, const Workspace *workspace, int number,
                          long long seed, Error *err);

// Reads available output. Returns true at the end of the check, with the news and its text, valid until the
// next call here. Without memory, the text is an error message; NULL if the process died silently.
bool judging_beside_receive(JudgingBeside *beside, JudgingNews *news, const char **text);

// What judging_print_edits has printed in the check that was heard last; "" during another one.
const char *judging_beside_edits(const JudgingBeside *beside, int level);

// Cancels a running check and cleans up.
void judging_beside_end(JudgingBeside *beside);

// --- what a source shows
//
// Finds wrong parameter lists. The compiler cannot: the call is in another file, which does not see the
// definition.

// --- arguments

// Compares the parameters in `source` with those in `stub`. Returns true, with a sentence in each language,
// if their types or order differ; false if they match, or if the text is unclear (macros, own types).
bool judging_arguments(const char *source, const char *stub, const char *exercise,
                       Error messages[LANGUAGES]);

// The same for the learner's file of exercise `number`.
bool judging_arguments_of(const Workspace *workspace, int number, Error messages[LANGUAGES]);

// --- variables that outlive a call

enum { JUDGING_KEPT_MAX = 160 };

// Finds the first static or global variable in `source`: "5: static float root". Returns false if there is
// none, or if the text is unclear (macros).
bool judging_kept(const char *source, char kept[JUDGING_KEPT_MAX]);

// The same for the learner's file of exercise `number`: "scale.c:5: static float root".
bool judging_kept_of(const Workspace *workspace, int number, char kept[JUDGING_KEPT_MAX]);

#endif
