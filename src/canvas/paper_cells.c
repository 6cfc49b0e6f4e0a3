// paper_cells: see paper_cells.h. Few cells are rectangles; many are one image, whose pixels they are.
#include "paper_cells.h"

#include <math.h>
#include <string.h>

enum { RECTANGLES_MAX = 64 * 64, COLOUR = 0xffffff, HATCH_ALPHA = 190 };

void paper_colour(cairo_t *cairo, Colour colour, int alpha)
{
    cairo_set_source_rgba(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0, alpha / 255.0);
}

// --- colours

// How many cells from `column` on are `alike`, in the bits of a mask.
static int run_length(const DisplayCell *row, int column, int columns, DisplayCell mask)
{
    int end = column + 1;
    while (end < columns && ((row[end] ^ row[column]) & mask) == 0)
        end++;
    return end - column;
}

// Without gaps a cell goes on below its neighbours, which come later: else who shows the page would let
// the paper shine through between them.
static void fill_cells(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells)
{
    double wide = (double)item->width / item->columns, high = (double)item->height / item->rows;
    for (int row = 0; row < item->rows; row++, cells += item->columns)
        for (int column = 0, count; column < item->columns; column += count) {
            count = item->gap ? 1 : run_length(cells, column, item->columns, COLOUR);
            bool last_column = column + count == item->columns, last_row = row + 1 == item->rows;
            double more_across = item->gap ? -item->gap : last_column ? 0.0 : wide / 2.0;
            double more_down = item->gap ? -item->gap : last_row ? 0.0 : high / 2.0;
            paper_colour(cairo, cells[column] & COLOUR, 255);
            cairo_rectangle(cairo, item->x + column * wide, item->y + row * high,
                            count * wide + more_across, high + more_down);
            cairo_fill(cairo);
        }
}

static void fill_image(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells)
{
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, item->columns, item->rows);
    cairo_surface_flush(image);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t row = 0; pixels && row < (size_t)item->rows; row++)
        memcpy(pixels + row * stride, cells + row * (size_t)item->columns,
               (size_t)item->columns * sizeof *cells);
    cairo_surface_mark_dirty(image);
    cairo_save(cairo);
    cairo_translate(cairo, item->x, item->y);
    cairo_scale(cairo, (double)item->width / item->columns, (double)item->height / item->rows);
    cairo_set_source_surface(cairo, image, 0.0, 0.0);
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(image);
}

// --- patterns

// Lines across the whole item, `apart` pixels from each other, that go on from cell to cell: a slope of
// 1 is downwards.
static void slanted(cairo_t *cairo, const DisplayItem *item, int slope, int apart, double width)
{
    int reach = item->height, left = item->x, top = item->y;
    int at = slope > 0 ? left - top : left + top;
    int first = (slope > 0 ? at - reach : at) / apart * apart - apart;
    cairo_set_line_width(cairo, width / sqrt(2.0));
    for (int line = first; line <= at + item->width + reach; line += apart) {
        double x = slope > 0 ? line + top : line - top;
        cairo_move_to(cairo, x + width / 2.0, top);
        cairo_line_to(cairo, x + width / 2.0 + slope * reach, top + reach);
    }
    cairo_stroke(cairo);
}

static void upright(cairo_t *cairo, const DisplayItem *item, int apart, double width)
{
    cairo_set_line_width(cairo, width);
    for (int x = item->x / apart * apart; x <= item->x + item->width; x += apart) {
        cairo_move_to(cairo, x + width / 2.0, item->y);
        cairo_line_to(cairo, x + width / 2.0, item->y + item->height);
    }
    cairo_stroke(cairo);
}

static void level(cairo_t *cairo, const DisplayItem *item, int apart, double width)
{
    cairo_set_line_width(cairo, width);
    for (int y = item->y / apart * apart; y <= item->y + item->height; y += apart) {
        cairo_move_to(cairo, item->x / apart * apart, y + width / 2.0);
        cairo_line_to(cairo, item->x + item->width, y + width / 2.0);
    }
    cairo_stroke(cairo);
}

static void draw_pattern(cairo_t *cairo, const DisplayItem *item, DisplayMark mark)
{
    int apart = item->size > 2 ? item->size : 3;
    double width = apart > 6 ? apart / 6 : 1;
    if (mark == DISPLAY_MASKED || mark == DISPLAY_NAN)
        slanted(cairo, item, 1, apart, width);
    if (mark == DISPLAY_NAN)
        slanted(cairo, item, -1, apart, width);
    if (mark == DISPLAY_PADDED)
        slanted(cairo, item, -1, 2 * apart, 2.0 * width);
    if (mark == DISPLAY_INFINITY)
        upright(cairo, item, apart, width);
    if (mark == DISPLAY_NOT_YET) {
        double dots[] = {width, apart - width};
        cairo_set_dash(cairo, dots, 2, 0.0);
    }
    if (mark == DISPLAY_MINUS_INFINITY || mark == DISPLAY_NOT_YET)
        level(cairo, item, apart, width);
}

// The cells of a mark on which its pattern has this colour become the path. False: there are none.
static bool outline(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells,
                    DisplayMark mark, Colour colour)
{
    double wide = (double)item->width / item->columns, high = (double)item->height / item->rows;
    bool found = false;
    for (int row = 0; row < item->rows; row++, cells += item->columns)
        for (int column = 0, count; column < item->columns; column += count) {
            count = item->gap ? 1 : run_length(cells, column, item->columns, ~(DisplayCell)0);
            DisplayCell cell = cells[column];
            if (cell >> 24 != mark || display_hatch(item->colour, cell & COLOUR) != colour)
                continue;
            cairo_rectangle(cairo, item->x + column * wide, item->y + row * high,
                            count * wide - item->gap, high - item->gap);
            found = true;
        }
    return found;
}

static void hatch(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells,
                  DisplayMark mark)
{
    const Colour tones[] = {item->colour, 0x1b2430, 0xffffff}; // as display_hatch has them
    for (int tone = 0; tone < 3; tone++) {
        if (tone > 0 && tones[tone] == tones[0])
            continue;
        cairo_save(cairo);
        if (outline(cairo, item, cells, mark, tones[tone])) {
            cairo_clip(cairo);
            paper_colour(cairo, tones[tone], HATCH_ALPHA);
            draw_pattern(cairo, item, mark);
        }
        cairo_restore(cairo);
    }
}

void paper_cells(cairo_t *cairo, const DisplayItem *item, const DisplayCell *cells)
{
    bool marked[DISPLAY_MARK_COUNT] = {false};
    if (item->rows == 0 || item->columns == 0)
        return;
    if (item->gap > 0 || item->rows * item->columns <= RECTANGLES_MAX)
        fill_cells(cairo, item, cells);
    else
        fill_image(cairo, item, cells);
    for (int i = 0; i < item->rows * item->columns; i++)
        if (cells[i] >> 24 < DISPLAY_MARK_COUNT)
            marked[cells[i] >> 24] = true;
    for (int mark = DISPLAY_PLAIN + 1; mark < DISPLAY_MARK_COUNT; mark++)
        if (marked[mark])
            hatch(cairo, item, cells, (DisplayMark)mark);
}
