// Two runs beside each other in one tensor: for each head a map of the one, a map of the other in the
// same colours, and a map of what differs, other - this. A cell whose bits are the same in both is
// quiet in the third; the one that differs most is framed in all three: the first of all may differ
// in its last digit alone.
#ifndef FIGURE_COMPARE_H
#define FIGURE_COMPARE_H

#include "figure.h"

// What the run is compared with.
typedef struct FigureOther {
    const Trace *trace;
    int tensor;        // there; of the same shape as the request's
    const char *name;  // "mistake mask-off-by-one", as it was asked for
    const char *about; // a line more about it; NULL: none
    bool differs;      // somewhere in the run; then,
    TraceCell first;   // the first element of all that does, in the tensors of this run
} FigureOther;

// Draws, as figure_draw does. Of the request, zoom, locks and the scales of rows and heads say
// nothing here: both sides have one scale, so that a colour is one number; or one share of its row,
// where the scale is FIGURE_SCALE_EVEN.
bool figure_compare_draw(const Trace *trace, const FigureRequest *request, const FigureOther *other,
                         const FigurePaper *paper, Figure *figure, Error *err);

// The numbers of a tensor in both runs, to be counted; read with figure_compare_number.
typedef enum FigureSide {
    FIGURE_SIDE_THIS,
    FIGURE_SIDE_OTHER,
    FIGURE_SIDE_DIFFERENCE, // other - this; 0 where the bits are the same
    FIGURE_SIDES
} FigureSide;

typedef struct FigureData FigureData; // figure_data.h

typedef struct FigureSidePair {
    const FigureData *here, *there;
    ptrdiff_t batch;
} FigureSidePair;

float figure_compare_number(const FigureSidePair *pair, FigureSide side, FigureCell cell);

// Whether the cell has the same bits in both; every NaN is the same.
bool figure_compare_same(const FigureSidePair *pair, FigureCell cell);

// The cell of a map that differs most, the first of several; false when none does.
bool figure_compare_most(const FigureSidePair *pair, ptrdiff_t head, FigureCell *cell);

#endif
