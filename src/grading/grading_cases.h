// An exercise's result as a list of tests with points: what all platforms that grade want to have, each in
// a form of its own.
#ifndef GRADING_CASES_H
#define GRADING_CASES_H

#include "grading.h"

typedef enum GradingCaseEnd {
    GRADING_PASSED,
    GRADING_FAILED,    // it answered, with other numbers
    GRADING_BROKEN,    // it did not answer, or was not compiled
    GRADING_NOT_BEGUN, // there is nothing to judge
    GRADING_UNJUDGED,  // this machine could not
} GradingCaseEnd;

typedef struct GradingCase {
    const char *exercise; // "softmax"
    const char *title;    // "rows sum to 1"
    const char *line;     // "softmax: rows sum to 1, with other numbers"
    bool hidden;          // with numbers that the learner does not see
    GradingCaseEnd end;
    double score, max;
    const char *words; // why it did not pass, for the learner; "" where it did
} GradingCase;

enum { GRADING_CASES_MAX = VERDICT_TESTS_MAX + 1 };

// The cases of an exercise, whose points add up to grading->mark; how many. Texts live in the arena.
// Where nothing could be tested it is one case, for the whole exercise. Without memory for a text the
// results are not whole.
int grading_cases(Grading *grading, const Judging *judging, int number,
                  GradingCase cases[GRADING_CASES_MAX], Arena *arena);

// Counts those that did not pass, in grading->tests_failed, and those that this machine could not judge, in
// tests_unjudged. What is extra and not begun is neither.
void grading_count(Grading *grading, const GradingCase cases[], int count);

// --- for forms that are one object of JSON for one submission: grading_cases.c

// Its own form of a case.
typedef json_t *GradingCaseForm(const GradingCase *found);

void grading_object_begin(Grading *grading);

// Adds the cases of an exercise to its list of tests.
void grading_object_add(Grading *grading, const Judging *judging, int number,
                        GradingCaseForm *form);

// Writes it, with what was noted under `key`.
void grading_object_end(Grading *grading, const char *key);

// --- for forms of comma separated values

// One field, in quotes. What a table would take for a formula begins with an apostrophe.
void grading_field(FILE *out, const char *text);

// Who a submission is from, by its name as a learning platform makes it: "Kim Anna_12345_attention" is
// from Kim Anna, 12345. `id` is "" where the name has none.
void grading_person(const char *name, char *who, char *id, size_t room);

#endif
