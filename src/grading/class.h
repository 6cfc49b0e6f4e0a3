// The submissions of a class, the rules of the course, and results so far.
#ifndef CLASS_H
#define CLASS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "arena.h"
#include "error.h"
#include "exercise.h"
#include "place.h"
#include "workspace.h"

// --- submissions
//
// Found in a folder: workspaces at any depth, archives, and single files as learning platforms name them
// ("kim_12345_attention.zip", "kim_12345_678_scale.c"). Nothing in them is trusted: links are not followed,
// and control characters in names are escaped.
//
// submission_look finds what is in each. It runs in the process that judges the submission, because
// unpacking an archive can be slow.
//
// Life cycle: a zeroed SubmissionList; submissions_open; submission_look of each that counts;
// submissions_close, which removes unpacked files.

// A remark about a submission: a word with a %s for `what`.
typedef struct SubmissionNote {
    ExerciseWord word;
    const char *what; // escaped
    int exercise;     // whose file could not be used; -1: none
    bool is_result;   // shown as the exercise's result
    struct SubmissionNote *next;
} SubmissionNote;

typedef struct Submission {
    const char *source; // the submitted folder or archive
    bool is_packed;     // an archive
    bool is_looked_at;  // path, refusal and notes are set
    const char *path;   // the folder with the exercises, or with a subfolder `exercises`, or with
    WorkspaceFolders folders; // these subfolders; no names: one folder
    const char *name;         // escaped
    const char *person;       // the same for all versions of one person
    long long when;           // submission time in seconds since 1970, from the file's time
    ExerciseWord refusal;     // why it is not judged; SAY_COUNT: it is
    bool holds_nothing;       // contains no exercise
    bool is_other;            // another version of this person counts; initially the newest does
    SubmissionNote *notes;
    pid_t process; // judging it; 0: none
    bool is_lost;  // that process ended early
} Submission;

typedef struct SubmissionList {
    Submission *all; // sorted by name
    int count;
    SubmissionNote *notes; // about files outside of all submissions
    const ExerciseList *exercises;
    int example;        // named as an example if no exercise was found
    Temporary unpacked; // a folder
    int unpacked_count;
    Arena arena;
} SubmissionList;

// Finds them in `folder`, which may also be an archive. Returns false and sets err if there are none.
bool submissions_open(SubmissionList *list, const char *folder, const ExerciseList *exercises,
                      Error *err);
void submissions_close(SubmissionList *list);

// Finds the exercises in a submission, unpacking archives, and sets path, refusal and notes. Does nothing the
// second time. Returns false and sets err if the machine fails.
bool submission_look(SubmissionList *list, Submission *submission, Error *err);

// Why a missing exercise may exist after all: nothing was found, or the archive is truncated. NULL: it was
// not begun.
const SubmissionNote *submission_why_missing(const Submission *submission);

// Adds a note to each counted submission that names the other versions. Returns false without memory.
bool submissions_note_others(SubmissionList *list, Error *err);

// --- course.yaml
//
// The rules of the course:
//
//   name: Attention, autumn
//   exercises:                     # default: all, with their own points
//     - {name: score, points: 20}
//     - {name: dropout, extra: true}   # extra credit
//   deadline: 2026-12-01 23:59     # local time; append +09:00 or Z for another;
//                                  # or ISO 8601: 2026-12-01T23:59:00Z
//   late: {days: 3, cost: 10}      # percent per started day; no points after that
//   versions: best                 # of one person; or last, the default
//   seeds: a secret                # other inputs for each person
//   hint_cost: 5                   # percent of an exercise's points per hint used, as recorded
//                                  # in the learner's hints.txt (workspace.h)
//   fence: whole                   # refuse to judge if part of the sandbox is missing
//
// Life cycle: course_file_open or course_file_read; course_file_close.

typedef struct CourseFileExercise {
    bool is_asked, is_extra;
    double points; // for a full pass
} CourseFileExercise;

typedef struct CourseFile {
    const char *name; // "": none
    CourseFileExercise exercises[EXERCISES_MAX];
    bool is_given; // read from a file
    bool has_deadline, takes_best, needs_fence;
    long long deadline; // seconds since 1970
    int late_days;
    double late_cost;  // percent per day
    double hint_cost;  // percent per hint
    const char *seeds; // NULL: everyone gets the same inputs
    Arena arena;
} CourseFile;

