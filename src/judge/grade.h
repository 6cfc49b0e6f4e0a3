// What the tests of an exercise (lessons/exercises/NN-NAME/check.c) are written with.
//
// A test draws a case: numbers and shapes from the seed of this check, never the same for two axes,
// never constant. It asks the learner's function, which runs in a process of its own and knows
// nothing but the inputs; then it says what it expects. The first expectation that does not hold
// ends the test.
//
//     GradeCase *drawn = grade_draw(GRADE_CAUSAL);
//     grade_ask(drawn);
//     grade_expect_right(drawn);
#ifndef GRADE_H
#define GRADE_H

#include <check.h>
#include "trace.h"

// What a case should have, added up.
enum {
    GRADE_PLAIN = 0,
    GRADE_CAUSAL = 1,     // no query looks at later keys
    GRADE_PADDING = 2,    // no query looks at padding
    GRADE_BIAS = 4,       // the layers have one
    GRADE_CROSS = 8,      // queries are other tokens than keys, and not as many
    GRADE_LARGE = 16,     // scores in the hundreds, exact in any order of adding
    GRADE_DROPOUT = 32,   // in training
    GRADE_POSITIONS = 64, // are added to the embeddings
    GRADE_MASK_FIRST = 128,
    GRADE_OTHER_PAD = 256,      // the pad id is not 0
    GRADE_FULL = 512,           // all sequences are as long as the longest
    GRADE_KEEP_ALL = 1024,      // dropout with p = 0
    GRADE_EQUAL = 2048,         // d_v is d_k, as it mostly is
    GRADE_SQUARE = 4096,        // layers have as many outputs as inputs: their weights are squares
    GRADE_BACKWARD = 8192,      // the backward pass too, from half the sum of the output's squares
    GRADE_UPDATE = 16384,       // a weight with a gradient and moments, at some step of Adam
    GRADE_FIRST_UPDATE = 32768, // its first: the moments are 0
    GRADE_MORE_KEYS = 65536 | GRADE_CROSS, // than queries
    GRADE_STRIDED = 131072,                // the inputs do not lie in the order of their indices
};

typedef struct GradeExercise GradeExercise;
typedef struct GradeRun GradeRun;

typedef struct GradeCase {
    const GradeExercise *exercise;
    GradeRun *run; // of the test that drew it; NULL: no test did
    Scenario scenario;
    Trace trace; // has run: what is right
    int step;    // that the function stands for; -1: for all, up to the output
    const StageCall *call;
    StageCall named;                       // the same in the words of the function's arguments
    StageArgs given;                       // to the function; `out` is its result, once asked
    Tensor expected[STAGE_WRITES_MAX];     // of the same slots
    ptrdiff_t unwritten[STAGE_WRITES_MAX]; // elements of the result that it never wrote
    unsigned wishes;
    const char *label; // of the stage's call; NULL: the first
    Arena arena;
} GradeCase;

// --- in a test

GradeCase *grade_draw(unsigned wishes);

// The same for the call of the stage with this label: "v".
GradeCase *grade_draw_call(unsigned wishes, const char *label);

// Calls the learner's function.
void grade_ask(GradeCase *drawn);

// The result and what it should be: of the slot that the exercise is about.
const Tensor *grade_result(const GradeCase *drawn);
const Tensor *grade_expected(const GradeCase *drawn);

// All numbers of the result, or of one of its outputs, agree with the right ones.
void grade_expect_right(GradeCase *drawn);
void grade_expect_output(GradeCase *drawn, int slot);

// One number of the result is exactly this; `where` says which ("weights[0, 1, 2, 3]").
void grade_expect_number(GradeCase *drawn, double expected, double got, double within,
                         const char *where, ...) __attribute__((format(printf, 5, 6)));

// The result looks at the storage of its input, and moves no number.
void grade_expect_view(GradeCase *drawn);

// --- an exercise

typedef struct GradeSuite GradeSuite;

// Which options the function is given beside its tensors, added up.
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
    const char *stage;  // that it stands for; NULL: for all of them
    const char *tensor; // that the last of these makes; NULL: "output"

    // The stage that explains wrong numbers, called as the function is, where `stage` only draws; NULL: that one.
    const char *explains;
    int output;         // the slot it fills; -1: every slot

    // Where the function is not called as its stage is: fills `call`, `given` and `expected` from
    // the trace. NULL: it is.
    void (*arrange)(GradeCase *drawn);

    // What the function calls its arguments, in the slots of the call; NULL: it is not given that one.
    const char *in[STAGE_READS_MAX], *out[STAGE_WRITES_MAX];
    unsigned takes;

    // So many times the usual distance is allowed, where what is left is far smaller than what it is the
    // difference of; 0: once.
    float times;

    void (*tests)(GradeSuite *suite);
};

// Adds a test, worth so many points with the numbers that are shown and as many with others. Its
// title is its name with blanks; `korean` is the same in Korean.
void grade_test(GradeSuite *suite, int points, const TTest *test, const char *korean);

// The tensor of a case's trace by its name, for `arrange`.
Tensor grade_tensor(const GradeCase *drawn, const char *name);

// Storage of the case's own for a result of the shape of `like`.
Tensor grade_room(GradeCase *drawn, const Tensor *like);

#endif
