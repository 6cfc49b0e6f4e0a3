// Shared by the judge's files, but not by check.c.
#ifndef GRADE_INTERNAL_H
#define GRADE_INTERNAL_H

#include "grade.h"
#include "relation.h"
#include "tensor.h"
#include "verdict.h"
#include "worker.h"

// --- grade_case.c

// The ranges from which sizes are drawn.
typedef struct GradeSizes {
    struct GradeRange {
        ptrdiff_t least, most;
    } batch, heads, length, width, layer; // layer: its inputs and outputs
    bool may_agree;                       // several axes may have the same length
    bool is_strided;                      // inputs are not contiguous
    bool is_whole;                        // small whole numbers
} GradeSizes;

// For visible and for hidden tests; the two never draw the same sizes.
extern const GradeSizes grade_shown, grade_hidden;

// Edge cases by number; false past the last.
bool grade_edge(int number, GradeSizes *sizes);

// Draws a scenario.
void grade_scenario(Scenario *scenario, unsigned wishes, const GradeSizes *sizes, uint64_t seed);

// Draws a case and computes the right numbers (with grade_must). `label` names one of the stage's calls;
// NULL: the first.
void grade_case_open(GradeCase *drawn, const GradeExercise *exercise, unsigned wishes,
                     const char *label, const GradeSizes *sizes, uint64_t seed);
void grade_case_close(GradeCase *drawn);

// Copies a call's results, which the next call would overwrite; `before` are the arguments as they were.
// Views are kept as views of the inputs.
void grade_case_keep(GradeCase *drawn, const StageArgs *before, Tensor kept[STAGE_WRITES_MAX]);

// True if the results equal the kept ones within the tolerance.
bool grade_case_same(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX]);

// True if they differ by more than rounding can, in tenths of a row's size.
bool grade_case_is_far(const GradeCase *drawn, const Tensor kept[STAGE_WRITES_MAX]);

// Finds the mistakes that produce these numbers; returns the count. Uses grade_must, because with half of
// the bank one mistake would pass for another.
int grade_case_mistakes(const GradeCase *drawn, const GradeExercise *exercise,
                        const char *names[VERDICT_MISTAKES_MAX]);

// --- grade_run.c

// Finds an exercise by name, or NULL.
const GradeExercise *grade_find(const char *name);

// A short digest of its check.c: changed tests are another version.
const char *grade_version(const GradeExercise *exercise);

typedef struct GradeWorkers {
    Worker *first;
    Worker *second; // built with sanitizers, called with the same; or NULL
    const char
        *case_path; // the first call that fails, hidden ones apart, is saved there; NULL: nowhere
    const char *
        kept; // the line of the learner's file that keeps something between calls; NULL: none is known
    const char *unset_line, *unset_name; // of what it reads before it is set; NULL: none is known
} GradeWorkers;

// Runs the tests with visible and then hidden numbers, and adds them to the verdict. If all pass, also
// tries edge shapes; a failure there fails the hidden test. Returns false if not every test ran.
bool grade_run(const GradeExercise *exercise, const GradeWorkers *workers, uint64_t seed,
               Verdict *verdict, Error *err);

// True if the function has its stage's parameters, and so can run in its place.
bool grade_is_a_stage(const GradeExercise *exercise);

// Runs whole cases in which the learner's functions feed each other, up to the exercise's step, and records
// how often the result is right. `links` ends with a NULL stage.
void grade_chain(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                 Verdict *verdict);

// --- grade_case.c

// Ends the judge with this message and no verdict if `good` is false: the machine lacks something, and
// nothing was judged.
void grade_must(bool good, const Error *err);

// Copies a sentence for the record (grade_must).
const char *grade_kept(const char *sentence, Arena *arena);

// Returns the text, which must exist (grade_must).
const char *grade_must_text(const char *text, const Error *err);

// A number with 4 digits, or as many as distinguish it from `other`.
const char *grade_number(double number, double other, Arena *arena);

// What the function printed in its last call, or NULL.
const char *grade_printed(const Worker *worker, Arena *arena);

// "rows_sum_to_1" as "rows sum to 1".
const char *grade_title(const char *name, Arena *arena);

// "x (2, 5, 8), weight (12, 8), bias NULL"
const char *grade_given(const GradeCase *drawn, Arena *arena);

// How many of the tests passed.
int grade_passed(const VerdictTest tests[], int count);

// --- the running test

typedef struct GradeRunning {
    const GradeWorkers *workers;
    VerdictTest *test; // its record
    int number;        // its index in the verdict
    int edge;          // 0: none; else the number of the edge case; other shapes passed
    bool goes_back;    // tests gradients
    bool is_alone;     // already explained; only made smaller
    bool
        is_witness; // it failed already, and only what maps right numbers to wrong ones is looked for
    struct GradeNaming *naming;
    Arena *arena; // of the record
} GradeRunning;

// The test that drew this case; zero and -1 if none did.
GradeRunning grade_running(const GradeCase *drawn);

// Compares numbers with the test's tolerance; at the edges, where sums are long, with a looser one.
TensorDifference grade_difference(const GradeCase *drawn, const Tensor *given, const Tensor *known);

// The slot that the exercise is about.
int grade_main_slot(const GradeCase *drawn);

