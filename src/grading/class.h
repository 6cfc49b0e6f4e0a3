// What a class handed in, how the course counts it, and what was judged already.
#ifndef CLASS_H
#define CLASS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "arena.h"
#include "error.h"
#include "exercise_list.h"
#include "exercise_words.h"
#include "place.h"
#include "workspace.h"

// --- submissions
//
// What a class has handed in, found in a folder: folders with workspaces at any depth, archives, and
// single files as learning platforms name them ("kim_12345_attention.zip", "kim_12345_678_scale.c").
// Everything is read as a stranger's: no link is followed, names are shown so that they steer nothing.
//
// What is in each is found later, by whoever judges it: submission_look, in a process beside the others'
// where there is one, as an archive may take its time.
//
// Life cycle: a zeroed SubmissionList; submissions_open; submission_look of each that counts;
// submissions_close, which takes away what was unpacked.

// What is told about a submission besides its results: a word with a %s for `what`.
typedef struct SubmissionNote {
    ExerciseWord word;
    const char *what; // as it can be shown
    int exercise;     // whose file was handed in and could not be taken; -1: of none
    bool is_result;   // told as that exercise's result
    struct SubmissionNote *next;
} SubmissionNote;

typedef struct Submission {
    const char *source; // the folder or archive that was handed in
    bool is_packed;     // an archive
    bool is_looked_at;  // path, refusal and notes are known
    const char *path;   // of the folder that its exercises lie in, or lie in `exercises` of, or
    WorkspaceFolders folders; // in these below it; no names: in one
    const char *name;         // as it can be shown
    const char *person;       // the same for all versions that one person handed in
    long long when;           // it was handed in, in seconds since 1970, as far as its file tells
    ExerciseWord refusal;     // why nothing in it is judged; EXERCISE_SAYS_COUNT: it is
    bool holds_nothing;       // no file in it is any exercise's
    bool is_other;            // another one of the same person counts: at first, the newest
    SubmissionNote *notes;
    pid_t process; // that judges it; 0: none
    bool is_lost;  // that process was ended before it was done
} Submission;

typedef struct SubmissionList {
    Submission *all; // sorted by name
    int count;
    SubmissionNote *notes; // about what belongs to no submission
    const ExerciseList *exercises;
    int example;        // the exercise that is named where none was found
    Temporary unpacked; // a folder
    int unpacked_count;
    bool is_beside; // this is the list of a process beside, whose folder is another's
    Arena arena;
} SubmissionList;

// Finds them in `folder`, which may be an archive too. False with a sentence where there is none.
bool submissions_open(SubmissionList *list, const char *folder, const ExerciseList *exercises,
                      Error *err);
void submissions_close(SubmissionList *list);

// Finds where in a submission the exercises lie, unpacks archives on the way, and fills path, refusal and
// notes; once. False with a sentence when this machine cannot.
bool submission_look(SubmissionList *list, Submission *submission, Error *err);

// From one process to another (submission.c): the first, before they are started; what a process
// beside has found, left in the folder of what is unpacked; and taken from there. Where nothing was left,
// submission_look finds it.
void submissions_hand_begin(SubmissionList *list);
void submission_hand(const SubmissionList *list, const Submission *submission);
void submission_take(SubmissionList *list, Submission *submission);

// Why nobody knows of an exercise that is not in it whether its owner has begun it: nothing was found at all,
// or its archive broke off. NULL: it is not begun.
const SubmissionNote *submission_why_missing(const Submission *submission);

// Notes with each that counts which others of the same person do not. False: no memory.
bool submissions_tell_others(SubmissionList *list, Error *err);

// --- parts (submission_look.c)

// A new empty folder among what is unpacked; NULL with a sentence.
const char *submission_room(SubmissionList *list, Error *err);

// The folder that an archive of a whole class was unpacked into; NULL with a sentence.
const char *submissions_unpack(SubmissionList *list, const char *archive, Error *err);

// Adds a note; `what` is shown_name's. The second is of an exercise's file that could not be taken.
bool submission_note(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                     const char *what, Error *err);
bool submission_note_of(SubmissionList *list, SubmissionNote **notes, ExerciseWord word,
                        const char *what, int exercise, Error *err);

// The exercise that a platform's file is named after: "kim_12_scale-1.c" is for scale. `before` is how many
// bytes are the person's: "kim_12". -1: none.
int submission_exercise(const ExerciseList *exercises, const char *file, size_t *before);

// --- course.yaml
//
// How a course counts what was handed in: course.yaml.
//
//   name: Attention, autumn
//   exercises:                     # left out: all of them, with their own points
//     - {name: score, points: 20}
//     - {name: dropout, extra: true}   # is added to the sum, and no part of what can be had
//   deadline: 2026-12-01 23:59     # by this machine's clock; +09:00 or Z behind it says another;
//                                  # ISO 8601 is read too: 2026-12-01T23:59:00Z
//   late: {days: 3, cost: 10}      # percent of the points for each day begun; later nothing counts
//   versions: best                 # of one person; or last, as it is where nothing is said
//   seeds: a secret                # other numbers for each person
//   hint_cost: 5                   # percent of an exercise's points for each of its hints that was
//                                  # shown, as the learner's own hints.txt tells (hint_file.h)
//   fence: whole                   # nothing is judged where a part of the fence is missing
//
// Life cycle: course_file_open or course_file_read; course_file_close.

