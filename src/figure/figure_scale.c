// figure_scale: the colours or lines beside the maps with their numbers, whose they are, and a sample of
// every mark that occurs; see figure_internal.h.
#include "figure_internal.h"

#include <math.h>
#include <stdio.h>

static void draw_bar(const FigurePen *pen, FigureBox box)
{
    Colour table[COLOUR_LEVELS];
    colour_table(pen->request->map, table);
    DisplayCell *cells = display_cells(pen->list, (DisplayItem){.x = box.x,
                                                                .y = box.y,
                                                                .width = box.width,
                                                                .height = box.height,
                                                                .rows = box.height,
                                                                .columns = 1,
                                                                .size = 1});
    for (int row = 0; cells && row < box.height; row++) {
        int level =
            (COLOUR_LEVELS - 1) * (box.height - 1 - row) / (box.height > 1 ? box.height - 1 : 1);
        cells[row] = display_cell(table[level], DISPLAY_PLAIN);
    }
}

const FigureMap *figure_map_of_cursor(const FigurePen *pen)
{
    const Figure *figure = pen->figure;
    for (int map = 0; pen->request->has_cursor && map < figure->map_count; map++)
        if (figure->maps[map].head == pen->request->cursor.head)
            return &figure->maps[map];
    return &figure->maps[0];
}

// Numbers beside the bar. When every head has a scale of its own and no head is chosen, words.
static void draw_ticks(const FigurePen *pen, FigureBox box)
{
    bool each = pen->request->scale == FIGURE_SCALE_HEAD && pen->figure->map_count > 1;
    const FigureMap *map = figure_map_of_cursor(pen);
    PoolRange range = pen->figure->lines ? figure_line_range(pen, map) : figure_range(pen, map);
    bool words = each && !pen->request->has_cursor;
    bool one = !words && range.low == range.high; // in the middle of the colours
    for (int tick = one ? 2 : 0; tick < (one ? 3 : 5); tick++) {
        char text[64];
        double share = 1.0 - tick / 4.0;
        double number = range.low + ((double)range.high - range.low) * share;
        if (words)
            snprintf(text, sizeof text, "%s", tick == 0 ? "highest" : tick == 4 ? "lowest" : "");
        else if (range.low <= range.high)
            snprintf(text, sizeof text, fabs(number) < 1e4 ? "%.4g" : "%.2e", number);
        else
            snprintf(text, sizeof text, "%s", tick == 0 ? "none" : "");
        int y = box.y + (box.height - 1) * tick / 4;
        display_rectangle(pen->list, box.x + box.width, y, figure_points(pen, 4), 1,
                          pen->theme.quiet);
        figure_text(pen,
                    (DisplayItem){.x = box.x + box.width + figure_points(pen, 8),
                                  .y = y,
                                  .size = pen->small,
                                  .colour = pen->theme.ink},
                    0, text);
    }
}

static const char *scale_words(const FigurePen *pen, char text[64])
{
    bool chosen = pen->request->has_cursor && pen->data.has_heads && !pen->request->mean;
    if (pen->request->scale == FIGURE_SCALE_UNIT)
        return pen->request->map == COLOUR_DIVERGING ? "fixed, -1 to 1" : "fixed, 0 to 1";
    if (!pen->data.has_heads || pen->request->mean)
        return "of this map";
    if (pen->request->scale == FIGURE_SCALE_ALL)
        return snprintf(text, 64, "over all %s", pen->data.maps), text;
    if (pen->figure->map_count > 1 && !chosen)
        return snprintf(text, 64, "of each %s", pen->data.map), text;
    if (pen->figure->map_count > 1)
        snprintf(text, 64, "each %s; %td", pen->data.map, figure_map_of_cursor(pen)->head);
    else
        snprintf(text, 64, "of %s %td", pen->data.map, pen->figure->maps[0].head);
    return text;
}

// Small samples of the marks that occur in the maps.
static void draw_legend(const FigurePen *pen, int x, int y)
{
    static const char *const words[DISPLAY_MARK_COUNT] = {
        "", "masked", "padding", "NaN", "+infinity", "-infinity", "not yet"};
    int side = figure_points(pen, 14);
    for (int mark = DISPLAY_MASKED; mark < DISPLAY_MARK_COUNT; mark++) {
        if (!figure_mark_occurs(pen, (DisplayMark)mark))
            continue;
        DisplayCell *cell = display_cells(pen->list, (DisplayItem){.x = x,
                                                                   .y = y,
                                                                   .width = side,
                                                                   .height = side,
                                                                   .rows = 1,
                                                                   .columns = 1,
                                                                   .colour = pen->theme.hatch,
                                                                   .size = figure_points(pen, 5)});
        if (cell)
            *cell = display_cell(mark == DISPLAY_NAN ? pen->theme.alarm_paper : pen->theme.empty,
                                 (DisplayMark)mark);
        figure_text(pen,
                    (DisplayItem){.x = x + side + figure_points(pen, 8),
                                  .y = y + side / 2,
                                  .size = pen->small,
                                  .colour = pen->theme.ink},
                    0, words[mark]);
        y += figure_points(pen, 22);
    }
}

void figure_draw_scale(const FigurePen *pen, FigureBox box)
{
    char text[64];
    int head = figure_points(pen, 44), most = figure_points(pen, 260);
    int top = pen->figure->maps[0].y - head;
    box.height -= top > box.y ? top - box.y : 0;
    box.y = top > box.y ? top : box.y;
    FigureBox bar = {box.x, box.y + head, figure_points(pen, 14), box.height * 3 / 5 - head};
    bar.height = bar.height < most ? bar.height : most;
    if (bar.height < figure_points(pen, 40))
        return;
    DisplayItem item = {.x = box.x,
                        .y = box.y + figure_points(pen, 8),
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    figure_text(pen, item, box.width,
                pen->figure->lines ? "thickness" : colour_map_names[pen->request->map]);
    item.y += figure_points(pen, 16);
    item.bold = false;
    item.colour = pen->theme.quiet;
    figure_text(pen, item, box.width, scale_words(pen, text));
    draw_legend(pen, box.x, bar.y + bar.height + figure_points(pen, 22));
    if (pen->figure->lines)
        figure_draw_line_samples(pen, bar);
    else
        draw_bar(pen, bar);
    draw_ticks(pen, bar);
}
