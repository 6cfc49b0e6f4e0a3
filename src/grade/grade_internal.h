// What the files of the judge share with each other and not with check.c.
#ifndef GRADE_INTERNAL_H
#define GRADE_INTERNAL_H

#include "grade.h"
#include "verdict.h"
#include "worker.h"

// --- grade_draw.c

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

// Those at the edges (grade_edges.def), by number; false beyond the last.
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

// --- grade_chain.c

// Whether the function is called as its stage is, and so can run in its place.
bool grade_is_a_stage(const GradeExercise *exercise);

// Runs whole cases up to the exercise's step, in which the learner's functions follow each other, and
// says in the verdict how often the result is right then. A NULL stage ends the links.
void grade_chain(const GradeExercise *exercise, WorkerStage links[], uint64_t seed,
                 Verdict *verdict);

// --- grade_must.c

// What this machine does not give the judge itself ends it with that sentence, and without a verdict:
// whoever started it says that nothing was judged.
void grade_must(bool good, const Error *err);

// A sentence for the record, which never goes without.
const char *grade_kept(const char *sentence, Arena *arena);

// The text, which must be there (grade_must).
const char *grade_must_text(const char *text, const Error *err);

// A number with 4 digits, or with as many as tell it from `other`.
const char *grade_number(double number, double other, Arena *arena);

// --- grade_record.c

// Notes in the test's record how the result of slot `slot` differs, and which mistake that is.
void grade_record(VerdictTest *test, GradeCase *drawn, const GradeExercise *exercise, int slot,
                  Arena *arena);

// What the function printed in its last call, without what its process says of itself; NULL: nothing.
const char *grade_printed(const Worker *worker, Arena *arena);

// "rows_sum_to_1" as "rows sum to 1".
const char *grade_title(const char *name, Arena *arena);

// "x (2, 5, 8), weight (12, 8), bias NULL"
const char *grade_given(const GradeCase *drawn, Arena *arena);

// How many of these passed.
int grade_passed(const VerdictTest tests[], int count);

#endif
