// print(tensor) exactly as PyTorch 1.13 writes it with its default options, without grad_fn:
// 4 decimals, scientific when the numbers ask for it, "..." beyond 1000 elements, lines of 80.
#ifndef TENSOR_PRINT_H
#define TENSOR_PRINT_H

#include <stdio.h>
#include "tensor.h"

// Writes "tensor(...)" and no newline at the end. Any dtype, rank, stride and content.
void tensor_print(const Tensor *tensor, FILE *out);

// How PyTorch would write the single numbers of this tensor: one common width and notation, decided
// from the numbers that print() would show (whoever shows another part asks for that part's format,
// with tensor_narrow).
typedef struct NumberFormat {
    bool integers;   // every shown float is whole: "1."
    bool scientific; // "1.2345e-01"; goes before `integers`
    int width;       // columns of the widest finite number that is not 0 (PyTorch's rule)
} NumberFormat;

NumberFormat tensor_number_format(const Tensor *tensor);

// One element in that format, right-aligned to format.width (less than NUMBER_TEXT_MAX); longer
// where the number needs it. Returns `text`.
enum { NUMBER_TEXT_MAX = 64 };
const char *tensor_number_text(const Tensor *tensor, const ptrdiff_t at[], NumberFormat format,
                               char text[NUMBER_TEXT_MAX]);

#endif
