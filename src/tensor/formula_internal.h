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
};

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
