// heatmap_move: cursor, zoom, pointer and play; see heatmap_move.h.
#include "heatmap_move.h"

#include <stdio.h>
#include "figure_data.h"
#include "heatmap_heads.h"

enum {
    PLAY_TICKS = 240, // a sequence is played in so many moments
    LINES_A_NOTCH = 3,
};

// The lengths of the tensor's four axes; all 1 when it cannot be shown.
static void lengths(const Heatmap *heatmap, ptrdiff_t shape[4])
{
    FigureData data;
    Error err;
    bool shown = figure_data(heatmap->trace, &heatmap->request, &data, &err);
    for (int axis = 0; axis < 4; axis++)
        shape[axis] = shown ? data.values.shape[axis] : 1;
}

static ptrdiff_t within(ptrdiff_t at, ptrdiff_t count)
{
    return at < 0 ? 0 : at >= count ? count - 1 : at;
}

static FigureCell within_shape(FigureCell cell, const ptrdiff_t shape[4])
{
    return (FigureCell){within(cell.head, shape[1]), within(cell.row, shape[2]),
                        within(cell.column, shape[3])};
}

void heatmap_keep_cursor(Heatmap *heatmap)
{
    FigureRequest *request = &heatmap->request;
    ptrdiff_t shape[4];
    lengths(heatmap, shape);
    request->cursor = within_shape(request->cursor, shape);
    heatmap->chosen = within_shape(heatmap->chosen, shape);
    request->first_row = within(request->first_row, shape[2]);
    request->first_column = within(request->first_column, shape[3]);
}

void heatmap_choose(Heatmap *heatmap)
{
    heatmap->has_chosen = heatmap->request.has_cursor = true;
    heatmap->chosen = heatmap->request.cursor;
}

bool heatmap_show_cursor(Heatmap *heatmap)
{
    enum { BEFORE = 4 }; // words before it
    FigureRequest *request = &heatmap->request;
    if (!request->has_cursor || request->zoom != 0)
        return true;
    ptrdiff_t row = request->cursor.row - BEFORE, column = request->cursor.column - BEFORE;
    request->first_row = row > 0 ? row : 0;
    request->first_column = column > 0 ? column : 0;
    return true;
}

// Moves the corner of what is visible so that the cursor is.
static void scroll_to_cursor(Heatmap *heatmap)
{
    FigureRequest *request = &heatmap->request;
    const Figure *figure = &heatmap->figure;
    if (request->cursor.row < request->first_row)
        request->first_row = request->cursor.row;
    if (request->cursor.row >= request->first_row + figure->rows)
        request->first_row = request->cursor.row - figure->rows + 1;
    if (request->cursor.column < request->first_column)
        request->first_column = request->cursor.column;
    if (request->cursor.column >= request->first_column + figure->columns)
        request->first_column = request->cursor.column - figure->columns + 1;
}

bool heatmap_cursor(Heatmap *heatmap, FigureCell cell)
{
    FigureRequest *request = &heatmap->request;
    request->cursor = cell;
    heatmap_keep_cursor(heatmap);
    heatmap_choose(heatmap);
    if (!request->mean)
        request->head = request->cursor.head;
    if (!heatmap->figure.all_visible && heatmap->figure.rows > 0)
        scroll_to_cursor(heatmap);
    return true;
}

bool heatmap_step(Heatmap *heatmap, int rows, int columns)
{
    FigureRequest *request = &heatmap->request;
    FigureCell cell = request->cursor;
    const Figure *figure = &heatmap->figure;
    if (!request->has_cursor) {
        cell = (FigureCell){request->head, figure->first_row, figure->first_column};
        return heatmap_cursor(heatmap, cell);
    }
    if (request->lock == FIGURE_LOCKED_CELL)
        return true;
    if (request->lock != FIGURE_LOCKED_ROW)
        cell.row += rows * (figure->block_rows > 1 ? figure->block_rows : 1);
    cell.column += columns * (figure->block_columns > 1 ? figure->block_columns : 1);
    return heatmap_cursor(heatmap, cell);
}

bool heatmap_forget(Heatmap *heatmap)
{
    FigureRequest *request = &heatmap->request;
    if (request->lock != FIGURE_UNLOCKED)
        return true;
    request->has_cursor = heatmap->has_chosen;
    if (!heatmap->has_chosen)
        return true;
    request->cursor = heatmap->chosen;
    if (figure_shows_every_head(request))
        request->head = request->cursor.head;
    return true;
}

// The next larger or smaller size of cells.
static int next_zoom(int zoom, int way)
{
    static const int sizes[] = {-64, -48, -32, -24, -16, -12, -8, -6, -4, -3, -2, 1,
                                2,   3,   4,   6,   8,   12,  16, 24, 32, 48, 64, 96};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    int next = 0;
    while (next < COUNT - 1 && (way > 0 ? sizes[next] <= zoom : sizes[next + 1] < zoom))
        next++;
    return sizes[next];
}

