// Many submissions checked, one after the other: whoever teaches has a folder with a folder in it for
// each learner. What was found goes to a format, exercise by exercise.
//
// Life cycle: fill the first fields of a zeroed Grading; grading_run, which ends what it began.
#ifndef GRADING_H
#define GRADING_H

#include <stdio.h>
#include "class.h"
#include "error.h"
#include "exercise.h"
#include "workspace.h"
#include "judging.h"
#include "written.h"

typedef struct Grading Grading;
typedef struct SubmissionNote SubmissionNote;
typedef struct ClassReport ClassReport; // class_report.c
typedef struct ClassPairs ClassPairs;   // grading_internal.h

// What is told of a submission besides its results: a word, with texts for each %s in it.
typedef struct GradingNote {
    ExerciseWord word;
    const char *what, *more[3]; // NULL: the word has fewer
} GradingNote;

// A form of the results, in the order of the calls. `number` is an exercise of the workspace. What a form
// has no use for is NULL.
typedef struct GradingFormat {
    const char *name; // "junit"
    bool is_for_one;  // submission: what a platform asks for that grades each by itself
    bool tells_fence; // has a place for what the fence lacks; for others standard error tells it
    bool
        has_all_notes; // not only the first of a kind, and how many more there are: a table is to be read
    void (*begin)(Grading *grading);
    void (*submission)(Grading *grading);
    void (*exercise)(Grading *grading, const Judging *judging, int number);
    void (*note)(Grading *grading, const GradingNote *note); // of the submission
    void (*submission_end)(Grading *grading);
    void (*end)(Grading *grading);
} GradingFormat;

// What the course gives, and what it could give.
typedef struct GradingMark {
    double score, max;
} GradingMark;

enum { GRADING_NAME_COLUMNS = 48 }; // of a table; longer names are shortened there

struct Grading {
    const char *folder; // with a folder in it for each submission
    const char *only;   // the name of an exercise; NULL: all
    long long seed;
    Language language;
    const GradingFormat *format;
    bool needs_fence;         // nothing is run where a part of the fence is missing
    int jobs;                 // submissions that are judged at a time
    const char *course_path;  // NULL: course.yaml in the folder, where there is one
    const char *journal_path; // "none": nothing is kept; NULL: the usual place
    const char *report_path;  // a page about the class is written there too; NULL: none
    bool report_has_names;
    const char *pairs_path; // one about who is alike
    FILE *out;

    ClassReport *report;
    ClassPairs *pairs;
    const ExerciseList *lessons; // open all the time
    Journal journal;
    bool journal_failed; // a line could not be added, as this says
    Error journal_why;
    char machine[DIGEST_TEXT_MAX]; // what all keys of the journal have in common
    Budget budget;                 // of the submission
    CourseFile course;
    WorkerFence fence;   // that holds what is checked
    const char *name;    // of the submission that is checked: its folder's
    Workspace workspace; // the same, opened
    int name_width;      // columns of the widest name, GRADING_NAME_COLUMNS at most
    int first, end;      // the exercises that are asked for: from, and up to before
    int points, max;     // of the submission, as far as it could be judged
    GradingMark mark;    // of the exercise, as the course counts it
    GradingMark sum;     // and of the submission
    Judging *judged; // of the submission that was judged last: one for each exercise, up to `end`
    long long days_late; // those that are begun
    double real_days_late;
    HintFile hints;        // that were shown, where they cost something
    long long person_seed; // of the numbers that this person's functions are asked with
    int not_judged;        // how many of its exercises this machine could not
    int all_not_judged;    // and of all submissions
    Error nowhere;         // why the submission's exercises were not found; "": they were
    int all_nowhere;       // submissions with such exercises
    bool is_whole;         // nothing of the results was lost for want of memory

    int tests_failed, tests_unjudged; // of the format: grading_count
    int tested;                       // of the format: how many tests, or exercises, so far
    Written notes;        // of the format: what it says at the end; goes nowhere without memory
    json_t *list, *entry; // of the format: all submissions, and the one that is checked
};

// The format of this name, the usual one for NULL; NULL after nothing was found.
const GradingFormat *grading_format(const char *name);

// Checks all submissions and writes the results, in the order of their names. What this machine could
// not judge is tried once more when the submission's other exercises are done. False with a sentence
// where there is none, where a fence is needed and is not whole, where the lessons cannot be read or the results cannot be written.
bool grading_run(Grading *grading, Error *err);

// Writes the pages that are asked for, whole or not at all; `tell` has all results told to the format of
// that moment. False with a sentence.
typedef bool GradingTell(Grading *grading, void *list, Error *err);
bool grading_pages(Grading *grading, GradingTell *tell, void *list, Error *err);

// Tells on the error output what belongs to no submission, for whoever put it there.
void grading_tell_odd(const Grading *grading, const SubmissionNote *notes);

// Tells the format of the notes of a submission, kind by kind. One of them; one of a kind of which so many
// came before; and how many more of a kind there were.
void grading_tell_notes(Grading *grading, const SubmissionNote *notes);
void grading_tell_note(Grading *grading, ExerciseWord word, const char *what);
void grading_tell_note_of(Grading *grading, ExerciseWord word, const char *what, int before);
void grading_tell_more(Grading *grading, int count);

// What a format gathers in grading->notes, to say it later: a note of its submission; all of it, until it
// is dropped. Without memory for it the grading is not whole.
void grading_notes_begin(Grading *grading);
void grading_note(Grading *grading, const GradingNote *note);
const char *grading_notes_end(Grading *grading);
void grading_notes_drop(Grading *grading);

// Whether exercise `number` is asked for: by the course, and by name where one is named.
bool grading_asks(const Grading *grading, int number);

// Why an exercise has not passed, in one line: the known mistake, what ended it, the compiler's first
// error, or what was asked. "" for one that passed or is not begun; in the arena. Without memory for it
// the results are not whole.
const char *grading_why(Grading *grading, const Judging *judging, Arena *arena);

// The first number of a test that is wrong, in one line: what it is and what it should be, or that it was
// never set. In the arena; NULL: no memory for it.
const char *grading_number(const Grading *grading, const VerdictTest *test, Arena *arena);

// --- folders for platforms
//
// What a platform needs to grade with attnscope, as a folder: scripts, a container file, a course file.
// Each platform is a row of grading_platforms.def and a folder of lessons/platforms; its files.txt lists them, "MODE NAME [SOURCE]" a line.

// Writes the files of a platform below `folder`, which may be there; no file is written over. False with
// a sentence.
bool grading_init(const char *platform, const char *folder, Error *err);

#endif
