// A tensor's numbers as a whole: how many there are, how large, and how many are NaN or infinite.
#ifndef STATISTICS_H
#define STATISTICS_H

#include "trace_mark.h"

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
