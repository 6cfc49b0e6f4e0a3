// figure_strip: the numbers of all heads in a row, from which they are picked; see figure_internal.h.
// A picked one is written dark in reverse, the one that keys act on is underlined: neither needs a
// colour to be seen.
#include "figure_internal.h"

enum { STRIP_ROWS_MAX = 4 };

static bool is_wanted(const FigurePen *pen)
{
    const FigureRequest *request = pen->request;
    bool lines = request->mode == FIGURE_LINES || request->mode == FIGURE_ALL_LINES;
    return request->keys && !request->mean && pen->data.has_heads &&
           pen->data.values.shape[1] > 1 && (lines || figure_heads_any(&request->heads));
}

void figure_layout_strip(FigurePen *pen, FigureBox *area)
{
    FigureStrip *strip = &pen->figure->strip;
    ptrdiff_t heads = pen->data.values.shape[1];
    char widest[32];
    *strip = (FigureStrip){.count = 0};
    if (!is_wanted(pen))
        return;
    snprintf(widest, sizeof widest, "%td", heads - 1);
    int word = font_width(pen->metrics, pen->data.maps, pen->small) + figure_points(pen, 12);
    int gap = figure_points(pen, 5), chip = figure_points(pen, 20);
    int wide = font_width(pen->metrics, widest, pen->small) + figure_points(pen, 12);
    wide = wide > chip ? wide : chip;
    int columns = (area->width - word) / (wide + gap);
    ptrdiff_t rows = columns > 0 ? (heads + columns - 1) / columns : STRIP_ROWS_MAX + 1;
    int height = (int)rows * (chip + gap);
    if (rows > STRIP_ROWS_MAX || area->height - height < figure_points(pen, 140))
        return;
    *strip = (FigureStrip){area->x + word, area->y, wide, chip, gap, columns, (int)heads};
    area->y += height + gap;
    area->height -= height + gap;
}

static void draw_chip(const FigurePen *pen, ptrdiff_t head, int x, int y)
{
    const FigureStrip *strip = &pen->figure->strip;
    const FigureRequest *request = pen->request;
    bool all = figure_shows_every_head(request) && !figure_heads_any(&request->heads);
    bool in = all || figure_heads_has(&request->heads, head);
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    char number[32];
    snprintf(number, sizeof number, "%td", head);
    if (in)
        display_rectangle(pen->list, x, y, strip->width, strip->height, pen->theme.ink);
    else
        display_add(pen->list, (DisplayItem){.kind = DISPLAY_FRAME,
                                             .x = x,
                                             .y = y,
                                             .width = strip->width,
                                             .height = strip->height,
                                             .colour = pen->theme.faint,
                                             .alpha = 255,
                                             .thickness = 1});
    figure_text(pen,
                (DisplayItem){.x = x + strip->width / 2,
                              .y = y + strip->height / 2,
                              .size = pen->small,
                              .anchor = DISPLAY_CENTRE,
                              .bold = in,
                              .colour = in ? pen->theme.paper : pen->theme.quiet},
                0, number);
    if (head == request->head)
        display_rectangle(pen->list, x, y + strip->height + line / 2, strip->width, line,
                          pen->theme.accent);
}

void figure_draw_strip(const FigurePen *pen, FigureBox area)
{
    const FigureStrip *strip = &pen->figure->strip;
    int across = strip->width + strip->gap, down = strip->height + strip->gap;
    if (strip->count == 0)
        return;
    DisplayItem item = {.x = area.x,
                        .y = strip->y + strip->height / 2,
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    figure_text(pen, item, 0, pen->data.maps);
    for (int head = 0; head < strip->count; head++)
        draw_chip(pen, head, strip->x + head % strip->columns * across,
                  strip->y + head / strip->columns * down);
    item.x = strip->x + strip->count * across + strip->gap;
    item.bold = false;
    item.colour = pen->theme.quiet;
    const char *hint = "x or a click: in or out";
    bool one_row = strip->count <= strip->columns;
    if (one_row && item.x + font_width(pen->metrics, hint, pen->small) <= area.x + area.width)
        figure_text(pen, item, 0, hint);
}

bool figure_hit_head(const Figure *figure, int x, int y, ptrdiff_t *head)
{
    const FigureStrip *strip = &figure->strip;
    int across = strip->width + strip->gap, down = strip->height + strip->gap;
    if (strip->count == 0 || x < strip->x || y < strip->y)
        return false;
    int column = (x - strip->x) / across, row = (y - strip->y) / down;
    *head = (ptrdiff_t)row * strip->columns + column;
    return column < strip->columns && *head < strip->count &&
           (x - strip->x) % across < strip->width && (y - strip->y) % down < strip->height;
}