// Hit was what stands above a map, and no cell of it.
static bool is_name(FigureCell cell)
{
    return cell.row < 0 && cell.column < 0;
}

// A mean has no head, words no row or no column: those of the cursor stay.
static void complete(const FigureRequest *request, FigureCell *cell)
{
    cell->head = cell->head < 0 ? request->cursor.head : cell->head;
    cell->row = cell->row < 0 ? request->cursor.row : cell->row;
    cell->column = cell->column < 0 ? request->cursor.column : cell->column;
}

static bool scroll(Heatmap *heatmap, ptrdiff_t rows)
{
    if (heatmap->figure.all_visible)
        return true;
    heatmap->request.first_row += rows;
    heatmap->request.first_column += rows;
    heatmap_keep_cursor(heatmap);
    return true;
}

bool heatmap_zoom(Heatmap *heatmap, int way, int x, int y)
{
    FigureRequest *request = &heatmap->request;
    const Figure *figure = &heatmap->figure;
    FigureCell cell = request->cursor;
    if (way == 0 || figure->map_count == 0)
        return true;
    if (figure->lines)
        return x < 0 || scroll(heatmap, (ptrdiff_t)-way * LINES_A_NOTCH);
    int shown = figure->block_rows > 1 ? -(int)figure->block_rows : figure->cell_height;
    bool hit = x >= 0 && figure_hit(figure, x, y, &cell) && !is_name(cell);
    complete(request, &cell);
    if (!hit && !request->has_cursor)
        cell = (FigureCell){0, figure->first_row + figure->rows / 2,
                            figure->first_column + figure->columns / 2};
    int zoom = next_zoom(shown, way);
    if (way < 0 && figure->all_visible)
        zoom = 0;
    // The cell stays where it is: as many of the new cells before it as before.
    double grows = (zoom > 0   ? zoom
                    : zoom < 0 ? -1.0 / zoom
                               : 1.0) /
                   (shown > 0 ? shown : -1.0 / shown);
    request->first_row =
        cell.row - (ptrdiff_t)((double)(cell.row - figure->first_row) / grows + 0.5);
    request->first_column =
        cell.column - (ptrdiff_t)((double)(cell.column - figure->first_column) / grows + 0.5);
    request->zoom = zoom;
    heatmap->anchor = (HeatmapAnchor){hit && zoom != 0, cell, x, y};
    heatmap_keep_cursor(heatmap);
    return true;
}

// What lies around the map has another size at every size of cells, so only the picture tells where
// the cell has come to lie.
bool heatmap_hold_anchor(Heatmap *heatmap)
{
    FigureRequest *request = &heatmap->request;
    const Figure *figure = &heatmap->figure;
    HeatmapAnchor anchor = heatmap->anchor;
    FigureCell now;
    heatmap->anchor.holds = false;
    if (!anchor.holds || !figure_hit(figure, anchor.x, anchor.y, &now) || is_name(now))
        return false;
    ptrdiff_t rows = (anchor.cell.row - now.row) / figure->block_rows;
    ptrdiff_t columns = (anchor.cell.column - now.column) / figure->block_columns;
    request->first_row += rows * figure->block_rows;
    request->first_column += columns * figure->block_columns;
    heatmap_keep_cursor(heatmap);
    return rows != 0 || columns != 0;
}

// Whole cells of what was dragged; the rest stays for the next time.
static ptrdiff_t take_cells(int *pixels, int cell, ptrdiff_t block)
{
    ptrdiff_t cells = *pixels / cell;
    *pixels %= cell;
    return cells * block;
}

bool heatmap_drag(Heatmap *heatmap, int x, int y)
{
    FigureRequest *request = &heatmap->request;
    const Figure *figure = &heatmap->figure;
    HeatmapDrag *drag = &heatmap->drag;
    if (figure->all_visible || figure->cell_width <= 0 || figure->cell_height <= 0)
        return true;
    drag->x += x;
    drag->y += y;
    ptrdiff_t rows = take_cells(&drag->y, figure->cell_height, figure->block_rows);
    ptrdiff_t columns =
        figure->lines ? rows : take_cells(&drag->x, figure->cell_width, figure->block_columns);
    if (rows == 0 && columns == 0)
        return true;
    request->lock = drag->lock; // the press was meant for this
    request->first_row -= rows;
    request->first_column -= columns;
    heatmap_keep_cursor(heatmap);
    return true;
}

static bool is_same(FigureCell a, FigureCell b)
{
    return a.head == b.head && a.row == b.row && a.column == b.column;
}

// Where a drag would move the maps a press may be its beginning: only a second one, on the cell
// that is chosen by then, opens the head.
static bool opens(const Heatmap *heatmap, FigureCell cell)
{
    return figure_shows_every_head(&heatmap->request) &&
           (heatmap->figure.all_visible || (heatmap->has_chosen && is_same(heatmap->chosen, cell)));
}

