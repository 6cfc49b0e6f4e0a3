// Shared by the files of grading.
#ifndef GRADING_INTERNAL_H
#define GRADING_INTERNAL_H

#include <sys/types.h>
#include "class.h"
#include "grading.h"
#include "words.h"

// --- words

#include "grading_words.def"

// --- grading_work.c
//
// Each submission is judged in its own process, which appends results to the journal. If it dies, its results so
// far are kept and the others continue.

// Sets the common part of all journal keys: the judging programs and the sandbox.
void grading_work_open(Grading *grading);

// Judges what is not in the journal, in grading->jobs processes, and marks submissions whose process died. Does
// nothing without a journal or processes.
void grading_work(Grading *grading, SubmissionList *list);

// The results of the open submission, indexed by exercise: from the journal, or else judged now. Valid until the
// next call.
Judging *grading_judge(Grading *grading, const Submission *submission);

// --- unpack.c

// Starts a program with its standard output (and errors) as `heard`. Returns 0 or an errno.
int grading_spawn(char *const words[], bool with_errors, pid_t *process, FILE **heard);

// --- class_pairs.c

// A learner's text for an exercise.
typedef struct ClassText {
    const char *name, *source;
    const char *wrong; // its wrong numbers; NULL: none, or a named mistake
    int exercise;
    SimilarText prints;
    int people;             // how many have this exact text
    struct ClassText *same; // the next of them; NULL: the last
    bool is_again;          // another entry represents it
} ClassText;

// Two texts, each maybe of several people; equal if it is about people with the same text.
typedef struct ClassPair {
    const ClassText *one, *other;
    double share;
    bool same_numbers;
} ClassPair;

enum { CLASS_PAIRS_MAX = 40 };

typedef struct ClassPairs {
    ClassText *texts;
    int count, room;
    ClassPair pairs[CLASS_PAIRS_MAX]; // most similar first
    int pair_count;
    bool is_known[EXERCISES_MAX];
    SimilarText stub[EXERCISES_MAX], solution[EXERCISES_MAX];
    Arena arena;
} ClassPairs;

extern const GradingFormat class_pairs_format;

// --- results as tests with points, for platforms and test formats

typedef enum GradingCaseEnd {
    GRADING_PASSED,
    GRADING_FAILED,    // wrong numbers
    GRADING_BROKEN,    // no answer, or not compiled
    GRADING_NOT_BEGUN, // nothing to judge
    GRADING_UNJUDGED,  // the machine failed
} GradingCaseEnd;

typedef struct GradingCase {
    const char *exercise; // "softmax"
    const char *title;    // "rows sum to 1"
    const char *line;     // "softmax: rows sum to 1, with other numbers"
    bool hidden;          // uses numbers that the learner does not see
    GradingCaseEnd end;
    double score, max;
    const char *words; // why it failed, for the learner; "" if it passed
    const char *file;  // below the submission: "exercises/softmax.c"
} GradingCase;

enum { GRADING_CASES_MAX = VERDICT_TESTS_MAX + 1 };

// The cases of an exercise, with points that add up to grading->mark; returns the count. Texts live in the arena. If
// nothing could be tested, one case stands for the exercise. Without memory the results count as incomplete.
int grading_cases(Grading *grading, const Judging *judging, int number,
                  GradingCase cases[GRADING_CASES_MAX], Arena *arena);

// --- formats that write JSON (grading_tests.c)

// Starts grading->list, an array of tests, and grading->entry, an object, with remarks to come.
void grading_object_begin(Grading *grading);

// Adds the format's form of an exercise's cases to the list. Counts failed cases in grading->tests_failed and unjudged
// ones in tests_unjudged; ignores extra exercises that were not begun.
void grading_add(Grading *grading, const Judging *judging, int number);

// Ends them: prints the object if the results are complete, and frees all.
void grading_object_end(Grading *grading, json_t *object, size_t flags);

// --- CSV formats

// Writes a quoted field. A text that a spreadsheet would take for a formula gets an apostrophe in front.
void grading_field(FILE *out, const char *text);

// Splits a submission's name as learning platforms make it: "Kim Anna_12345_attention" is Kim Anna, 12345. `id` is ""
// if there is none.
void grading_person(const char *name, char *who, char *id, size_t room);

#endif
