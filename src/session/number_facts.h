// Facts about a tensor's numbers: which of them a condition fits, and what they are as a whole.
#ifndef NUMBER_FACTS_H
#define NUMBER_FACTS_H

#include "trace.h"

// --- conditions: what a person looks for
//
// "> 0.4", "nan", "masked". Searches and breakpoints share them.

typedef enum ConditionKind {
    CONDITION_NONE,
    CONDITION_ABOVE,
    CONDITION_BELOW,
    CONDITION_AT_LEAST,
    CONDITION_AT_MOST,
    CONDITION_EQUAL,
    CONDITION_OTHER, // != a number
    CONDITION_NAN,
    CONDITION_INFINITE,
    CONDITION_MASKED,
    CONDITION_LARGEST, // as large as the largest number that is no NaN
    CONDITION_SMALLEST,
} ConditionKind;

typedef struct Condition {
    ConditionKind kind;
    double
        number; // comparisons; float32 tensors compare with it rounded to float32, as PyTorch does
    double half_unit; // "= 0.4010" finds every number that is written so: half of its last place
} Condition;

// With = and !=, as many decimals count as were typed; a whole number means exactly itself.
//
// Reads "> 0.4", "<= -1", "= 0", "!= 0", "0.4" (as "= 0.4"), "nan", "infinity", "masked", "largest",
// "smallest". False with what there is.
bool condition_parse(const char *text, Condition *condition, Error *err);

// The same words again; returns `text`.
enum { CONDITION_TEXT_MAX = 48 };
const char *condition_text(Condition condition, char text[CONDITION_TEXT_MAX]);

// What a pass over all elements of a tensor finds. Elements are numbered in index order.
typedef struct ConditionMatches {
    ptrdiff_t count;
    ptrdiff_t first; // the number of the first element that matches, -1: none does
    ptrdiff_t next;  // of the first one after `after`, -1
    ptrdiff_t order; // how many match before `next`
} ConditionMatches;

// Looks at every element once (twice for the largest and smallest). The tensor has been computed.
ConditionMatches condition_matches(Condition condition, const Trace *trace, int tensor,
                                   ptrdiff_t after);

// --- statistics

// Of the finite numbers; everything is a number here (True is 1).
typedef struct Summary {
    ptrdiff_t count, finite, nan, infinite, masked;
    double smallest, largest, mean;
    double deviation; // with n - 1, as Tensor.std(); NaN for fewer than 2
} Summary;

// Of the part of a tensor that starts at index `base` and has the shape of `part`, a view of it.
// Looks at every number once.
Summary statistics_of(const Tensor *part, const ptrdiff_t base[], const TraceMarks *marks);

// What rows of weights add up to: 1, but for rounding and dropout.
typedef struct RowSums {
    ptrdiff_t rows, nan; // rows; those whose sum is NaN
    double smallest, largest;
} RowSums;

RowSums statistics_row_sums(const Tensor *weights);

// The sum of the row (last axis) that element `at` lies in, in double precision, ascending.
double statistics_row_sum(const Tensor *weights, const ptrdiff_t at[]);

#endif
