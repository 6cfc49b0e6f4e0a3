// The numbers of a tensor on screen: how one looks, and where all go.
#ifndef VALUES_GRID_H
#define VALUES_GRID_H

#include "cells.h"
#include "number_text.h"
#include "panel.h"
#include "trace_mark.h"

// --- one number
//
// One number in a column of a grid: as PyTorch's print(tensor) writes the tensor it belongs to, or in
// a notation that loses nothing; and never a wrong number for want of room.

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

// --- its shade
//
// A number's sign and size as the shade of its cell. The same is in its digits; the shade only makes
// it quick to see.

// Orange above zero, blue below, the brighter the nearer to `largest` (the largest absolute value in
// sight); nothing for numbers near zero, NaN and infinities. Text stays readable on every back. Where
// there are too few `colours` for backs, a large number has a coloured front.
Shade number_shade(float number, float largest, int colours);

// --- the grid
//
// Where the numbers of a tensor go on screen: which rows and columns, how wide, under which words. The
// geometry of the values panel; it looks at no more of the tensor than is visible, and at the first
// few words of an axis.

enum {
    VALUES_TITLE_ROWS = 2,  // the rule with the tensor's name, and the picker
    VALUES_CHOSEN_ROWS = 1, // the chosen element in full
    VALUES_ROW_LABEL_MAX = 12,
};

typedef struct ValuesGrid {
    const Tensor *tensor;
    const SessionView *view;
    Area area; // of the panel
    NumberLook look;
    TraceMarks marks;
    bool has_mark[TRACE_MARKS];       // which marks are in sight
    float largest;                    // the largest finite absolute value in sight
    int index_columns, label_columns; // of a row's header
    int pitch;                        // columns of a number and the gap before it
    int first_row;                    // of the panel, below the headers
    bool column_labels;
    ptrdiff_t room_rows, room_columns; // how many would fit
    ptrdiff_t rows, columns;           // how many are shown; 0 when there are no values
} ValuesGrid;

ValuesGrid values_grid(const Session *session, Area area);

// The length of an axis; 1 for the axis -1, which stands for none.
ptrdiff_t values_length(const Tensor *tensor, int axis);

// The index of the element at a row and column of the grid.
void values_at(const ValuesGrid *grid, ptrdiff_t row, ptrdiff_t column, ptrdiff_t at[]);

// The panel's column where column `column` of the grid starts.
int values_column_start(const ValuesGrid *grid, ptrdiff_t column);

// The word of the chosen element's position `index` on an axis, "" where it says no more than the
// index; the same for a whole row, column or slice.
const char *values_label(const Session *session, int axis, ptrdiff_t index, char text[64]);
const char *values_shared_label(const Session *session, int axis, ptrdiff_t index, char text[64]);

#endif
