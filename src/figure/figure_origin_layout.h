// Where the rows of an origin go, and which words around them have room; shared by figure_origin.c and
// figure_origin_layout.c.
#ifndef FIGURE_ORIGIN_LAYOUT_H
#define FIGURE_ORIGIN_LAYOUT_H

#include "figure_internal.h"
#include "figure_origin.h"

// Points that all words above the cells take, and all below them.
enum { ABOVE_POINTS = 118, BELOW_POINTS = 150 };

// The words around the cells, and how many points those above and below take. In a small picture the cells
// have room before the least important words; the last line says that some are missing.
typedef struct Around {
    int above, below, title; // the last: where the middle of the title is
    bool formula, source, columns, term, result, colours;
} Around;

typedef struct Origin {
    FigurePen pen;
    const Trace *trace;
    const Explanation *explanation;
    FigureBox box;         // of all cells
    int bands, cell, band; // how many rows; pixels of a cell across, of a row down
    Around around;
    ptrdiff_t first, shown; // of the listed terms
} Origin;

// What stands left of a row.
const char *origin_row_name(const Origin *origin, FigureBand band, char text[TRACE_CELL_MAX]);

// Whether a film has gone through so many terms, which everything has that is none.
bool origin_has_gone(const Origin *origin, ptrdiff_t terms);

// Inputs are there from the beginning; what is made of them, when its term has come; and the shares of a
// softmax when all of its sum is there.
bool origin_has_come(const Origin *origin, FigureBand band, ptrdiff_t term);

// Bit m: some cell has mark m.
unsigned origin_marks(const Origin *origin);

// Chooses the words around the cells, and gives the cells their place and size.
void origin_lay_out(Origin *origin);

#endif
