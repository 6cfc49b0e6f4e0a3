// Numbers as text.
#ifndef NUMBER_TEXT_H
#define NUMBER_TEXT_H

#include <stdio.h>
#include "tensor.h"

// --- print(tensor)
//
// print(tensor) exactly as in PyTorch 1.13 with default options, without grad_fn: 4 decimals,
// scientific if the numbers need it, "..." beyond 1000 elements, lines of 80.

// Writes "tensor(...)" and no newline at the end. Any dtype, rank, stride and content.
void tensor_print(const Tensor *tensor, FILE *out);

// PyTorch's format for the numbers of this tensor: one common width and notation, based on the
// numbers that print() would show (for another part, get its own format with tensor_narrow).
typedef struct NumberFormat {
    bool integers;   // every shown float is whole: "1."
    bool scientific; // "1.2345e-01"; goes before `integers`
    int width;       // columns of the widest finite number that is not 0 (PyTorch's rule)
} NumberFormat;

NumberFormat tensor_number_format(const Tensor *tensor);

// One element in that format, right-aligned to format.width (less than NUMBER_TEXT_MAX); longer if
// the number needs it. Returns `text`.
enum { NUMBER_TEXT_MAX = 64 };
const char *tensor_number_text(const Tensor *tensor, const ptrdiff_t at[], NumberFormat format,
                               char text[NUMBER_TEXT_MAX]);

// --- a number that loses nothing
//
// One number as text without rounding, for display where print(tensor)'s four decimals would round,
// and for text files.

typedef enum NumberNotation {
    NUMBER_PRINTED,     // as print(tensor) writes it; see number_text.h
    NUMBER_FULL,        // the shortest decimal text that reads back as the same float32: 0.1
    NUMBER_HEXADECIMAL, // C's hexadecimal floating point, every bit: 0x1.99999ap-4
    NUMBER_DECIMALS,    // as printed, but never scientific only for the sake of other numbers
    NUMBER_NOTATIONS
} NumberNotation;

enum { NUMBER_FULL_TEXT_MAX = 32 };

// Reads back as the same bits; "nan", "inf" and "-inf" are words. Returns `text`.
const char *number_full_text(float number, char text[NUMBER_FULL_TEXT_MAX]);
const char *number_hexadecimal_text(float number, char text[NUMBER_FULL_TEXT_MAX]);

// Four decimals; scientific below 0.00005 and from 100000.
const char *number_decimals_text(float number, char text[NUMBER_FULL_TEXT_MAX]);

// Removes the sign of NaN, which printf would show; other numbers are unchanged.
double number_unsigned_nan(double number);

// Element `at` of a tensor, in full: True and False for bool.
const char *number_text(const Tensor *tensor, const ptrdiff_t at[],
                        char text[NUMBER_FULL_TEXT_MAX]);

#endif
