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
#ifndef COURSE_FILE_H
#define COURSE_FILE_H

#include <stdbool.h>
#include "exercise_list.h"

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

#endif
