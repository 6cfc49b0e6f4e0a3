// Shared by the formula_*.c files.
#ifndef FORMULA_INTERNAL_H
#define FORMULA_INTERNAL_H

#include "formula.h"

#include "formula_words.def"

enum {
    PRECEDENCE_COMPARISON = 3,
    PRECEDENCE_SUM = 4,
    PRECEDENCE_PRODUCT = 5,
    PRECEDENCE_SIGN = 6,
    PRECEDENCE_POWER = 7,
    PRECEDENCE_ATOM = 8
};

// True if a text is a name that needs no quotes (`).
bool formula_is_name(const char *text);

// 0 if it is not a binary operator.
int formula_precedence(FormulaKind kind);
const char *formula_operator_text(FormulaKind kind);

enum {
#define FUNCTION(name, values, expression) FORMULA_FUNCTION_##name,
#include "formula_functions.def"
#undef FUNCTION
};

enum { FORMULA_KEY_MAX = 8 };

// The values of a sum, mean or maximum at all positions of the axes that it depends on, for one
// run.
typedef struct FormulaTable {
    unsigned run;   // the run that it is valid for
    float *numbers; // some may still be unknown (formula_is_unknown); NULL: no table in this run
    ptrdiff_t stride[FORMULA_KEY_MAX];
} FormulaTable;

// A node with resolved names.
struct FormulaCode {
    FormulaKind kind;
    const FormulaNode *node;
    uint64_t depends;   // the axes that its value depends on, one bit each
    bool is_float;      // made of elements of float32 tensors, or by float32()
    double number;      // NUMBER
    int axis;           // NAME: an axis
    FormulaThing thing; // READ
    int result;         // READ of one of the formula's own results; -1: of `thing`
    int axis_count;     // SUM, MAXIMUM
    int axes[FORMULA_REDUCED_MAX];
    int count;
    FormulaCode **parts;
    // The last value of a sum or maximum, and its positions on the axes that it depends on.
    unsigned run;
    int key_count;
    int key_axes[FORMULA_KEY_MAX];
    ptrdiff_t key[FORMULA_KEY_MAX];
    double value;
    FormulaTable *table; // NULL: not created yet
};

// The positions first ... first + count - 1 of an axis; axis -1: none, and count is 1.
typedef struct FormulaLanes {
    int axis;
    ptrdiff_t first;
    int count;
} FormulaLanes;

enum { FORMULA_LANES_MAX = 64 };

typedef struct FormulaRunner FormulaRunner;
struct FormulaRunner {
    // formula_run.c: computes a node for some positions of an axis.
    bool (*value)(FormulaRunner *runner, const FormulaCode *code, FormulaLanes lanes, double out[]);
    FormulaProgram *program;
    const FormulaResult *result;       // the result computed as a whole; NULL: single elements
    ptrdiff_t place[FORMULA_AXES_MAX]; // of every axis except the lanes' axis
    bool narrow;                       // rounds values from float32 tensors
    bool is_float;                     // float32() rounds: in float32, and in indices
    const FormulaTermVisitor *visitor; // NULL: terms are not visited
    FormulaTerm term;                  // not visited yet: the value so far is not known
    bool has_term, gave_term;          // `gave_term`: some term was visited
    Error *err;
};

// --- formula_table.c

// The table of a node that is rounded to float32, in a result computed as a whole; NULL if it does not pay. The
// kernel fills that of a sum of products; others begin with unknown numbers. Returns false if memory is short.
bool formula_table(FormulaRunner *runner, const FormulaCode *code, const FormulaTable **table);

// The table's number at the runner's positions.
ptrdiff_t formula_table_place(const FormulaRunner *runner, const FormulaCode *code);

bool formula_is_unknown(float number);

static inline bool formula_is_reduction(FormulaKind kind)
{
    return kind == FORMULA_SUM || kind == FORMULA_MEAN || kind == FORMULA_MAXIMUM;
}

// "sum_", "mean_", "max_".
const char *formula_reduction_text(FormulaKind kind);

// True if a node is a single axis.
static inline bool formula_is_axis(const FormulaCode *code)
{
    return code->kind == FORMULA_NAME;
}

#endif
