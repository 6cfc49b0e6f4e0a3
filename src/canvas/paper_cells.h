// Cells of a display list on paper.
#ifndef PAPER_CELLS_H
#define PAPER_CELLS_H

#include <cairo.h>
#include "display_list.h"

// What is drawn from now on has this colour; an alpha of 255 covers.
void paper_colour(cairo_t *cairo, Colour colour, int alpha);

// Colours first, then the patterns of marks over them.
void paper_cells(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells);

#endif
