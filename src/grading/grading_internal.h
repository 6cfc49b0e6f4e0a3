// Shared by the files of grading, and by nobody else.
#ifndef GRADING_INTERNAL_H
#define GRADING_INTERNAL_H

#include "class.h"
#include "grading.h"
#include "words.h"

// --- words

#include "grading_words.def"

// A row as a value, for tables of sentences.
#define ROW(NAME) \
    { \
        { \
            word_##NAME##_english, word_##NAME##_korean, word_##NAME##_marked \
        } \
    }

// --- grading_work.c
//
// Each submission is judged in a process of its own that adds lines to the journal. Whatever becomes of
// such a process, the others go on, and its results so far are kept.

// Fills in what the keys of all results have in common: the programs that judge, and the fence.
void grading_work_open(Grading *grading);

// Judges what the journal lacks, grading->jobs submissions at a time, and notes in a submission when
// its process has ended without a word. Where there is no journal, or no process, nothing is done.
void grading_work(Grading *grading, SubmissionList *list);

// Fills the asked exercises of the submission whose workspace is open: from the journal; judged here
// where that has none. By their numbers; they live until the next call.
Judging *grading_judge(Grading *grading, const Submission *submission);

// --- class_pairs.c

// What somebody wrote for an exercise.
typedef struct ClassText {
    const char *name, *source;
    const char *wrong; // the wrong numbers that it makes; NULL: none, or a mistake with a name
    int exercise;
    SimilarText prints;
    int people;             // who have this very text: it stands for them all
    struct ClassText *same; // the next of them; NULL: it is the last
    bool is_again;          // another one stands for it
} ClassText;

// Of texts that stand for several people each; both the same where it is about those.
typedef struct ClassPair {
    const ClassText *one, *other;
    double share;
    bool same_numbers;
} ClassPair;

enum { CLASS_PAIRS_MAX = 40 };

typedef struct ClassPairs {
    ClassText *texts;
    int count, room;
    ClassPair pairs[CLASS_PAIRS_MAX]; // the strongest first
    int pair_count;
    bool is_known[EXERCISES_MAX];
    SimilarText stub[EXERCISES_MAX], solution[EXERCISES_MAX];
    Arena arena;
} ClassPairs;

extern const GradingFormat class_pairs_format;

// --- results as tests with points
//
// An exercise's result as a list of tests with points: what all platforms that grade want to have, each in
// a form of its own.

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

// --- for forms that are one object of JSON for one submission: grading_tests.c

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
