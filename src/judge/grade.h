// The interface for an exercise's tests (lessons/exercises/NN-NAME/check.c).
//
// A test draws a case: shapes and numbers from the check's seed, with no two axes equal and no constant
// values. It calls the learner's function, which runs in another process and sees only the inputs. Then it
// states what it expects; the first expectation that fails ends the test.
//
//     GradeCase *drawn = grade_draw(GRADE_CAUSAL);
//     grade_ask(drawn);
//     grade_expect_right(drawn);
#ifndef GRADE_H
#define GRADE_H

#include <check.h>
#include "trace.h"

// Properties of a case, as bits.
enum {
    GRADE_PLAIN = 0,
    GRADE_CAUSAL = 1,     // no query attends to later keys
    GRADE_PADDING = 2,    // no query attends to padding
    GRADE_BIAS = 4,       // layers have a bias
    GRADE_CROSS = 8,      // queries and keys come from different texts of different lengths
    GRADE_LARGE = 16,     // scores in the hundreds, exact in any order of summation
    GRADE_DROPOUT = 32,   // training mode
    GRADE_POSITIONS = 64, // positions are added to the embeddings
    GRADE_MASK_FIRST = 128,
    GRADE_OTHER_PAD = 256,      // the pad id is not 0
    GRADE_FULL = 512,           // all sequences have the full length
    GRADE_KEEP_ALL = 1024,      // dropout with p = 0
    GRADE_EQUAL = 2048,         // d_v equals d_k, the usual case
    GRADE_SQUARE = 4096,        // square weights: as many outputs as inputs
    GRADE_BACKWARD = 8192,      // also the backward pass, from half the sum of squared outputs
    GRADE_UPDATE = 16384,       // a step of Adam: a weight with gradient and moments
    GRADE_FIRST_UPDATE = 32768, // the first step: the moments are 0
    GRADE_MORE_KEYS = 65536 | GRADE_CROSS, // more keys than queries
    GRADE_STRIDED = 131072,                // inputs are not contiguous
    GRADE_WINDOW = 262144, // each query sees its own key and the neighbours: masked keys come first
};

typedef struct GradeExercise GradeExercise;
typedef struct GradeRun GradeRun;

typedef struct GradeCase {
    const GradeExercise *exercise;
    GradeRun *run; // of the test that drew it, or NULL
    Scenario scenario;
    Trace trace; // already run: the right numbers
    int step;    // the step that the function replaces; -1: all, up to the output
    const StageCall *call;
    StageCall named;                       // with the names of the function's parameters
    StageArgs given;                       // to the function; `out` is its result after grade_ask
    Tensor expected[STAGE_WRITES_MAX];     // for the same slots
    ptrdiff_t unwritten[STAGE_WRITES_MAX]; // elements that the function never wrote
    unsigned wishes;
    const char *label; // which call of the stage; NULL: the first
    Arena arena;
} GradeCase;

// --- in a test

GradeCase *grade_draw(unsigned wishes);

// The same for the stage's call with this label ("v").
GradeCase *grade_draw_call(unsigned wishes, const char *label);

// Calls the learner's function.
void grade_ask(GradeCase *drawn);

// The result, and the expected tensor, of the slot that the exercise is about.
const Tensor *grade_result(const GradeCase *drawn);
const Tensor *grade_expected(const GradeCase *drawn);

// Expects all numbers of the result, or of one output, to be right.
void grade_expect_right(GradeCase *drawn);
void grade_expect_output(GradeCase *drawn, int slot);

// Expects one number of the result; `where` names it ("weights[0, 1, 2, 3]").
void grade_expect_number(GradeCase *drawn, double expected, double got, double within,
                         const char *where, ...) __attribute__((format(printf, 5, 6)));

// Expects the result to be a view of its input's storage.
void grade_expect_view(GradeCase *drawn);

// --- an exercise

typedef struct GradeSuite GradeSuite;

// The options that the function takes besides its tensors, as bits.
enum {
    GRADE_TAKES_PAD_ID = 1,
    GRADE_TAKES_HEADS = 2,
    GRADE_TAKES_D_K = 4,
    GRADE_TAKES_P = 8,
    GRADE_TAKES_CAUSAL = 16,
    GRADE_TAKES_RATE = 32,
    GRADE_TAKES_T = 64,
};

struct GradeExercise {
    const char *name;   // "weighted-sum"
    const char *stage;  // the stage that it implements; NULL: all of them
    const char *tensor; // the last tensor of those; NULL: "output"

    // The stage that explains wrong numbers, if `stage` only draws the case; NULL: `stage`.
    const char *explains;
    int output; // the slot it fills; -1: all

    // Fills `call`, `given` and `expected` from the trace, if the function's parameters differ from its
    // stage's; NULL: they are the same.
    void (*arrange)(GradeCase *drawn);

    // Parameter names, by slot of the call; NULL: the function does not take that one.
    const char *in[STAGE_READS_MAX], *out[STAGE_WRITES_MAX];
    unsigned takes;

    // Factor on the usual tolerance, where cancellation leaves small numbers; 0 means 1.
    float times;

    void (*tests)(GradeSuite *suite);
};

// Adds a test: `points` for the visible numbers, as many for the hidden ones. Its title is its name with
// spaces; `korean` is the Korean title.
void grade_test(GradeSuite *suite, int points, const TTest *test, const char *korean);

// A tensor of the case's trace by name, for `arrange`.
Tensor grade_tensor(const GradeCase *drawn, const char *name);

// Allocates a tensor of the shape of `like` in the case.
Tensor grade_room(GradeCase *drawn, const Tensor *like);

#endif
