// One number as text that loses nothing: what is shown where print(tensor)'s four decimals would
// round, and what text files hold.
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

#include "tensor.h"

typedef enum NumberNotation {
    NUMBER_PRINTED,     // as print(tensor) writes it; see tensor_print.h
    NUMBER_FULL,        // the shortest decimal text that reads back as the same float32: 0.1
    NUMBER_HEXADECIMAL, // C's hexadecimal floating point, every bit: 0x1.99999ap-4
    NUMBER_DECIMALS,    // as printed, but never scientific only for the sake of other numbers
    NUMBER_NOTATIONS
} NumberNotation;

enum { NUMBER_FULL_TEXT_MAX = 32 };

// Reads back as the same bits; "nan", "inf" and "-inf" are words. Returns `text`.
const char *number_full_text(float number, char text[NUMBER_FULL_TEXT_MAX]);
const char *number_hexadecimal_text(float number, char text[NUMBER_FULL_TEXT_MAX]);

// Four decimals; scientific where those would say nothing (below 0.00005) or too much (from 100000).
const char *number_decimals_text(float number, char text[NUMBER_FULL_TEXT_MAX]);

// NaN without a sign, which means nothing and which printf would show; any other number as it is.
double number_unsigned_nan(double number);

// Element `at` of a tensor, in full: True and False for bool.
const char *number_text(const Tensor *tensor, const ptrdiff_t at[],
                        char text[NUMBER_FULL_TEXT_MAX]);

#endif
