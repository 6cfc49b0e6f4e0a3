// One number in a column of a grid: as PyTorch's print(tensor) writes the tensor it belongs to, or in
// a notation that loses nothing; and never a wrong number for want of room.
#ifndef NUMBER_CELL_H
#define NUMBER_CELL_H

#include "number_text.h"
#include "tensor_print.h"

typedef struct NumberLook {
    NumberNotation notation;
    NumberFormat format; // of NUMBER_PRINTED
    int width;           // columns of every number; at least 7 for float32, so that any number fits
} NumberLook;

// Looks at no more elements than print() would show. The tensor has at least one element.
NumberLook number_look(const Tensor *tensor, NumberNotation notation);

// The number right-aligned to look.width. print() decides its format from the corners of a large
// tensor; a number in the middle that this format would round to a whole one, or that is wider, is
// written in scientific notation instead.
const char *number_cell(const Tensor *tensor, const ptrdiff_t at[], NumberLook look,
                        char text[NUMBER_TEXT_MAX]);

// "4 decimals, as print(tensor)"
const char *number_look_in_words(const Tensor *tensor, NumberLook look);

#endif