// The defaults.
void course_file_open(CourseFile *course, const ExerciseList *list);

// Returns false and sets err, with file:line:column.
bool course_file_read(CourseFile *course, const char *path, const ExerciseList *list, Error *err);
void course_file_close(CourseFile *course);

// The seed for a person's inputs.
long long course_file_seed(const CourseFile *course, const char *person, long long seed);

// Days late, counting started days; 0: in time.
long long course_file_days_late(const CourseFile *course, long long when);

// The same, fractional.
double course_file_real_days_late(const CourseFile *course, long long when);

// The share of the points that counts, from 0 to 1, after days late and after hints.
double course_file_part(const CourseFile *course, long long days_late);

double course_file_hint_part(const CourseFile *course, int hints);

// --- budgets
//
// Time limits of a submission: CPU time of compiling, and CPU and waiting time of running. Each exercise
// gets a share of what is left; after one that used much, the next get half as much.
//
// Life cycle: budget_open, then for each exercise budget_share and, after it, budget_spend.

enum { BUDGET_SECONDS = 60, BUDGET_MEGABYTES = 512 }; // memory limit per function

// Each exercise is compiled and run twice.
enum { BUDGET_PROGRAMS = 2 };

typedef struct Budget {
    long spent;          // milliseconds, all exercises so far
    int compile_seconds; // limit for each program of the next exercise
    int time_limit;      // its limit for running, in milliseconds
} Budget;

Budget budget_open(void);

// Computes the next exercise's share. Returns false if it is too small for an honest submission.
bool budget_share(Budget *budget);

// Records what both programs of an exercise used, in milliseconds.
void budget_spend(Budget *budget, long compiled, long ran);

// --- the journal
//
// Caches results in an append-only file, one line of JSON per judged exercise: {"key": K, "what": {...}}.
// The key is a digest of everything the result depends on, so changed files are judged again.
//
// Several processes append at once. A killed process leaves at most one partial line, which is skipped. The
// last line of a key counts.
//
// Life cycle: journal_open or journal_open_unnamed; journal_find, journal_add, journal_refresh; journal_close. After a fork
// both processes may use it.

typedef struct Journal {
    int file;      // -1: none
    size_t read;   // bytes read so far
    json_t *known; // results by key
} Journal;

// The default journal of a folder: in the cache, not in the folder, where others can write. Returns false and
// sets err.
enum { JOURNAL_PATH_MAX = 4096 };
bool journal_place(const char *folder, char path[JOURNAL_PATH_MAX], Error *err);

// Creates or reads it, skipping results of earlier runs marked {"again": true}. On failure returns false,
// sets err, and leaves a journal that stores nothing. Never touches a file that is not a journal.
bool journal_open(Journal *journal, const char *path, Error *err);

// Opens an unnamed journal, which disappears with the last process that has it. Fails the same way.
bool journal_open_unnamed(Journal *journal, Error *err);

// The result of a key, valid until the next refresh; NULL: none.
const json_t *journal_find(const Journal *journal, const char *key);

// Appends a line atomically. Returns false and sets err.
bool journal_add(const Journal *journal, const char *key, json_t *what, Error *err);

// Reads what other processes appended.
bool journal_refresh(Journal *journal, Error *err);

void journal_close(Journal *journal);

// --- similarity of programs
//
// Compares fingerprints of C sources: hashes of short runs of tokens, thinned out by winnowing (Schleimer,
// Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", 2003). Names, numbers,
// comments and layout do not count.

typedef struct SimilarText {
    uint64_t *prints; // sorted, each once
    int count;
} SimilarText;

// Length of a run in tokens; and of so many runs in a row the smallest hash is kept. Every common sequence of
// SIMILAR_RUN + SIMILAR_WINDOW - 1 tokens is found.
enum { SIMILAR_RUN = 9, SIMILAR_WINDOW = 4 };

// Computes the fingerprints, in the arena. Returns false and sets err without memory.
bool similar_read(SimilarText *text, const char *source, Arena *arena, Error *err);

// Removes fingerprints of `known`: code that everyone was given.
void similar_take_out(SimilarText *text, const SimilarText *known);

// Shared fingerprints as a part of the smaller set, 0 to 1; 0 if one is empty.
double similar_share(const SimilarText *one, const SimilarText *other);

#endif
