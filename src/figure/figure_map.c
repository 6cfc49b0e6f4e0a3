// One map: heading, labels, cells with numbers, cursor and locks; see figure_internal.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "figure_internal.h"
#include "figure_words.def"
#include "number_text.h"

// Opacity, of 255, of the paper over rows next to a locked one, and over pale rows.
enum { VEIL = 150, VEIL_PALE = 190 };

FigureBox figure_cells_box(const FigurePen *pen, int map, ptrdiff_t row, ptrdiff_t rows,
                           ptrdiff_t column, ptrdiff_t columns)
{
    const Figure *figure = pen->figure;
    ptrdiff_t down = (row - figure->first_row) / figure->block_rows;
    ptrdiff_t across = (column - figure->first_column) / figure->block_columns;
    return (FigureBox){figure->maps[map].x + (int)across * figure->cell_width,
                       figure->maps[map].y + (int)down * figure->cell_height,
                       (int)pool_count(columns, figure->block_columns) * figure->cell_width,
                       (int)pool_count(rows, figure->block_rows) * figure->cell_height};
}

static FigureBox map_box(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    return figure_cells_box(pen, map, figure->first_row, figure->rows, figure->first_column,
                            figure->columns);
}

bool figure_has_words_above(const FigurePen *pen, int map)
{
    return pen->words_above_all || pen->figure->maps[map].y == pen->figure->maps[0].y;
}

static bool is_current(const FigurePen *pen, int map)
{
    ptrdiff_t head = pen->figure->maps[map].head;
    return head < 0 || head == pen->request->cursor.head;
}

// A note on all rows of a map, once they are computed. Returns how many of its leading words may be left out.
static int describe_rows(const FigurePen *pen, int map, char note[96])
{
    const ptrdiff_t *shape = pen->data.values.shape;
    FigureCell last = {pen->figure->maps[map].head, shape[2] - 1, shape[3] - 1};
    ptrdiff_t odd = figure_odd_rows(pen, map);
    double entropy, bound;
    note[0] = '\0';
    if (!figure_is_computed(&pen->data, pen->request, last))
        return 0;
    if (figure_entropy(pen, map, &entropy, &bound))
        snprintf(note, 96, TELL(MEAN_ENTROPY), number_unsigned_nan(entropy), bound);
    else if (odd > 0)
        snprintf(note, 96, TELL(MAP_ODD_ROWS), odd);
    return odd > 0 ? 0 : 2;
}

static void draw_heading(const FigurePen *pen, int map)
{
    const FigureMap *at = &pen->figure->maps[map];
    FigureBox box = map_box(pen, map);
    int y = box.y - pen->heading / 2;
    y -= figure_has_words_above(pen, map) ? pen->column_labels : 0;
    char note[96];
    int most = describe_rows(pen, map, note);
    bool marked = pen->request->has_cursor && is_current(pen, map) && pen->figure->map_count > 1;
    DisplayItem item = {.x = box.x, .y = y, .bold = true};
    item.size = pen->label > pen->text ? pen->label : pen->text;
    item.colour = marked ? pen->theme.accent : pen->theme.ink;
    int left = box.width - figure_name(pen, item, box.width, at->head) - figure_points(pen, 16);
    item = (DisplayItem){.x = box.x + box.width,
                         .y = y,
                         .size = pen->small,
                         .anchor = DISPLAY_RIGHT,
                         .colour = pen->theme.quiet};
    const char *words = note; // narrow maps have room for fewer words
    for (int cut = 0; cut < most && font_width(pen->metrics, words, pen->small) > left; cut++)
        words += strcspn(words, " ") + (words[0] != '\0');
    if (note[0] != '\0' && font_width(pen->metrics, words, pen->small) <= left)
        figure_text(pen, item, 0, words);
}

// Every how many cells there is a label; 1 if all fit.
static ptrdiff_t label_step(const FigurePen *pen, int pixels, ptrdiff_t block, int wanted)
{
    static const ptrdiff_t steps[] = {1, 2, 5};
    if (pen->words)
        return 1;
    for (ptrdiff_t ten = 1;; ten *= 10)
        for (int i = 0; i < 3; i++)
            if (steps[i] * ten * pixels >= wanted * block)
                return steps[i] * ten;
}

