// What the files of the judge share with each other and not with check.c.
#ifndef GRADE_INTERNAL_H
#define GRADE_INTERNAL_H

#include "grade.h"
#include "relation.h"
#include "tensor.h"
#include "verdict.h"
#include "worker.h"

// --- grade_case.c

// Which sizes are drawn, each from a range.
typedef struct GradeSizes {
    struct GradeRange {
        ptrdiff_t least, most;
    } batch, heads, length, width, layer; // layer: the inputs and outputs of one
    bool may_agree;                       // several axes may be of one length
    bool is_strided;                      // the inputs do not lie in the order of their indices
    bool is_whole;                        // numbers are small and whole
} GradeSizes;

// Those that are shown, and the hidden ones, which are never the same.
extern const GradeSizes grade_shown, grade_hidden;

// Those at the edges, by number; false beyond the last.
bool grade_edge(int number, GradeSizes *sizes);

// Draws a scenario.
void grade_scenario(Scenario *scenario, unsigned wishes, const GradeSizes *sizes, uint64_t seed);

// --- grade_case.c

// Draws a case for an exercise and computes what is right (grade_must). `label` is of one of the
// stage's calls; NULL: the first.
void grade_case_open(GradeCase *drawn, const GradeExercise *exercise, unsigned wishes,
                     const char *label, const GradeSizes *sizes, uint64_t seed);
void grade_case_close(GradeCase *drawn);

// Copies the results of a call, which the next call would overwrite; `before` are the arguments as they
// were. Views lead to the inputs, and stay.
void grade_case_keep(GradeCase *drawn, const StageArgs *before, Tensor kept[STAGE_WRITES_MAX]);

// Whether the results are those that were kept, as far as the test allows.
bool grade_case_same(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX]);

// Whether they are further apart than rounding can bring them, in a tenth of a row's size.
bool grade_case_is_far(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX]);

// The names of the mistakes that make these numbers; the result is how many. The machine must be able to
// tell (grade_must): with half of the bank one would be taken for another.
int grade_case_mistakes(const GradeCase *drawn, const GradeExercise *exercise,
                        const char *names[VERDICT_MISTAKES_MAX]);

// --- grade_list.c

// One of the exercises by its name; NULL.
const GradeExercise *grade_find(const char *name);

// The beginning of the digest of its check.c: other tests, other version.
const char *grade_version(const GradeExercise *exercise);

// --- grade_run.c

typedef struct GradeWorkers {
    Worker *first;
    Worker *second; // built with sanitizers, asked the same; NULL: there is none
    const char
        *case_path; // the first call that fails, hidden ones apart, is saved there; NULL: nowhere
    const char *
        kept; // the line of the learner's file that keeps something between calls; NULL: none is known
    const char *unset_line, *unset_name; // of what it reads before it is set; NULL: none is known
} GradeWorkers;

// Runs the tests of an exercise with the numbers of the seed, then with hidden ones, and adds them
// to the verdict. What passes them all is asked for shapes at the edges too: what is wrong there alone
// fails the hidden test. False when the tests did not run as many as they are.
bool grade_run(const GradeExercise *exercise, const GradeWorkers *workers, uint64_t seed,
               Verdict *verdict, Error *err);

// --- grade_list.c

// Whether the function is called as its stage is, and so can run in its place.
bool grade_is_a_stage(const GradeExercise *exercise);

// Runs whole cases up to the exercise's step, in which the learner's functions follow each other, and
// says in the verdict how often the result is right then. A NULL stage ends the links.
void grade_chain(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                 Verdict *verdict);

// --- grade_case.c

// What this machine does not give the judge itself ends it with that sentence, and without a verdict:
// whoever started it says that nothing was judged.
void grade_must(bool good, const Error *err);

// A sentence for the record, which never goes without.
const char *grade_kept(const char *sentence, Arena *arena);

// The text, which must be there (grade_must).
const char *grade_must_text(const char *text, const Error *err);

// A number with 4 digits, or with as many as tell it from `other`.
const char *grade_number(double number, double other, Arena *arena);

// --- grade_expect.c

// What the function printed in its last call, without what its process says of itself; NULL: nothing.
const char *grade_printed(const Worker *worker, Arena *arena);

// "rows_sum_to_1" as "rows sum to 1".
const char *grade_title(const char *name, Arena *arena);

// "x (2, 5, 8), weight (12, 8), bias NULL"
const char *grade_given(const GradeCase *drawn, Arena *arena);

// How many of these passed.
int grade_passed(const VerdictTest tests[], int count);

// --- the test that runs
//
// The test that runs, for the files that demand things of it.

typedef struct GradeRunning {
    const GradeWorkers *workers;
    VerdictTest *test; // the record of what fails
    int number;        // of that record in the verdict
    int edge;          // 0: none; else its number: every other shape is right already
    bool goes_back;    // gradients are asked for
    bool is_alone;     // it was named already, and is only to be shown smaller
    bool
        is_witness; // it failed already, and only what maps right numbers to wrong ones is looked for
    struct GradeNaming *naming;
    Arena *arena; // of the record
} GradeRunning;

// The test that drew this case; nothing and -1 where none did.
GradeRunning grade_running(const GradeCase *drawn);

// How a learner's numbers differ from others, as far as this test allows. At the edges sums are long, and
// what is looked for there is no question of digits.
TensorDifference grade_difference(const GradeCase *drawn, const Tensor *given, const Tensor *known);

