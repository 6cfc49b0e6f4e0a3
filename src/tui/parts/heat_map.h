// A matrix as a map of cells on screen. With colours a cell is a coloured block, and where there are
// more rows than lines, two rows share a line (upper half, lower half); without, it is a shade with
// its sign. Where there are still more cells than room, a block of cells shows its largest number.
#ifndef HEAT_MAP_H
#define HEAT_MAP_H

#include "cells.h"
#include "heat_scale.h"

// How a matrix fits.
typedef struct HeatFit {
    ptrdiff_t block_rows, block_columns; // 1: every number is shown
    ptrdiff_t rows, columns;             // blocks
    int cell_columns;                    // columns of the screen for a block
    bool halves;                         // two rows of blocks share a line
    bool signs;                          // the first column of a block is for the sign
    int lines;
} HeatFit;

// `room` is for the cells alone, at least 1x1; a block takes at most `most` columns.
HeatFit heat_fit(const HeatSource *source, const HeatScale *scale, Area room, int colours,
                 int most);

// The upper left cell of a block, and the block of a row or column.
FigureCell heat_first_cell(const HeatSource *source, const HeatFit *fit, ptrdiff_t head,
                           ptrdiff_t row, ptrdiff_t column);
ptrdiff_t heat_block_row(const HeatSource *source, const HeatFit *fit, ptrdiff_t row);
ptrdiff_t heat_block_column(const HeatSource *source, const HeatFit *fit, ptrdiff_t column);

typedef struct HeatMap {
    const HeatSource *source;
    const HeatScale *scale;
    HeatFit fit;
    ptrdiff_t head;
    FigureCell chosen; // marked where it lies on this map
} HeatMap;

// Draws into the upper left of `area`; adds the marks that occur to `marks`.
void heat_map_draw(const HeatMap *map, Area area, bool marks[MATRIX_MARKS]);

#endif
