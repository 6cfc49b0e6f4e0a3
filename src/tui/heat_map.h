// A matrix as a map of cells on screen. With colours a cell is a coloured block, and where there are
// more rows than lines, two rows share a line (upper half, lower half); without, it is a shade with
// its sign. Where there are still more cells than room, a block of cells shows its largest number.
#ifndef HEAT_MAP_H
#define HEAT_MAP_H

#include "cells.h"
#include "figure_data.h"
#include "session.h"
#include "trace.h"

// --- how a number looks
//
// From a number of a tensor to how it looks in a map of characters: its mark, its level on a scale,
// a colour, a shade.

// What is shown of a tensor: one sequence and, of a matrix too large to be looked through for every
// screen, a part, which has so many rows and columns at most.
enum { HEAT_SIDE_MAX = 1024 };
typedef struct HeatSource {
    FigureData data;
    TraceMarks marks;
    const Session *session; // that walks through the tensor; NULL: every element is there
    ptrdiff_t sequence;
    ptrdiff_t first_row, first_column, rows, columns;
    ptrdiff_t first_head, heads; // that one scale is for
    bool even;                   // colours go by weight times keys: heat_times
} HeatSource;

// Chooses the part with the chosen cell in it, for one head or for all of them; as large as about a
// million numbers allow.
void heat_part(HeatSource *source, FigureCell chosen, bool all_heads);

// Whether the walk through the elements has come to a cell, and its flag.

// The mark of a cell whose number is `number`.
MatrixMark heat_mark(const HeatSource *source, FigureCell cell, float number);

// How often a number of the row counts in its colour: once or, where colours are even, as often as the query
// may see keys. An even share is then 1 in every row, as in a picture (figure_cache.c).
float heat_times(const HeatSource *source, ptrdiff_t head, ptrdiff_t row);

typedef struct HeatScale {
    float low, high;
    bool both_signs; // low is -high: blue below zero, red above; shades get a sign
    Colour table[COLOUR_LEVELS];
} HeatScale;

// The scale of what is shown: 0 to `least` or, where that is larger, to the largest; symmetric around
// 0 where numbers are negative. Only finite numbers that are not masked count, and those of `more` (NULL:
// none), which is not shown: one number has one colour in every head.
HeatScale heat_scale(const HeatSource *source, const HeatSource *more, float least);

// A finite number's colour.
Colour heat_colour(const HeatScale *scale, float number);

// A finite number's size as one of five characters, from next to nothing to full.
enum { HEAT_SHADES = 5 };
extern const char *const heat_shades[HEAT_SHADES];
const char *heat_shade(const HeatScale *scale, float number);

// --- the map

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
