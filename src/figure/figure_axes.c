// figure_axes: what rows and columns of a map are, outside of their words; see figure_internal.h.
#include "figure_internal.h"

#include <stdio.h>

const char *figure_columns_are(const FigurePen *pen, char text[64])
{
    snprintf(text, 64, "%s \xe2\x86\x92", figure_axis_words(&pen->data, 3));
    return text;
}

void figure_draw_axes(const FigurePen *pen, int map, bool columns)
{
    const Figure *figure = pen->figure;
    const FigureMap *at = &figure->maps[map];
    int high = (int)pool_count(figure->rows, figure->block_rows) * figure->cell_height;
    char text[64];
    DisplayItem item = {.x = at->x - pen->row_labels + pen->axis / 2,
                        .y = at->y + high / 2,
                        .size = pen->small,
                        .anchor = DISPLAY_CENTRE,
                        .upright = true,
                        .colour = pen->theme.quiet};
    if (pen->axis == 0)
        return;
    figure_text(pen, item, high, figure_axis_words(&pen->data, 2));
    item.x = at->x - figure_points(pen, 6);
    item.y = at->y - pen->small * 3 / 4;
    item.anchor = DISPLAY_RIGHT;
    item.upright = false;
    if (columns)
        figure_text(pen, item, 0, figure_columns_are(pen, text));
}
