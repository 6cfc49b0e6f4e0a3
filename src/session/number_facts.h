// Facts about a tensor's numbers: which ones meet a condition, and statistics.
#ifndef NUMBER_FACTS_H
#define NUMBER_FACTS_H

#include "trace.h"

// --- conditions
//
// "> 0.4", "nan", "masked": for searches and breakpoints.

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
    CONDITION_LARGEST, // equal to the largest number; ignores NaN
    CONDITION_SMALLEST,
} ConditionKind;

typedef struct Condition {
    ConditionKind kind;
    double number; // rounded to float32 for float32 tensors, as PyTorch does
    double
        half_unit; // half of the last place typed: "= 0.4010" finds every number that rounds to it
} Condition;

// Reads "> 0.4", "<= -1", "= 0", "!= 0", "0.4" (as "= 0.4"), "nan", "infinity", "masked", "largest",
// "smallest". With = and !=, only the decimals typed count; a whole number is exact. On failure, err lists the
// possible conditions.
bool condition_parse(const char *text, Condition *condition, Error *err);

// Writes the condition as it is typed; returns `text`.
enum { CONDITION_TEXT_MAX = 48 };
const char *condition_text(Condition condition, char text[CONDITION_TEXT_MAX]);

// The matches in a tensor, by element number in index order.
typedef struct ConditionMatches {
    ptrdiff_t count;
    ptrdiff_t first; // the first match; -1: none
    ptrdiff_t next;  // the first match after `after`; -1: none
    ptrdiff_t order; // matches before `next`
} ConditionMatches;

// Visits every element once (twice for the largest and smallest). The tensor must be computed.
ConditionMatches condition_matches(Condition condition, const Trace *trace, int tensor,
                                   ptrdiff_t after);

// --- statistics

// Smallest, largest, mean and deviation are of the finite numbers. True counts as 1.
typedef struct Summary {
    ptrdiff_t count, finite, nan, infinite, masked;
    double smallest, largest, mean;
    double deviation; // with n - 1, as Tensor.std(); NaN for fewer than 2
} Summary;

// Statistics of the part of a tensor that starts at index `base`; `part` is a view of it. One pass.
Summary statistics_of(const Tensor *part, const ptrdiff_t base[], const TraceMarks *marks);

// The sums of rows of weights: 1, except for rounding and dropout.
typedef struct RowSums {
    ptrdiff_t rows, nan; // all rows; rows whose sum is NaN
    double smallest, largest;
} RowSums;

RowSums statistics_row_sums(const Tensor *weights);

// The sum of the row (last axis) of element `at`, in double precision, ascending.
double statistics_row_sum(const Tensor *weights, const ptrdiff_t at[]);

#endif
