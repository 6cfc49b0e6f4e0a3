// Where the numbers of a tensor go on screen: which rows and columns, how wide, under which words. The
// geometry of the values panel; it looks at no more of the tensor than is visible, and at the first
// few words of an axis.
#ifndef VALUES_GRID_H
#define VALUES_GRID_H

#include "number_cell.h"
#include "panel.h"
#include "trace_mark.h"

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