bool heatmap_press(Heatmap *heatmap, int x, int y)
{
    FigureRequest *request = &heatmap->request;
    FigureCell cell;
    Error err;
    heatmap->drag = (HeatmapDrag){.lock = request->lock};
    if (figure_hit_head(&heatmap->figure, x, y, &cell.head)) {
        if (!heatmap_pick(heatmap, cell.head, &err))
            snprintf(heatmap->message, sizeof heatmap->message, "%s", err.text);
        return true;
    }
    if (!figure_hit(&heatmap->figure, x, y, &cell))
        return true;
    bool named = is_name(cell);
    complete(request, &cell);
    if (named || opens(heatmap, cell)) {
        request->mode = request->mode == FIGURE_GRID ? FIGURE_HEAD : FIGURE_LINES;
        request->head = request->cursor.head = heatmap->chosen.head = cell.head;
        request->zoom = 0;
        if (named)
            return true;
    } else if (!figure_shows_every_head(request)) {
        request->lock = request->lock == FIGURE_UNLOCKED ? FIGURE_LOCKED_CELL : FIGURE_UNLOCKED;
    }
    return heatmap_cursor(heatmap, cell);
}

bool heatmap_point(Heatmap *heatmap, int x, int y)
{
    FigureRequest *request = &heatmap->request, was = *request;
    FigureCell cell;
    if (!figure_hit(&heatmap->figure, x, y, &cell) || is_name(cell)) {
        heatmap_forget(heatmap);
    } else if (request->lock != FIGURE_LOCKED_CELL) {
        complete(request, &cell);
        if (request->lock == FIGURE_LOCKED_ROW) {
            cell.row = request->cursor.row;
            cell.head = request->cursor.head;
        }
        request->has_cursor = true;
        request->cursor = cell;
        if (figure_shows_every_head(request))
            request->head = cell.head; // the one that Return opens
    }
    heatmap->changed = was.has_cursor != request->has_cursor || was.head != request->head ||
                       (request->has_cursor && !is_same(was.cursor, request->cursor));
    return true;
}

bool heatmap_size(Heatmap *heatmap, int width, int height, double scale)
{
    enum { PIXELS_MAX = 1 << 15 }; // of a picture, as of any screen
    const double least = 0.25, most = 64.0;
    heatmap->width = width < 1 ? 1 : width > PIXELS_MAX ? PIXELS_MAX : width;
    heatmap->height = height < 1 ? 1 : height > PIXELS_MAX ? PIXELS_MAX : height;
    scale = scale > 0.0 ? scale : 1.0;
    heatmap->scale = scale < least ? least : scale > most ? most : scale;
    return true;
}

bool heatmap_letters(Heatmap *heatmap, double times)
{
    double letters = heatmap->letters * times;
    letters = letters > 0.98 && letters < 1.02 ? 1.0 : letters;
    heatmap->letters = letters < 0.5 ? 0.5 : letters > 4.0 ? 4.0 : letters;
    return true;
}

// --- play

// Where the sequence that is shown begins and ends, in loop order.
static ptrdiff_t sequence_start(const Heatmap *heatmap, ptrdiff_t *cells)
{
    ptrdiff_t shape[4];
    lengths(heatmap, shape);
    *cells = shape[1] * shape[2] * shape[3];
    return heatmap->request.batch * *cells;
}

static bool compute(Heatmap *heatmap, long way)
{
    ptrdiff_t cells, start = sequence_start(heatmap, &cells);
    ptrdiff_t now = heatmap->request.computed;
    if (now < 0)
        now = way > 0 ? start : start + cells;
    now += way;
    now = now < start ? start : now;
    bool whole = now >= start + cells;
    heatmap->request.computed = whole ? -1 : now;
    if (whole)
        heatmap->playing = false;
    return true;
}

bool heatmap_advance(Heatmap *heatmap, long way)
{
    if (!heatmap->lead.led)
        return compute(heatmap, way);
    heatmap->lead.cells += way;
    return true;
}

bool heatmap_play(Heatmap *heatmap)
{
    if (heatmap->lead.led) {
        heatmap->lead.play = true;
        return true;
    }
    heatmap->playing = !heatmap->playing;
    if (heatmap->playing && heatmap->request.computed < 0) {
        ptrdiff_t cells;
        heatmap->request.computed = sequence_start(heatmap, &cells);
    }
    return true;
}

bool heatmap_tick(Heatmap *heatmap)
{
    ptrdiff_t cells;
    sequence_start(heatmap, &cells);
    if (!heatmap->playing) {
        heatmap->changed = false;
        return true;
    }
    return compute(heatmap, (long)((cells + PLAY_TICKS - 1) / PLAY_TICKS));
}
