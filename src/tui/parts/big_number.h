// Numbers in digits made of blocks, to be read from the last row of a room: 3 x 5 pixels a digit,
// drawn in half blocks (3 rows) or with two whole cells a pixel (5 rows).
#ifndef BIG_NUMBER_H
#define BIG_NUMBER_H

#include "cells.h"

typedef enum BigSize { BIG_PLAIN, BIG_HALF, BIG_WHOLE } BigSize; // plain: as text

// The cells that a number takes, without a gap behind it. Characters that no number has are left out.
int big_number_columns(const char *text, BigSize size);
int big_number_rows(BigSize size);

// Where and how it is drawn.
typedef struct BigPen {
    Area area;
    Role role;
    BigSize size;
} BigPen;

// Row and column are counted inside the area.
void big_number_draw(const BigPen *pen, int row, int column, const char *text);

#endif
