// How one tensor of numbers differs from another one that is known to be right.
//
// Two floats agree where both are NaN, where both are the same infinity, or where they are no
// further apart than 1e-6 + 1e-5 * the largest size among the two and the known tensor's row. The
// same sum in another order, another exp and a division written as a product pass; another formula
// does not.
// Integers and flags agree where they are equal.
#ifndef TENSOR_DIFFERENCE_H
#define TENSOR_DIFFERENCE_H

#include "tensor.h"

typedef enum DifferenceKind {
    DIFFERENCE_NONE,
    DIFFERENCE_SHAPE, // another shape, another dtype, or no storage: nothing was compared
    DIFFERENCE_NUMBER,
    DIFFERENCE_NAN,      // NaN in the place of a number
    DIFFERENCE_INFINITE, // an infinity in the place of a number, or of the other infinity
    DIFFERENCE_FINITE,   // a number in the place of NaN or of an infinity
} DifferenceKind;

typedef struct TensorDifference {
    DifferenceKind kind; // of the first element that differs
    ptrdiff_t count;     // how many elements differ
    ptrdiff_t all;       // of how many
    ptrdiff_t first_at[TENSOR_RANK_MAX];
    // Among the floats that differ by an amount (DIFFERENCE_NUMBER):
    ptrdiff_t worst_at[TENSOR_RANK_MAX]; // the one that is furthest away
    double worst;                        // how far
    uint64_t worst_ulp; // the most steps between two of them, perhaps not those at worst_at
} TensorDifference;

// How `given` differs from `known`, over all elements.
TensorDifference tensor_difference(const Tensor *given, const Tensor *known);

// The same with so many times the distance allowed: long sums that come out near 0 are rounded further.
TensorDifference tensor_difference_times(const Tensor *given, const Tensor *known, float times);

// Whether element `at` agrees; false as well where nothing can be compared.
bool tensor_difference_agrees(const Tensor *given, const Tensor *known, const ptrdiff_t at[]);

// How many steps from one float to the next lie between two numbers that are not NaN.
uint64_t tensor_difference_ulp(float a, float b);

#endif
