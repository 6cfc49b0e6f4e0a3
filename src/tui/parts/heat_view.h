// What the heatmap panel shows: one head with words on both axes, or all heads of a sequence.
#ifndef HEAT_VIEW_H
#define HEAT_VIEW_H

#include "heat_map.h"

typedef struct HeatView {
    HeatSource source;
    HeatScale scale;
    FigureCell chosen;
} HeatView;

// What a map of the tensor is called: "head 2", "query 1 is"; "" where the tensor has one only.
enum { HEAT_NAME_MAX = 160 };
const char *heat_head_name(const HeatView *view, ptrdiff_t head, char text[HEAT_NAME_MAX]);

// Both fill `area`, add the marks that occur, and return how the matrix fits.
HeatFit heat_head_draw(const HeatView *view, Area area, bool marks[MATRIX_MARKS]);
HeatFit heat_grid_draw(const HeatView *view, Area area, bool marks[MATRIX_MARKS]);

#endif
