// Numbers in digits made of blocks, to be read from the last row of a room: 3 x 5 pixels a digit,
// drawn in half blocks (3 rows) or with two whole cells a pixel (5 rows).
#ifndef BIG_NUMBER_H
#define BIG_NUMBER_H

#include "cells.h"
#include "session.h"

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

// --- the values of a tensor
//
// The values of the tensor looked at in big digits: for a projector.

// Places on an axis, each once, in order.
enum { BIG_AXIS_MAX = 64 };

typedef struct BigAxis {
    int count;
    ptrdiff_t at[BIG_AXIS_MAX];
} BigAxis;

bool big_axis_add(BigAxis *axis, ptrdiff_t index); // false: there is no room for it

// What has to be seen.
typedef struct BigNeeds {
    BigAxis rows, columns;
} BigNeeds;

// The whole matrix where it fits in some size; else what is needed and as many rows and columns around
// the chosen element as the area holds, with dots where some are left out. The chosen one is underlined.
void big_values_draw(const Session *session, Area area, const BigNeeds *needs);

// Whether all that is needed is then seen, with all decimals.
bool big_values_hold(const Session *session, Area area, const BigNeeds *needs);

// Whether as many numbers are seen in `less` as in `area`, and as large.
bool big_values_as_large(const Session *session, Area less, Area area, const BigNeeds *needs);

// The chosen element's row alone, in as many lines as it takes; false, and nothing drawn, where the area
// has too few. Without cells it is only tried.
bool big_row_draw(const Session *session, Area area);

// The chosen element alone: its name, and the number; and the rows it takes.
int big_values_chosen_rows(const Session *session, Area area);
void big_values_chosen(const Session *session, Area area);

#endif