// --- properties
//
// Invariants of right numbers, and a message where one breaks: "the sum of weights[0, 1, :] is 1.27".
// 1.27".

// Records the first property of grade_properties.def that the result breaks.
void grade_property_say(const GradeCase *drawn, VerdictTest *test, Arena *arena);

// "weights[0, 1, 2, :]": an element of the result, or with last index -1 a row.
const char *grade_property_place(const GradeCase *drawn, const ptrdiff_t at[], char text[128]);

// Calls the function again with changed inputs, and records the first property of that list that the two
// results break together. Replaces the case's result by a copy.
void grade_second_say(GradeCase *drawn, VerdictTest *test, Arena *arena);

// --- names
//
// Explains wrong numbers: by a known mistake, or by a relation to the right ones.

enum { GRADE_MISTAKES_MAX = 128 };

// What is known about the wrong numbers of one test.
typedef struct GradeKnown {
    bool is_read;
    bool is_mask;                   // its numbers are flags
    int edge;                       // of the case; 0: none
    bool hides[GRADE_MISTAKES_MAX]; // mistakes that have no effect in this case
} GradeKnown;

// What all wrong cases of a run have in common; zeroed at first.
typedef struct GradeNaming {
    GradeKnown known[VERDICT_TESTS_MAX];
    RelationReadings agreed; // the readings of all cases so far
    RelationReadings last;   // those of the last case
    int case_count;          // since it began
    bool began_again;        // with a later case: in the first, one of two mistakes may not show
    bool came_right;         // another draw of a failed test passed
    StageCall named;         // with the names of the function's parameters
} GradeNaming;

// Analyses the wrong numbers of a slot, for the verdict's test `test`.
void grade_naming_read(GradeNaming *naming, const GradeCase *drawn, int slot, int test);

// Analyses another case of a test that was analysed before.
void grade_naming_read_again(GradeNaming *naming, const GradeCase *drawn, int slot);

// Drops formulas that would not make the right numbers of a case: the function did. Only of ids and flags, few of
// which agree by chance.
void grade_naming_read_right(GradeNaming *naming, const GradeCase *drawn, int slot);

// Keeps only those mistakes that all failed tests agree on.
void grade_naming_agree(const GradeNaming *naming, Verdict *verdict);

// Writes the common reading of all cases, if there is one, into the verdict.
void grade_naming_say(GradeNaming *naming, Verdict *verdict);

// --- the run
//
// The state of an exercise's run. Only grade_run.c changes it; others see GradeRunning.

enum { GRADE_TESTS_MAX = VERDICT_TESTS_MAX / 2, GRADE_CASES_MAX = 4 };

struct GradeRun {
    const GradeExercise *exercise;
    const GradeWorkers *workers;
    const GradeSuite *suite;
    Verdict *verdict;
    uint64_t seed;
    GradeSizes sizes;
    bool hidden;
    int edge; // 0: none; else the number of the edge case
    VerdictTest
        *again; // at an edge, the first of the hidden tests; only those that passed run again
    VerdictTest
        *alone; // the record of the only test to run again, with smaller sizes; NULL: all run
    int alone_number;
    int round; // of its further draws; 0: none
    VerdictTest *ran[GRADE_TESTS_MAX];
    int ran_count;
    int number;        // of the running test
    VerdictTest *test; // its record
    GradeCase cases[GRADE_CASES_MAX];
    int case_count;
    bool goes_back;        // a test asked for gradients
    int asked;             // number of calls
    const StageCall *call; // the last call
    StageArgs args;
    bool builds_differ; // the two builds gave different results
    bool saved;         // the first failing call is saved
    bool was_right;     // some answer was right
    const char
        *depends[LANGUAGES]; // why no answer is believed: what came before changes them; NULL
    enum {
        GUARD_UNASKED,
        GUARD_STARTS,
        GUARD_LACKS
    } guard;                            // whether sanitizers start on this machine
    const char *machine_why[LANGUAGES]; // why the machine runs nothing more, or NULL
    GradeNaming naming;                 // what is known about the wrong numbers
};

// --- small cases
//
// Finds the smallest case that still fails.

// One test, run again by itself.
typedef struct GradeAlone {
    int number; // in the suite
    GradeSizes sizes;
    int edge; // the edge case whose sizes are drawn; 0: none
    bool hidden;
    int round; // number of the further draw; 0: a smaller case
} GradeAlone;

// Runs it into `record`. Returns false if it could not run.
typedef bool GradeAgain(GradeRun *run, const GradeAlone *alone, VerdictTest *record, Error *err);

// --- witnesses
//
// A relation between wrong and right numbers is reported only if further draws confirm it: in a few cases
// it may hold by chance, as when the last sequence happens to be the longest.

// Draws the failed tests (`count` visible and as many hidden) again, with sizes like those that failed, as
// long as all cases agree on something.
bool grade_witness(GradeRun *run, int count, GradeAgain *again, Error *err);

// --- added numbers
//
// An element that was only added to (+=) looks unwritten: the pattern is so large that a sum leaves it
// unchanged.

// Calls the function again with outputs that start at 0 if elements of this slot look unwritten. Reports
// those that were added to and no longer counts them as unwritten; `first` is the first wrong number.
void grade_added_say(GradeCase *drawn, int slot, const ptrdiff_t first[], VerdictTest *test,
                     Arena *arena);

#endif
