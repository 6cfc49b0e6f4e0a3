// Grades a folder of submissions and writes the results in a format.
//
// Life cycle: set the first fields of a zeroed Grading; grading_run, which also cleans up.
#ifndef GRADING_H
#define GRADING_H

#include <stdio.h>
#include "class.h"
#include "error.h"
#include "exercise.h"
#include "workspace.h"
#include "judging.h"

typedef struct Grading Grading;
typedef struct SubmissionNote SubmissionNote;
typedef struct GradingCase GradingCase; // grading_internal.h
typedef struct ClassReport ClassReport; // class_report.c
typedef struct ClassPairs ClassPairs;   // grading_internal.h

// A remark about a submission: a word, with a text for each %s.
typedef struct GradingNote {
    ExerciseWord word;
    const char *what, *more[3]; // NULL if the word has fewer
} GradingNote;

// An output format: its functions in calling order, NULL if not needed. `number` is an exercise of the workspace.
typedef struct GradingFormat {
    const char *name; // "junit"
    bool is_for_one;  // one submission at a time, for a platform that grades each by itself
    bool tells_fence; // reports missing parts of the sandbox; for others standard error does
    bool
        has_all_notes; // writes every remark; others, for people, only the first of a kind and a count
    void (*begin)(Grading *grading);
    void (*submission)(Grading *grading);
    json_t *(*form)(const GradingCase *one); // a test of grading->list
    void (*exercise)(Grading *grading, const Judging *judging, int number);
    void (*note)(Grading *grading, const GradingNote *note); // of the submission
    void (*submission_end)(Grading *grading);
    void (*end)(Grading *grading);
} GradingFormat;

// Points given and possible.
typedef struct GradingMark {
    double score, max;
} GradingMark;

enum { GRADING_NAME_COLUMNS = 48 }; // in tables; longer names are shortened

struct Grading {
    const char *folder; // contains a folder for each submission
    const char *only;   // only this exercise; NULL: all
    long long seed;
    const GradingFormat *format;
    bool needs_fence;         // refuse to run with an incomplete sandbox
    int jobs;                 // parallel processes
    const char *course_path;  // NULL: course.yaml in the folder, if there is one
    const char *journal_path; // "none": no journal; NULL: the default
    const char *report_path;  // HTML report on the class; NULL: none
    bool report_has_names;
    const char *pairs_path; // HTML page of similar submissions; NULL: none
    FILE *out;

    ClassReport *report;
    ClassPairs *pairs;
    const ExerciseList *lessons; // stays open
    Journal journal;
    bool journal_failed; // a line could not be added; see the error
    Error journal_why;
    char machine[DIGEST_TEXT_MAX]; // the part common to all journal keys
    Budget budget;                 // of the submission
    CourseFile course;
    WorkerFence fence;   // of the judged code
    const char *name;    // of the current submission: its folder's
    Workspace workspace; // the current submission
    int name_width;      // of the longest name, at most GRADING_NAME_COLUMNS
    int first, end;      // range of exercises: [first, end)
    int points, max;     // of the submission, as far as judged
    GradingMark mark;    // of the exercise, by the course's rules
    GradingMark sum;     // of the submission
    Judging *judged;     // results of the current submission, one per exercise up to `end`
    long long days_late; // counting started days
    double real_days_late;
    HintFile hints;        // hints used, if they cost points
    long long person_seed; // seed of this person's inputs
    int not_judged;        // exercises that the machine could not judge
    int all_not_judged;    // the same, over all submissions
    Error nowhere;         // why no exercises were found; "": they were
    int all_nowhere;       // submissions without exercises
    bool is_whole;         // no result was lost for lack of memory

    int tests_failed, tests_unjudged; // for formats with a form: as grading_add counts them
    int tested;                       // for formats: tests or exercises so far
    Written notes;                    // for formats: text for the end; discarded without memory
    json_t *list, *entry;             // for formats: all submissions, and the current one
};

// Finds a format by name; NULL names the default. Reports an unknown one and returns NULL.
const GradingFormat *grading_format(const char *name);

// Checks all submissions and writes the results, sorted by name. Exercises that the machine could not judge are
// retried after the submission's others. Returns false and sets err if there are no submissions, a required
// sandbox is incomplete, the lessons are unreadable, or writing fails.
bool grading_run(Grading *grading, Error *err);

// Writes the requested pages atomically; `tell` passes all results to the current format. Returns false and sets
// err on failure.
typedef bool GradingReport(Grading *grading, void *list, Error *err);
bool grading_pages(Grading *grading, GradingReport *report_class, void *list, Error *err);

// Reports files outside of all submissions on standard error.
void grading_report_odd(const SubmissionNote *notes);

// Passes a submission's remarks to the format, grouped by kind: one of them; one of which there were `before`
// others; how many more there were.
void grading_report_notes(Grading *grading, const SubmissionNote *notes);
void grading_report_note(Grading *grading, ExerciseWord word, const char *what);
void grading_report_note_of(Grading *grading, ExerciseWord word, const char *what, int before);
void grading_report_more(Grading *grading, int count);

// Returns the text, or "" for NULL: then there was no memory, and the results count as incomplete.
const char *grading_kept(Grading *grading, const char *text);

// Collects text in grading->notes to write later: starts a remark of the submission; returns all of it; frees it.
// Without memory the results count as incomplete.
void grading_notes_begin(Grading *grading);
void grading_note(Grading *grading, const GradingNote *note);
const char *grading_notes_end(Grading *grading);
void grading_notes_drop(Grading *grading);

// True if the course, and the command line, ask for exercise `number`.
bool grading_asks(const Grading *grading, int number);

// Why an exercise failed, in one line: the known mistake, how it ended, the compiler's first error, or the test.
// "" if it passed or was not begun. In the arena; without memory the results count as incomplete.
const char *grading_why(Grading *grading, const Judging *judging, Arena *arena);

// The first wrong number of a test, in one line: its value and the expected one, or that it was never written. In
// the arena; NULL without memory.
const char *grading_number(const VerdictTest *test, Arena *arena);

// --- platforms
//
// The files a platform needs to grade with attnscope: scripts, a container file, a course file. A platform is a
// row of grading_platforms.def and a folder of lessons/platforms with a files.txt: "MODE NAME [SOURCE]" per line.

// Writes a platform's files below `folder`, never overwriting one. Returns false and sets err on failure.
bool grading_init(const char *platform, const char *folder, Error *err);

#endif
