// Tensors as a notebook printed them: text to numbers that are known to half of their last digit.
//
// Every "tensor(" in the text begins one; around them may stand anything (a whole notebook). Without
// any, the numbers of the text are one list. A tensor that breaks off gives what stands before that.
#ifndef PRINTED_H
#define PRINTED_H

#include "arena.h"
#include "error.h"
#include "tensor.h"

// One printed number. A negative index counts from the end of its axis: the print left out the
// middle ("...") and does not say how long the axis is.
typedef struct PrintedNumber {
    double value; // NaN and infinities too
    double half;  // of its last digit
    ptrdiff_t at[TENSOR_RANK_MAX];
} PrintedNumber;

typedef struct PrintedTensor {
    int line;       // of the text, from 1
    char label[32]; // the word before it ("Q"), ""
    int rank;       // 0: a list of numbers without brackets, the first ones of a tensor in C order
    ptrdiff_t shape[TENSOR_RANK_MAX]; // -1: not known
    PrintedNumber *numbers;           // in the arena
    ptrdiff_t count;
} PrintedTensor;

enum { PRINTED_MAX = 64 };

typedef struct Printed {
    PrintedTensor tensors[PRINTED_MAX];
    int count;
} Printed;

// False, with a sentence, where there is no number in the text.
bool printed_read(const char *text, Printed *printed, Arena *arena, Error *err);

// Whether a tensor of this shape can have been printed so.
bool printed_fits(const PrintedTensor *printed, const Tensor *tensor);

// The place of a printed number in a tensor that fits; false where the tensor has none such.
bool printed_place(const PrintedTensor *printed, const PrintedNumber *number, const Tensor *tensor,
                   ptrdiff_t at[TENSOR_RANK_MAX]);

// Whether a number can have been printed so: within half a digit, and what the order of a float32 sum
// may move.
bool printed_agrees(const PrintedNumber *number, double value);

#endif
