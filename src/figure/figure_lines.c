// figure_lines: the words of the queries on the left, of the keys on the right, and between them a
// line for every number, thicker and darker the larger it is; see figure_internal.h.
#include "figure_internal.h"

#include <math.h>

// The heights of rows and columns are the same here, so that the two lists stand level.
static int word_y(const FigurePen *pen, int map, ptrdiff_t number, ptrdiff_t first)
{
    return pen->figure->maps[map].y + (int)(number - first) * pen->figure->cell_height +
           pen->figure->cell_height / 2;
}

static void draw_line(const FigurePen *pen, int map, FigureCell cell, float share)
{
    const Figure *figure = pen->figure;
    bool other = pen->request->has_cursor && pen->request->cursor.row != cell.row;
    int y = word_y(pen, map, cell.row, figure->first_row);
    int alpha = (int)(share * (other ? 60.0f : 235.0f));
    if (alpha < 4)
        return;
    display_add(pen->list,
                (DisplayItem){.kind = DISPLAY_CURVE,
                              .x = figure->maps[map].x,
                              .y = y,
                              .width = figure->cell_width,
                              .height = word_y(pen, map, cell.column, figure->first_column) - y,
                              .colour = pen->theme.line,
                              .alpha = alpha,
                              .thickness = figure_points(pen, 8.0 + 56.0 * (double)share)});
}

static void draw_lines(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    PoolRange range = figure_range(pen, &figure->maps[map]);
    float low = pen->data.is_weights ? 0.0f : range.low;
    FigureCell cell = {.head = figure->maps[map].head};
    for (cell.row = figure->first_row; cell.row < figure->first_row + figure->rows; cell.row++)
        for (cell.column = figure->first_column;
             cell.column < figure->first_column + figure->columns; cell.column++) {
            float number = figure_number(&pen->data, pen->request->batch, cell);
            if (!isfinite(number) || !figure_is_computed(&pen->data, pen->request, cell))
                continue;
            float share = range.high > low ? (number - low) / (range.high - low) : 1.0f;
            draw_line(pen, map, cell, share > 1.0f ? 1.0f : share < 0.0f ? 0.0f : share);
        }
}

static void draw_queries(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    char text[64];
    for (ptrdiff_t row = figure->first_row; row < figure->first_row + figure->rows; row++) {
        bool current = pen->request->has_cursor && pen->request->cursor.row == row;
        figure_text(pen,
                    (DisplayItem){.x = figure->maps[map].x - figure_points(pen, 8),
                                  .y = word_y(pen, map, row, figure->first_row),
                                  .size = pen->text,
                                  .anchor = DISPLAY_RIGHT,
                                  .bold = current,
                                  .colour = current ? pen->theme.accent : pen->theme.ink},
                    pen->row_labels, figure_row_label(&pen->data, pen->request->batch, row, text));
    }
}

// The keys, each with its number when a query is chosen.
static void draw_keys(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    char text[64];
    FigureCell cell = pen->request->cursor;
    int left = figure->maps[map].x + figure->cell_width + figure_points(pen, 8);
    cell.head = figure->maps[map].head;
    for (ptrdiff_t column = figure->first_column; column < figure->first_column + figure->columns;
         column++) {
        bool current = pen->request->has_cursor && pen->request->cursor.column == column;
        DisplayItem item = {.x = left,
                            .y = word_y(pen, map, column, figure->first_column),
                            .size = pen->text,
                            .bold = current,
                            .colour = current ? pen->theme.accent : pen->theme.ink};
        figure_text(pen, item, pen->row_labels,
                    figure_column_label(&pen->data, pen->request->batch, column, text));
        cell.column = column;
        if (!pen->request->has_cursor || !figure_is_computed(&pen->data, pen->request, cell))
            continue;
        snprintf(text, sizeof text, "%.4f",
                 (double)figure_number(&pen->data, pen->request->batch, cell));
        item.x = left + pen->row_labels + figure_points(pen, 56);
        item.anchor = DISPLAY_RIGHT;
        item.colour = pen->theme.quiet;
        figure_text(pen, item, 0, text);
    }
}

void figure_draw_lines(const FigurePen *pen, int map)
{
    const FigureMap *at = &pen->figure->maps[map];
    char name[96];
    DisplayItem item = {.x = at->x - figure_points(pen, 8),
                        .y = at->y - figure_points(pen, 14),
                        .size = pen->small,
                        .anchor = DISPLAY_RIGHT,
                        .colour = pen->theme.quiet};
    figure_text(pen, item, 0, figure_axis_words(&pen->data, 2));
    item.x = at->x + pen->figure->cell_width + figure_points(pen, 8);
    item.anchor = DISPLAY_LEFT;
    figure_text(pen, item, 0, figure_axis_words(&pen->data, 3));
    if (at->head < 0)
        snprintf(name, sizeof name, "mean of %td heads", pen->data.values.shape[1]);
    else if (pen->data.has_heads)
        snprintf(name, sizeof name, "head %td", at->head);
    else
        snprintf(name, sizeof name, "%s", pen->data.trace->tensors[pen->data.tensor].name);
    item = (DisplayItem){.x = at->x + pen->figure->cell_width / 2,
                         .y = at->y - figure_points(pen, 14),
                         .size = pen->text,
                         .anchor = DISPLAY_CENTRE,
                         .bold = true,
                         .colour = pen->theme.ink};
    figure_text(pen, item, pen->figure->cell_width, name);
    draw_lines(pen, map);
    draw_queries(pen, map);
    draw_keys(pen, map);
}
