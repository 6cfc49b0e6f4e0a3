// figure_help: the page of keys that lies over a figure; see figure_internal.h.
#include "figure_internal.h"

// How keys and their meanings lie: in one column, or in two where one would be higher than the picture.
typedef struct Page {
    int lines, columns, deep; // deep: how many lines a column has
    int letter, row;          // pixels of a letter, of a line
    int pad, keys, across;    // pixels around, of a column's keys, of a column
} Page;

static int widest(const FigurePen *pen, int which, int letter)
{
    const char *const *help = pen->request->help;
    int most = 0;
    for (int i = 0; help[2 * i]; i++) {
        int width = font_width(pen->metrics, help[2 * i + which], letter);
        most = width > most ? width : most;
    }
    return most;
}

static void measure(const FigurePen *pen, Page *page)
{
    int gap = figure_points(pen, 18);
    page->keys = widest(pen, 0, page->letter) + gap;
    page->across = page->keys + widest(pen, 1, page->letter) + gap;
}

// Letters become smaller until everything fits, as far as they can still be read.
static Page lay_out(const FigurePen *pen)
{
    const DisplayList *list = pen->list;
    Page page = {.row = figure_points(pen, 22), .pad = figure_points(pen, 24), .letter = pen->text};
    int least = figure_points(pen, 8);
    while (pen->request->help[2 * page.lines])
        page.lines++;
    page.columns = page.lines * page.row + 2 * page.pad > list->height ? 2 : 1;
    page.deep = (page.lines + page.columns - 1) / page.columns;
    if (page.columns * figure_points(pen, 320) > list->width)
        page.pad = figure_points(pen, 8);
    if (page.deep * page.row + 2 * page.pad > list->height)
        page.row = (list->height - 2 * page.pad) / page.deep;
    if (page.letter > page.row)
        page.letter = page.row > 1 ? page.row : 1;
    measure(pen, &page);
    while (page.columns * page.across + page.pad > list->width && page.letter > least) {
        page.letter--;
        measure(pen, &page);
    }
    return page;
}

void figure_draw_help(const FigurePen *pen)
{
    const char *const *help = pen->request->help;
    Page page = lay_out(pen);
    int width = page.columns * page.across + page.pad;
    int height = page.deep * page.row + 2 * page.pad;
    width = width < pen->list->width ? width : pen->list->width;
    height = height < pen->list->height ? height : pen->list->height;
    int x = (pen->list->width - width) / 2, y = (pen->list->height - height) / 2;
    display_rectangle(pen->list, x, y, width, height, pen->theme.paper);
    display_add(pen->list, (DisplayItem){.kind = DISPLAY_FRAME,
                                         .x = x,
                                         .y = y,
                                         .width = width,
                                         .height = height,
                                         .colour = pen->theme.quiet,
                                         .alpha = 255,
                                         .thickness = 1});
    for (int i = 0; i < page.lines; i++) {
        DisplayItem item = {.x = x + page.pad + i / page.deep * page.across,
                            .y = y + page.pad + i % page.deep * page.row + page.row / 2,
                            .size = page.letter,
                            .bold = true,
                            .colour = pen->theme.ink};
        int room = page.across - page.keys;
        if (item.x + page.across > x + width)
            room = x + width - item.x - page.keys;
        figure_text(pen, item, page.keys, help[2 * i]);
        item.x += page.keys;
        item.bold = false;
        figure_text(pen, item, room > 1 ? room : 1, help[2 * i + 1]);
    }
}
