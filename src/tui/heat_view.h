// What the heatmap panel shows: one head with words on both axes, or all heads of a sequence.
#ifndef HEAT_VIEW_H
#define HEAT_VIEW_H

#include "heat_map.h"

typedef struct HeatView {
    HeatSource source;
    HeatScale scale;
    FigureCell chosen;
} HeatView;

// What a head of the tensor is called: "head 2", the word of a token, an axis and an index; "" where
// the tensor has two axes only.
const char *heat_head_name(const HeatView *view, ptrdiff_t head, char text[80]);

// Both fill `area`, add the marks that occur, and return how the matrix fits.
HeatFit heat_head_draw(const HeatView *view, Area area, bool marks[HEAT_MARKS], Cells *cells);
HeatFit heat_grid_draw(const HeatView *view, Area area, bool marks[HEAT_MARKS], Cells *cells);

#endif
