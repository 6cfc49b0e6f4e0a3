// What the files of this floor share.
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

// Whether a text is a name as it stands, and needs no quotes (`).
bool formula_is_name(const char *text);

// 0 where it is no operator between two values.
int formula_precedence(FormulaKind kind);
const char *formula_operator_text(FormulaKind kind);

enum {
#define FUNCTION(name, values, expression) FORMULA_FUNCTION_##name,
#include "formula_functions.def"
#undef FUNCTION
};

enum { FORMULA_KEY_MAX = 8 };

// The values of a sum, mean or maximum at all places of the axes that it depends on, for one run.
typedef struct FormulaTable {
    unsigned run;   // that it holds for
    float *numbers; // each may be unknown yet (formula_is_unknown); NULL: no table in this run
    ptrdiff_t stride[FORMULA_KEY_MAX];
} FormulaTable;

// A node whose names are resolved.
struct FormulaCode {
    FormulaKind kind;
    const FormulaNode *node;
    uint64_t depends;   // axes that its value depends on: a bit each
    bool is_float;      // made of elements of float32 tensors, or by float32()
    double number;      // NUMBER
    int axis;           // NAME: an axis
    FormulaThing thing; // READ
    int result;         // READ of one of the formula's own results; -1: of `thing`
    int axis_count;     // SUM, MAXIMUM
    int axes[FORMULA_REDUCED_MAX];
    int count;
    FormulaCode **parts;
    // The last value of a sum or maximum, and the places on the axes that it depends on.
    unsigned run;
    int key_count;
    int key_axes[FORMULA_KEY_MAX];
    ptrdiff_t key[FORMULA_KEY_MAX];
    double value;
    FormulaTable *table; // NULL: not asked for yet
};

// The places first ... first + count - 1 of an axis; -1: of none, and count is 1.
typedef struct FormulaLanes {
    int axis;
    ptrdiff_t first;
    int count;
} FormulaLanes;

enum { FORMULA_LANES_MAX = 64 };

typedef struct FormulaRunner FormulaRunner;
struct FormulaRunner {
    // formula_run.c: computes a node for some places of an axis.
    bool (*value)(FormulaRunner *runner, const FormulaCode *code, FormulaLanes lanes, double out[]);
    FormulaProgram *program;
    const FormulaResult *result;       // that is computed whole; NULL: single elements are
    ptrdiff_t place[FORMULA_AXES_MAX]; // of every axis but that of the lanes
    bool narrow;                       // what comes from float32 tensors is rounded
    bool is_float;                     // float32() rounds: in float32, and in indices
    const FormulaTermVisitor *visitor; // NULL: nobody hears terms
    FormulaTerm term;                  // not told yet: how far it brings the value is not known
    bool has_term, gave_term;          // `gave_term`: some term was given
    Error *err;
};

// --- formula_table.c

// The table of a node that is rounded to float32, in a result that is computed whole; NULL where none pays.
// Of a sum of products it is filled, by the kernel; others begin with unknown numbers. False when memory is short.
bool formula_table(FormulaRunner *runner, const FormulaCode *code, const FormulaTable **table);

// Where the table has the value at the runner's places.
ptrdiff_t formula_table_place(const FormulaRunner *runner, const FormulaCode *code);

bool formula_is_unknown(float number);

static inline bool formula_is_reduction(FormulaKind kind)
{
    return kind == FORMULA_SUM || kind == FORMULA_MEAN || kind == FORMULA_MAXIMUM;
}

// "sum_", "mean_", "max_".
const char *formula_reduction_text(FormulaKind kind);

// Whether a node is an axis alone.
static inline bool formula_is_axis(const FormulaCode *code)
{
    return code->kind == FORMULA_NAME;
}

#endif
