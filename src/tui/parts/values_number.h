// One number of the values panel: its text, the mark beside it and its shade.
#ifndef VALUES_NUMBER_H
#define VALUES_NUMBER_H

#include "values_grid.h"

// Draws element `at` so that it ends before column `end`. Beside it stand, by shape and not by colour:
//   ╳ masked or dropped   ░ of padding   · in its place: not computed yet
void values_number(const Session *session, const ValuesGrid *grid, const ptrdiff_t at[], int row,
                   int end);

// Draws the chosen element in its frame. In the middle of its terms it is what they have come to.
void values_chosen_number(const Session *session, const ValuesGrid *grid, int row, int end);

// The chosen element with every digit. True in the middle of its terms: then it is not yet whole.
bool values_chosen_in_full(const Session *session, const ValuesGrid *grid,
                           char text[NUMBER_TEXT_MAX]);

// What the marks in sight mean, "" where there are none.
const char *values_marks_in_words(const ValuesGrid *grid);

#endif