typedef struct CourseFileExercise {
    bool is_asked, is_extra;
    double points; // that all of it is worth
} CourseFileExercise;

typedef struct CourseFile {
    const char *name; // "" where it has none
    CourseFileExercise exercises[EXERCISES_MAX];
    bool is_given; // by a file
    bool has_deadline, takes_best, needs_fence;
    long long deadline; // seconds since 1970
    int late_days;
    double late_cost;  // percent a day
    double hint_cost;  // percent a hint
    const char *seeds; // NULL: the same numbers for everybody
    Arena arena;
} CourseFile;

// Where no file says anything.
void course_file_open(CourseFile *course, const ExerciseList *list);

// False with file:line:column and what is wrong there.
bool course_file_read(CourseFile *course, const char *path, const ExerciseList *list, Error *err);
void course_file_close(CourseFile *course);

// The seed of a person's numbers.
long long course_file_seed(const CourseFile *course, const char *person, long long seed);

// How many days after the deadline it came, those that are begun included; 0: in time.
long long course_file_days_late(const CourseFile *course, long long when);

// The same with parts of days.
double course_file_real_days_late(const CourseFile *course, long long when);

// Which part of its points counts, from 0 to 1, so many days late.
double course_file_part(const CourseFile *course, long long days_late);

// And after so many hints.
double course_file_hint_part(const CourseFile *course, int hints);

// --- budgets
//
// What a submission may take in all, so that whatever it does, it ends: processor time of compiling, and
// of the starts and calls of its functions, with the time in which these only wait. Each exercise gets a
// share. Where one uses much of it, the next ones get half as much; none gets more than is left.
//
// Life cycle: budget_open, then for each exercise budget_share and, after it, budget_spend.

enum { BUDGET_SECONDS = 60, BUDGET_MEGABYTES = 512 }; // the latter of each of its functions

// An exercise is compiled twice, and both programs are called.
enum { BUDGET_PROGRAMS = 2 };

typedef struct Budget {
    long spent;          // milliseconds, of all exercises so far
    int compile_seconds; // the next exercise's, for each of its programs
    int patience;        // milliseconds of starts and calls, for each as well
} Budget;

Budget budget_open(void);

// Makes the share of the next exercise fit what is left. False when that would not do for an honest one.
bool budget_share(Budget *budget);

// Notes what an exercise has taken, in milliseconds, of both programs together.
void budget_spend(Budget *budget, long compiled, long ran);

// --- the journal
//
// What has been judged already: a file with a line for each judged exercise, which is only ever added
// to. A line is JSON: {"key": K, "what": {...}}; the key is a digest of everything that the result
// depends on, so a result whose files have changed is not found any more.
//
// Several processes add lines at once. One that is killed leaves whole lines, and at most one that is
// not: it is passed over. A later line of the same key holds.
//
// Life cycle: journal_open or journal_open_unnamed; journal_find, journal_add, journal_refresh; journal_close. After a fork
// both processes may go on.

typedef struct Journal {
    int file;      // -1: there is none
    size_t read;   // bytes of it that are known
    json_t *known; // what, by its key
} Journal;

// Where the journal of a folder of submissions lies when nobody names another: among what is kept
// between runs, not in the folder, in which others put files. False with a sentence.
enum { JOURNAL_PATH_MAX = 4096 };
bool journal_place(const char *folder, char path[JOURNAL_PATH_MAX], Error *err);

// Makes or reads it. What says {"again": true} is not taken from earlier runs. False with a sentence,
// and a journal that is empty and keeps nothing; a file that holds anything else stays as it is.
bool journal_open(Journal *journal, const char *path, Error *err);

// One that no name leads to: it is gone with the last process that has it. False with a sentence, likewise.
bool journal_open_unnamed(Journal *journal, Error *err);

// What lies under a key; NULL: nothing. It lives until the next refresh.
const json_t *journal_find(const Journal *journal, const char *key);

// Adds a line, in one piece. False with a sentence.
bool journal_add(const Journal *journal, const char *key, json_t *what, Error *err);

// Reads what others have added since.
bool journal_refresh(Journal *journal, Error *err);

void journal_close(Journal *journal);

// --- how alike two programs are
//
// How alike two texts of C are: the hashes of short runs of tokens, of which winnowing keeps a few
// (Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", 2003). Names,
// numbers, comments and layout do not count, so renaming changes nothing.

typedef struct SimilarText {
    uint64_t *prints; // sorted, each once
    int count;
} SimilarText;

// Runs of this many tokens, and of so many in a row the smallest is kept: what two texts share of
// SIMILAR_RUN + SIMILAR_WINDOW - 1 tokens is found.
enum { SIMILAR_RUN = 9, SIMILAR_WINDOW = 4 };

// The fingerprints of a text; in the arena. False with a sentence: no memory.
bool similar_read(SimilarText *text, const char *source, Arena *arena, Error *err);

// Takes out what stands in `known` too: what everybody was given.
void similar_take_out(SimilarText *text, const SimilarText *known);

// The part of the smaller one's fingerprints that both have, from 0 to 1; 0 where one has none.
double similar_share(const SimilarText *one, const SimilarText *other);

#endif