static void row_word(const FigurePen *pen, int map, ptrdiff_t row, int height)
{
    char text[64];
    bool current = pen->request->has_cursor && pen->request->cursor.row == row;
    FigureBox box = figure_cells_box(pen, map, row, 1, pen->figure->first_column, 1);
    if (pen->words)
        figure_row_label(&pen->data, pen->request->batch, row, text);
    else
        snprintf(text, sizeof text, "%td", row);
    figure_text(pen,
                (DisplayItem){.x = box.x - figure_points(pen, 6),
                              .y = box.y + (pen->words ? height / 2 : pen->figure->cell_height / 2),
                              .size = pen->words ? pen->label : pen->small,
                              .anchor = DISPLAY_RIGHT,
                              .bold = current,
                              .colour = current ? pen->theme.accent : pen->theme.quiet},
                pen->row_labels - pen->axis - figure_points(pen, 6), text);
}

static void column_word(const FigurePen *pen, int map, ptrdiff_t column)
{
    char text[64];
    bool current = pen->request->has_cursor && pen->request->cursor.column == column;
    FigureBox box = figure_cells_box(pen, map, pen->figure->first_row, 1, column, 1);
    if (pen->words)
        figure_column_label(&pen->data, pen->request->batch, column, text);
    else
        snprintf(text, sizeof text, "%td", column);
    bool upright = pen->words && pen->upright;
    int size = pen->words ? pen->label : pen->small;
    FigureBox whole = map_box(pen, map);
    int end = box.x + (pen->figure->cell_width + font_width(pen->metrics, text, pen->small)) / 2;
    if (!pen->words && end > whole.x + whole.width + figure_points(pen, 5))
        return; // it would run into the next map
    DisplayItem item = {.x = box.x + pen->figure->cell_width / 2,
                        .y = box.y - (upright ? figure_points(pen, 5) : size * 3 / 4),
                        .size = size,
                        .anchor = upright ? DISPLAY_LEFT : DISPLAY_CENTRE,
                        .upright = upright,
                        .bold = current,
                        .colour = current ? pen->theme.accent : pen->theme.quiet};
    figure_text(pen, item, upright ? pen->column_labels - figure_points(pen, 6) : 0, text);
}

static void draw_words(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    bool first_column = figure->maps[map].x == figure->maps[0].x;
    bool first_row = figure_has_words_above(pen, map);
    if (pen->row_labels == 0)
        return;
    if (first_column)
        figure_draw_axes(pen, map, first_row);
    ptrdiff_t step = label_step(pen, figure->cell_height, figure->block_rows, pen->small * 2);
    for (ptrdiff_t row = pool_count(figure->first_row, step) * step;
         first_column && row < figure->first_row + figure->rows; row += step)
        row_word(pen, map, row, figure->cell_height);
    step = label_step(pen, figure->cell_width, figure->block_columns, pen->small * 3);
    for (ptrdiff_t column = pool_count(figure->first_column, step) * step;
         first_row && column < figure->first_column + figure->columns; column += step)
        column_word(pen, map, column);
}

// --- numbers in cells