// The slot that the exercise is about.
int grade_main_slot(const GradeCase *drawn);

// --- properties
//
// What holds of right numbers whatever they are, in words for where it breaks: "the sum of weights[0, 1, :] is
// 1.27".

// Notes in a test's record the first property of grade_properties.def that breaks in the result of a case.
void grade_property_say(const GradeCase *drawn, VerdictTest *test, Arena *arena);

// "weights[0, 1, 2, :]": an element of the result, or, with the last index -1, a row.
const char *grade_property_place(const GradeCase *drawn, const ptrdiff_t at[], char text[128]);

// Asks the function again, of changed inputs, and notes the first property of the same list whose answers do
// not fit together. The result of the case is a copy afterwards.
void grade_second_say(GradeCase *drawn, VerdictTest *test, Arena *arena);

// --- names
//
// What is said of wrong numbers, beyond that they are wrong: a mistake's name, or a relation.

enum { GRADE_MISTAKES_MAX = 128 };

// What is known of one test's wrong numbers.
typedef struct GradeKnown {
    bool is_read;
    bool is_mask;                   // its numbers are flags
    int edge;                       // that the case was drawn for; 0: none
    bool hides[GRADE_MISTAKES_MAX]; // mistakes that cannot show in this case
} GradeKnown;

// What the wrong cases of a run have told so far; all 0 before the first.
typedef struct GradeNaming {
    GradeKnown known[VERDICT_TESTS_MAX];
    RelationReadings agreed; // what all cases so far read
    RelationReadings last;   // what the last one read
    int case_count;
    bool came_right; // a test that failed did not with another draw
    StageCall named; // in the words of the function's arguments
} GradeNaming;

// Looks at the wrong numbers in a slot of a case, for the test of this number in the verdict.
void grade_naming_read(GradeNaming *naming, const GradeCase *drawn, int slot, int test);

// Looks at the wrong numbers in a slot of a further case, of a test that was looked at.
void grade_naming_read_again(GradeNaming *naming, const GradeCase *drawn, int slot);

// Of the mistakes that the tests name, what all of them agree on stays in the verdict; the rest goes.
void grade_naming_agree(const GradeNaming *naming, Verdict *verdict);

// Puts what all cases read, where they agree on something, into the verdict.
void grade_naming_say(GradeNaming *naming, Verdict *verdict);

// --- the run
//
// The run of an exercise's tests, as it stands: grade_run.c changes it and lends it to the cases that it draws;
// everybody else is told what they need of it (grade_running).

enum { GRADE_TESTS_MAX = VERDICT_TESTS_MAX / 2, GRADE_CASES_MAX = 4 };

struct GradeRun {
    const GradeExercise *exercise;
    const GradeWorkers *workers;
    const GradeSuite *suite;
    Verdict *verdict;
    uint64_t seed;
    GradeSizes sizes;
    bool hidden;
    int edge; // 0: none; else the number of the edge, from 1
    VerdictTest
        *again; // at an edge, the first of the hidden tests; only those that passed run again
    VerdictTest *alone; // the record of the one test that runs, again and smaller; NULL: all run
    int alone_number;
    int round; // of its further draws (grade_internal.h); 0: none
    VerdictTest *ran[GRADE_TESTS_MAX];
    int ran_count;
    int number;        // of the test that runs
    VerdictTest *test; // its record
    GradeCase cases[GRADE_CASES_MAX];
    int case_count;
    bool goes_back;        // a test asked for gradients
    int asked;             // how often the learner's function was
    const StageCall *call; // what it was asked last
    StageArgs args;
    bool builds_differ; // the functions of the two builds gave different results
    bool saved;         // the first call that failed
    bool was_right;     // some answer to this exercise was
    const char
        *depends[LANGUAGES]; // why no answer is believed: what came before changes them; NULL
    enum { GUARD_UNASKED, GUARD_STARTS, GUARD_LACKS } guard; // whether sanitizers start here at all
    const char *machine_why[LANGUAGES]; // why this machine runs nothing more; NULL: it does
    GradeNaming naming;                 // what is known of the wrong numbers
};

// --- small cases
//
// A case that fails is shown as small as it still fails.

// One test that runs once more, by itself.
typedef struct GradeAlone {
    int number; // in the suite
    GradeSizes sizes;
    int edge; // that the sizes are of; 0: none
    bool hidden;
    int round; // of further draws, to ask what is known of its wrong numbers; 0: it is to be shown smaller
} GradeAlone;

// Runs it into `record`. False where it could not be run.
typedef bool GradeAgain(GradeRun *run, const GradeAlone *alone, VerdictTest *record, Error *err);

// --- witnesses
//
// What maps right numbers to wrong ones is asked of further draws before it is said: of a few cases much is
// true by chance, as that no place is marked where the last sequence, whose length was taken for all, happens
// to be the longest.

// Draws each of the tests that failed, of which there are `count` shown and as many hidden, again and again with
// sizes like those it failed with, as long as all cases agree on something.
bool grade_witness(GradeRun *run, int count, GradeAgain *again, Error *err);

// --- added numbers
//
// What seems never to have been written, but was added to (+=): what tells that nothing was written is so large a
// number that a sum with it is the same one.

// Asks the function again, with outputs that begin at 0, where elements of this slot were never written. What was
// added to is then told of, and no longer counted among them; `first` is the first number that is wrong.
void grade_added_say(GradeCase *drawn, int slot, const ptrdiff_t first[], VerdictTest *test,
                     Arena *arena);

#endif