// Finds the largest size, and the most decimals, at which the ends of the range fit into a cell; false if
// none does. Large numbers need margins. With enlarged letters, numbers without room keep their usual size.
static bool fit_numbers(const FigurePen *pen, int *decimals, int *size)
{
    const Figure *figure = pen->figure;
    PoolRange range = pool_nothing;
    for (int map = 0; map < figure->map_count; map++)
        range = pool_join(range, figure_range(pen, &figure->maps[map]));
    int least = figure_number_least(pen), margin = figure_usual_points(pen, 4);
    if (figure->block_rows > 1 || figure->block_columns > 1 ||
        figure->cell_height < figure_usual_points(pen, 14))
        return false;
    bool whole = pen->data.values.dtype != DTYPE_F32 && figure->maps[0].head >= 0;
    int most = whole ? 0 : 4;
    for (*size = figure_points(pen, 22); *size >= least; --*size) {
        bool large = *size > figure_points(pen, 13);
        int room = large ? figure->cell_width * 7 / 10 : figure->cell_width - margin;
        if (*size > figure->cell_height || (large && figure->cell_height < *size * 5 / 2))
            continue;
        for (*decimals = most; *decimals >= (whole ? 0 : large ? 3 : 2); --*decimals)
            if (figure_number_fits(pen, range, *decimals, *size, room))
                return true;
    }
    *decimals = -1;
    for (*size = figure_points(pen, 13); *size >= least; --*size)
        if (*size <= figure->cell_height &&
            figure_number_fits(pen, range, -1, *size, figure->cell_width - margin))
            return true;
    return false;
}

// True if another row is locked.
static bool is_veiled(const FigurePen *pen, ptrdiff_t row)
{
    const FigureRequest *request = pen->request;
    return request->has_cursor && request->lock == FIGURE_LOCKED_ROW && request->cursor.row != row;
}

// True if no row of the block is asked for.
static bool is_pale(const FigurePen *pen, int map, ptrdiff_t row)
{
    const Figure *figure = pen->figure;
    ptrdiff_t end = figure->first_row + figure->rows, last = row + figure->block_rows;
    bool asked = false;
    for (; row < last && row < end; row++)
        asked = asked ||
                figure_row_is_asked(&pen->data, pen->request->batch, figure->maps[map].head, row);
    return !asked;
}

// The cell as seen below its veils; its number must stand out from that.
static DisplayCell veiled(const FigurePen *pen, DisplayCell cell, int map, ptrdiff_t row)
{
    Colour colour = cell & 0xffffff;
    if (is_pale(pen, map, row))
        colour = colour_blend(colour, pen->theme.paper, VEIL_PALE);
    if (is_veiled(pen, row))
        colour = colour_blend(colour, pen->theme.paper, VEIL);
    return display_cell(colour, (DisplayMark)(cell >> 24));
}

// `at` is where the map's cells begin in the list.
static void draw_numbers(const FigurePen *pen, int map, size_t at)
{
    const Figure *figure = pen->figure;
    int decimals, size;
    if (!fit_numbers(pen, &decimals, &size))
        return;
    pen->figure->number_size = size;
    for (ptrdiff_t row = 0; row < figure->rows; row++)
        for (ptrdiff_t column = 0; column < figure->columns; column++, at++) {
            DisplayCell drawn = pen->list->cells[at];
            FigureCell cell = {figure->maps[map].head, figure->first_row + row,
                               figure->first_column + column};
            char text[32];
            if (drawn >> 24 == DISPLAY_NOT_YET)
                continue;
            figure_number_text(text, figure_number(&pen->data, pen->request->batch, cell),
                               decimals);
            FigureBox box = figure_cells_box(pen, map, cell.row, 1, cell.column, 1);
            DisplayCell seen = veiled(pen, drawn, map, cell.row);
            DisplayItem item = {.size = size, .colour = figure_ink_on(seen & 0xffffff)};
            if (drawn == display_cell(pen->theme.empty, DISPLAY_MASKED))
                item.colour = pen->theme.quiet;
            figure_draw_number(pen, box, seen, item, text);
        }
}

static void draw_row_sums(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    FigureBox box = map_box(pen, map);
    DisplayItem item = {.x = box.x + box.width + figure_points(pen, 10),
                        .y = box.y - pen->label * 3 / 4,
                        .size = pen->label,
                        .bold = true,
                        .colour = pen->theme.quiet};
    if (pen->row_sums == 0 || !pen->words)
        return;
    figure_text(pen, item, 0, TELL(READ_SUM));
    item.bold = false;
    for (ptrdiff_t row = figure->first_row; row < figure->first_row + figure->rows; row++) {
        char text[32];
        FigureCell last = {figure->maps[map].head, row, pen->data.values.shape[3] - 1};
        item.y =
            figure_cells_box(pen, map, row, 1, figure->first_column, 1).y + figure->cell_height / 2;
        if (!figure_is_computed(&pen->data, pen->request, last))
            continue;
        figure_number_text(text, (float)figure_row(&pen->data, pen->request->batch, last).sum, 4);
        figure_text(pen, item, 0, text);
    }
}

// --- the cursor

static void veil(const FigurePen *pen, FigureBox box, unsigned char alpha)
{
    if (box.width > 0 && box.height > 0)
        display_add(pen->list, (DisplayItem){.kind = DISPLAY_RECTANGLE,
                                             .x = box.x,
                                             .y = box.y,
                                             .width = box.width,
                                             .height = box.height,
                                             .colour = pen->theme.paper,
                                             .alpha = alpha});
}

// Covers rows where the head had no job, so that nobody reads meaning into them.
static void draw_pale(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    for (ptrdiff_t row = figure->first_row; row < figure->first_row + figure->rows;
         row += figure->block_rows)
        if (is_pale(pen, map, row))
            veil(pen, figure_cells_box(pen, map, row, 1, figure->first_column, figure->columns),
                 VEIL_PALE);
}

static bool is_visible(const Figure *figure, FigureCell cell)
{
    return cell.row >= figure->first_row && cell.row < figure->first_row + figure->rows &&
           cell.column >= figure->first_column &&
           cell.column < figure->first_column + figure->columns;
}

// Covers the rows above and below a locked one.
static void draw_veils(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    FigureCell cell = pen->request->cursor;
    if (!pen->request->has_cursor || pen->request->lock != FIGURE_LOCKED_ROW ||
        !is_visible(figure, cell))
        return;
    FigureBox whole = map_box(pen, map);
    FigureBox row = figure_cells_box(pen, map, cell.row, 1, figure->first_column, 1);
    int below = row.y + row.height;
    veil(pen, (FigureBox){whole.x, whole.y, whole.width, row.y - whole.y}, VEIL);
    veil(pen, (FigureBox){whole.x, below, whole.width, whole.y + whole.height - below}, VEIL);
}

static void draw_cursor(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    FigureCell cell = pen->request->cursor;
    if (!pen->request->has_cursor || !is_visible(figure, cell))
        return;
    FigureBox whole = map_box(pen, map);
    FigureBox box = figure_cells_box(pen, map, cell.row, 1, cell.column, 1);
    int gap = figure->cell_width >= figure_points(pen, 15) ? 1 : 0;
    box.width -= gap;
    box.height -= gap;
    if (pen->request->lock == FIGURE_LOCKED_ROW)
        figure_double_frame(pen, (FigureBox){whole.x, box.y, whole.width - gap, box.height},
                            pen->theme.accent);
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    if (box.width <
        figure_points(pen, 5)) // around the cell: inside, the frame would cover its colour
        box = (FigureBox){box.x - line, box.y - line, box.width + 2 * line, box.height + 2 * line};
    if (is_current(pen, map))
        figure_double_frame(pen, box,
                            pen->request->lock == FIGURE_LOCKED_CELL ? pen->theme.accent
                                                                     : pen->theme.ink);
    else
        figure_frame(pen, box, 1, 1, pen->theme.paper);
}

bool figure_shows_pale_rows(const FigurePen *pen)
{
    bool pale = false;
    for (int map = 0; map < pen->figure->map_count; map++)
        pale = pale ||
               figure_has_pale_rows(&pen->data, pen->request->batch, pen->figure->maps[map].head);
    return pale;
}

void figure_draw_map(const FigurePen *pen, int map)
{
    if (pen->heading > 0)
        draw_heading(pen, map);
    draw_words(pen, map);
    display_cells_at(pen->list, figure_cells_item(pen, map));
    if (!pen->list->failed) {
        size_t at = pen->list->items[pen->list->item_count - 1].at; // of the cells just added
        draw_pale(pen, map);
        draw_veils(pen, map);
        draw_numbers(pen, map, at);
    }
    draw_row_sums(pen, map);
    draw_cursor(pen, map);
}
