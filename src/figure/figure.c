// Layout and composition of a picture; see figure.h.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_internal.h"
#include "utf8.h"

// --- layout: sizes of cells, places of maps
//
// A cell is as many whole pixels as fit. Of all ways to arrange the maps in rows, the layout takes the one
// with the largest cells. Rows get words as labels if they are high enough to read them, else every nth
// number. That decides how much room labels need, so the layout tries words first.

// The least height of a readable word, in points.
static const double word_points = 8.5;

// Pixels per cell along one axis, or cells per pixel.
typedef struct Fit {
    int pixels;
    ptrdiff_t block;
} Fit;

// An arrangement of the maps.
typedef struct Grid {
    int columns, rows;
    int gap; // between maps side by side; half of it between rows
    Fit across, down;
    long shown;    // pixels of a map: larger is better
    double uneven; // difference between the used shares of width and height
} Grid;

static Fit fit_axis(int room, ptrdiff_t count)
{
    room = room > 1 ? room : 1;
    if (count <= room)
        return (Fit){(int)(room / count), 1};
    return (Fit){1, pool_count(count, room)};
}

// Makes cells square if rows and columns are the same kind of thing, or a third higher if there is room.
// Otherwise limits how far they are from square.
static void shape_cells(const FigurePen *pen, Fit *across, Fit *down)
{
    int most = figure_points(pen, 120), flat = figure_points(pen, 40);
    if (pen->data.is_attention) {
        ptrdiff_t block = across->block > down->block ? across->block : down->block;
        int pixels = across->pixels < down->pixels ? across->pixels : down->pixels;
        pixels = pixels < most ? pixels : most;
        int high = pixels * 4 / 3 < down->pixels ? pixels * 4 / 3 : down->pixels;
        *across = block > 1 ? (Fit){1, block} : (Fit){pixels, 1};
        *down = block > 1 ? *across : (Fit){high < most ? high : most, 1};
        return;
    }
    most = figure_points(pen, 84);
    across->pixels = across->pixels < most ? across->pixels : most;
    down->pixels = down->pixels < flat ? down->pixels : flat;
}

// The visible part along one axis, if the user chose the size of cells.
static void zoom_axis(int room, int zoom, ptrdiff_t count, ptrdiff_t *first, ptrdiff_t *visible,
                      Fit *fit)
{
    *fit = zoom > 0 ? (Fit){zoom, 1} : (Fit){1, -zoom};
    ptrdiff_t most = (room > fit->pixels ? room / fit->pixels : 1) * fit->block;
    *visible = count < most ? count : most;
    if (*first > count - *visible)
        *first = count - *visible;
    if (*first < 0)
        *first = 0;
    *first -= *first % fit->block;
}

static void fit_maps(const FigurePen *pen, FigureBox room, Grid *grid)
{
    Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    figure->rows = shape[2];
    figure->columns = shape[3];
    figure->first_row = figure->first_column = 0;
    if (pen->request->zoom != 0) {
        figure->first_row = pen->request->first_row;
        figure->first_column = pen->request->first_column;
        zoom_axis(room.width, pen->request->zoom, shape[3], &figure->first_column, &figure->columns,
                  &grid->across);
        zoom_axis(room.height, pen->request->zoom, shape[2], &figure->first_row, &figure->rows,
                  &grid->down);
    } else {
        grid->across = fit_axis(room.width, shape[3]);
        grid->down = fit_axis(room.height, shape[2]);
        shape_cells(pen, &grid->across, &grid->down);
    }
    figure->all_visible = figure->rows == shape[2] && figure->columns == shape[3];
    grid->shown = (long)pool_count(figure->columns, grid->across.block) * grid->across.pixels *
                  (long)pool_count(figure->rows, grid->down.block) * grid->down.pixels;
}

// The room for one map.
static FigureBox room_of(const FigurePen *pen, const Grid *grid)
{
    int gaps = (grid->columns - 1) * grid->gap, gaps_down = (grid->rows - 1) * grid->gap / 2;
    int width = pen->area.width - pen->row_labels - pen->row_sums - gaps;
    int labels = pen->column_labels * (pen->words_above_all ? grid->rows : 1);
    int height = pen->area.height - labels - grid->rows * pen->heading - gaps_down;
    return (FigureBox){.width = width / grid->columns, .height = height / grid->rows};
}

// The difference between the shares of the area's width and height that an arrangement takes.
static double unevenness(const FigurePen *pen, const Grid *grid)
{
    const Figure *figure = pen->figure;
    double width = (double)pool_count(figure->columns, grid->across.block) * grid->across.pixels;
    double height = (double)pool_count(figure->rows, grid->down.block) * grid->down.pixels;
    double across = grid->columns * width / (pen->area.width > 0 ? pen->area.width : 1);
    double down = grid->rows * height / (pen->area.height > 0 ? pen->area.height : 1);
    return across > down ? across - down : down - across;
}

static Grid arrange_with(const FigurePen *pen, int gap)
{
    Grid best = {.shown = -1};
    int maps = pen->figure->map_count;
    for (int columns = 1; columns <= maps; columns++) {
        Grid grid = {.columns = columns, .rows = (maps + columns - 1) / columns, .gap = gap};
        fit_maps(pen, room_of(pen, &grid), &grid);
        grid.uneven = unevenness(pen, &grid);
        int empty = grid.columns * grid.rows - best.columns * best.rows;
        bool nicer = empty < 0 || (empty == 0 && grid.uneven < best.uneven);
        if (grid.shown > best.shown || (grid.shown == best.shown && nicer))
            best = grid;
    }
    return best;
}

// Cells grow by whole pixels. Moves maps closer if that makes them half as large again.
static Grid arrange(const FigurePen *pen)
{
    Grid best = arrange_with(pen, figure_points(pen, 18));
    Grid close = arrange_with(pen, figure_points(pen, 8));
    if (2 * close.shown >= 3 * best.shown)
        best = close;
    fit_maps(pen, room_of(pen, &best), &best);
    return best;
}

// The room left of a map with labels of this width: the axis name stands next to them, and the columns' name
// in the corner above.
static int with_axis(const FigurePen *pen, int words)
{
    char text[64];
    if (pen->axis == 0)
        return words;
    int corner =
        font_width(pen->metrics, figure_columns_are(pen, text), pen->small) + figure_points(pen, 8);
    return words + pen->axis > corner ? words + pen->axis : corner;
}

// Widths of the widest labels, in small letters.
typedef struct Widest {
    int row, column;
} Widest;

// Reserves room for labels of this size on both axes. Returns true if rows are high enough to read them.
static bool try_words(FigurePen *pen, int size, Widest widest, Grid *grid)
{
    int gap = figure_points(pen, 8), line = figure_points(pen, word_points * size / pen->small);
    int name = size > pen->text ? size : pen->text;
    pen->words = pen->upright = true;
    pen->label = size;
    pen->heading = figure_points(pen, 24) * name / pen->text;
    pen->row_sums = pen->row_sums > 0 ? figure_points(pen, 64) * size / pen->small : 0;
    int wide = widest.column * size / pen->small;
    pen->row_labels = with_axis(pen, widest.row * size / pen->small + gap);
    pen->column_labels = wide + gap;
    *grid = arrange(pen);
    if (wide + figure_points(pen, 4) <= grid->across.pixels) {
        pen->column_labels = size + gap;
        *grid = arrange(pen);
    }
    pen->upright = wide + figure_points(pen, 4) > grid->across.pixels;
    if (pen->upright)
        pen->column_labels = wide + gap;
    return grid->down.pixels >= line && grid->across.pixels >= line;
}

// Takes the largest labels of which three and a half fit into the height of a cell, else small ones. With
// enlarged letters, labels without room get as large as fits.
static bool choose_words(FigurePen *pen, Grid *grid)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    Widest widest = {
        figure_label_width(pen, shape[2], figure_row_label, figure_points(pen, 110)),
        figure_label_width(pen, shape[3], figure_column_label, figure_points(pen, 90))};
    for (int points = 20; points > 12 && pen->request->zoom == 0; points--) {
        int size = figure_points(pen, points);
        if (try_words(pen, size, widest, grid) && 2 * grid->down.pixels >= 7 * size)
            return true;
    }
    for (int size = pen->small; size > figure_usual_points(pen, 12); size--)
        if (try_words(pen, size, widest, grid))
            return true;
    return try_words(pen, figure_usual_points(pen, 12), widest, grid);
}

static Grid choose(FigurePen *pen)
{
    Grid grid;
    if (pen->area.width > figure_usual_points(pen, 200) &&
        pen->area.height > figure_usual_points(pen, 140)) {
        const ptrdiff_t *shape = pen->data.values.shape;
        bool can_fit = pen->request->zoom != 0 ||
                       shape[2] * figure_usual_points(pen, word_points) < pen->area.height;
        if (can_fit && choose_words(pen, &grid))
            return arrange(pen);
        pen->row_sums = 0;
        pen->label = pen->small;
        char last[32];
        int digits = snprintf(last, sizeof last, "%td", shape[2] - 1);
        memset(last, '0', (size_t)digits); // as wide as any number: 1 is narrow in some fonts
        pen->row_labels =
            with_axis(pen, font_width(pen->metrics, last, pen->small) + figure_points(pen, 10));
        pen->column_labels = figure_points(pen, 18);
    } else {
        pen->row_labels = pen->column_labels = pen->heading = pen->row_sums = pen->axis = 0;
    }
    pen->words = false;
    return arrange(pen);
}

// Labels above every map may cost two fifths of the maps' size if they are words, nothing if they are
// numbers.
static Grid choose_labels(FigurePen *pen)
{
    Grid grid = choose(pen);
    pen->words_above_all = true;
    Grid with = arrange(pen);
    if (with.shown * 5 >= grid.shown * (pen->words ? 3 : 5))
        return with;
    pen->words_above_all = false;
    return arrange(pen);
}

bool figure_list_maps(const FigurePen *pen, int each, Error *err)
{
    Figure *figure = pen->figure;
    bool all = figure_shows_every_head(pen->request);
    ptrdiff_t heads = pen->data.values.shape[1];
    figure->maps = figure_cache_maps(pen->cache, each * (all ? heads : 1), err);
    if (!figure->maps)
        return false;
    for (ptrdiff_t head = -1; head < heads; head++)
        for (int i = 0; figure_shows_head(pen->request, head) && i < each; i++)
            figure->maps[figure->map_count++].head = head;
    while (figure->map_count < each) // all that were picked are of a tensor with more heads
        figure->maps[figure->map_count++].head = pen->request->head;
    return true;
}

static bool lay_out(FigurePen *pen, Error *err)
{
    Figure *figure = pen->figure;
    if (!figure_list_maps(pen, 1, err))
        return false;
    pen->heading = figure_points(pen, 24);
    pen->label = pen->small;
    bool named = figure_axis_words(&pen->data, 2)[0] && figure_axis_words(&pen->data, 3)[0];
    bool is_roomy =
        pen->area.width >= figure_points(pen, 480) && pen->area.height >= figure_points(pen, 280);
    pen->axis = named && is_roomy ? figure_points(pen, 18) : 0;
    bool is_narrow = pen->area.width < figure_points(pen, 360); // the read-out has the sum, too
    bool sums = figure->map_count == 1 && pen->data.is_weights && !is_narrow;
    pen->row_sums = sums ? figure_points(pen, 64) : 0;
    Grid grid = choose_labels(pen);

    int gap = grid.gap;
    figure->block_rows = grid.down.block;
    figure->block_columns = grid.across.block;
    figure->cell_width = grid.across.pixels;
    figure->cell_height = grid.down.pixels;
    int width = (int)pool_count(figure->columns, figure->block_columns) * figure->cell_width;
    int height = (int)pool_count(figure->rows, figure->block_rows) * figure->cell_height;
    pen->label = grid.down.pixels < pen->label ? grid.down.pixels : pen->label;
    int used = pen->row_labels + grid.columns * (width + gap) - gap + pen->row_sums;
    int left = pen->area.x + (pen->area.width > used ? (pen->area.width - used) / 2 : 0);
    int labels = pen->words_above_all ? pen->column_labels : 0; // above each row but the first
    figure->above_others = pen->heading + labels;
    figure->above = pen->heading + pen->column_labels;
    int pitch = height + pen->heading + gap / 2 + labels;
    int high = pen->column_labels + grid.rows * pitch - gap / 2 - labels;
    int top = pen->area.y + (pen->area.height > high ? (pen->area.height - high) / 3 : 0);
    for (int map = 0; map < figure->map_count; map++) {
        int column = map % grid.columns, row = map / grid.columns;
        figure->maps[map].x = left + pen->row_labels + column * (width + gap);
        figure->maps[map].y = top + pen->column_labels + pen->heading + row * pitch;
    }
    return true;
}

// Labels lie outside the lines, so each side of the middle belongs to its labels.
static bool hit_words(const Figure *figure, int x, int y, FigureCell *cell)
{
    for (int map = 0; map < figure->map_count; map++) {
        int across = x - figure->maps[map].x, down = y - figure->maps[map].y;
        ptrdiff_t at = down / (figure->cell_height > 0 ? figure->cell_height : 1);
        bool left = across < figure->cell_width / 2;
        if (across < -figure->word_width || across >= figure->cell_width + figure->word_width ||
            down < 0 || at >= (left ? figure->rows : figure->columns))
            continue;
        *cell = (FigureCell){figure->maps[map].head, left ? figure->first_row + at : -1,
                             left ? -1 : figure->first_column + at};
        return true;
    }
    return false;
}

bool figure_hit(const Figure *figure, int x, int y, FigureCell *cell)
{
    if (figure->map_count == 0) // nothing has been drawn yet
        return false;
    if (figure->lines)
        return hit_words(figure, x, y, cell);
    ptrdiff_t columns = pool_count(figure->columns, figure->block_columns);
    ptrdiff_t rows = pool_count(figure->rows, figure->block_rows);
    int wide = (int)columns * figure->cell_width;
    for (int map = 0; map < figure->map_count; map++) {
        int across = x - figure->maps[map].x, down = y - figure->maps[map].y;
        bool is_first = figure->maps[map].y == figure->maps[0].y;
        int above = is_first ? figure->above : figure->above_others; // its name and labels
        if (figure->map_count > 1 && across >= 0 && across < wide && down < 0 && down >= -above) {
            *cell = (FigureCell){figure->maps[map].head, -1, -1};
            return true;
        }
        if (across < 0 || down < 0 || across / figure->cell_width >= columns ||
            down / figure->cell_height >= rows)
            continue;
        cell->head = figure->maps[map].head;
        cell->row = figure->first_row + down / figure->cell_height * figure->block_rows;
        cell->column = figure->first_column + across / figure->cell_width * figure->block_columns;
        return true;
    }
    return false;
}

const char *const figure_mode_names[FIGURE_MODE_COUNT + 1] = {"grid", "head", "lines", "all-lines",
                                                              NULL};
const char *const figure_scale_names[FIGURE_SCALE_COUNT + 1] = {"head", "all",  "unit",
                                                                "row",  "even", NULL};

static const FigureTheme light = {
    .paper = 0xffffff,
    .ink = 0x1b2430,
    .quiet = 0x667080,
    .faint = 0xdfe3e8,
    .accent = 0xc2410c,
    .empty = 0xeef0f3,
    .hatch = 0x7f8a97,
    .alarm = 0xb3261e,
    .alarm_paper = 0xfbe4e2,
    .line = 0x2a5fa5,
};

static const FigureTheme dark = {
    .paper = 0x14181e,
    .ink = 0xe6e9ed,
    .quiet = 0x98a2ae,
    .faint = 0x313943,
    .accent = 0xff9f5a,
    .empty = 0x232a33,
    .hatch = 0x6b7888,
    .alarm = 0xff8a80,
    .alarm_paper = 0x4a2326,
    .line = 0x7db4f5,
};

const FigureTheme *figure_theme(bool is_dark)
{
    return is_dark ? &dark : &light;
}

FigureRequest figure_request(const Trace *trace, int tensor)
{
    FigureRequest request = {.tensor = tensor, .computed = -1, .scale = FIGURE_SCALE_ALL};
    FigureData data;
    Error err;
    bool shares = figure_data(trace, &request, &data, &err) && data.is_weights;
    bool is_whole = trace->tensors[tensor].tensor.dtype != DTYPE_F32;
    request.map = shares || is_whole ? COLOUR_VIRIDIS : COLOUR_DIVERGING;
    if (shares && figure_shares_differ(&data, request.batch))
        request.scale = FIGURE_SCALE_EVEN;
    return request;
}

bool figure_can_be_even(const Trace *trace, int tensor)
{
    FigureRequest request = {.tensor = tensor};
    FigureData data;
    Error err;
    return figure_data(trace, &request, &data, &err) && figure_has_shares(&data);
}

bool figure_can_show(const Trace *trace, const FigureRequest *request, Error *err)
{
    FigureData data;
    return figure_data(trace, request, &data, err);
}

// Leaves out what does not fit into a small picture, the least important first.
static void divide(FigurePen *pen, FigureBox *header, FigureBox *scale, FigureBox *read_out,
                   FigureBox *bottom)
{
    int width = pen->list->width, height = pen->list->height;
    int margin = figure_points(pen, width >= figure_points(pen, 400) ? 24 : 8);
    FigureBox area = {margin, margin, width - 2 * margin, height - 2 * margin};
    *header = *scale = *read_out = *bottom = (FigureBox){0, 0, 0, 0};
    if (height >= figure_points(pen, 200)) {
        *header = (FigureBox){area.x, area.y, area.width, figure_points(pen, 58)};
        area.y += header->height;
        area.height -= header->height;
    }
    bool wants_bottom = pen->request->keys || pen->request->notice;
    if (wants_bottom && height >= figure_points(pen, 320)) {
        bottom->height = figure_points(pen, 22);
        area.height -= bottom->height - margin / 2;
        *bottom = (FigureBox){area.x, area.y + area.height, area.width, bottom->height};
    }
    if ((pen->request->has_cursor || pen->request->keys) && height >= figure_points(pen, 300)) {
        int high = figure_read_out_height(pen, area.width);
        area.height -= high + figure_points(pen, 6);
        *read_out = (FigureBox){area.x, area.y + area.height, area.width, high};
        area.height -= figure_points(pen, 12);
    }
    if (width >= figure_points(pen, 420)) {
        scale->width = figure_points(pen, 92);
        *scale = (FigureBox){area.x + area.width - scale->width, area.y, scale->width, area.height};
        area.width -= scale->width + figure_points(pen, 20);
    }
    figure_layout_strip(pen, &area);
    pen->area = area;
}

static bool draw_maps(FigurePen *pen, Error *err)
{
    if (!lay_out(pen, err))
        return false;
    bool lines = figure_has_lines(pen->request->mode);
    if (lines)
        figure_layout_lines(pen);
    if (!figure_cache_fill(pen, err))
        return false;
    for (int map = 0; map < pen->figure->map_count; map++)
        if (lines)
            figure_draw_lines(pen, map);
        else
            figure_draw_map(pen, map);
    return true;
}

// A picture of this size, in points, has room for maps beside its labels.
enum { ROOMY_WIDTH = 640, ROOMY_HEIGHT = 340, READ_OUT_HEIGHT = 460 };

void figure_pen_open(FigurePen *pen, const FigureRequest *request, const FigurePaper *paper,
                     double most, Figure *figure)
{
    double usual = paper->letters > 1.0 ? paper->scale / paper->letters : paper->scale;
    // Enlarged letters grow only as long as the maps keep most of the picture.
    bool reads_out = request->has_cursor || request->keys;
    double across = (double)paper->width / ROOMY_WIDTH;
    double down = (double)paper->height / (reads_out ? READ_OUT_HEIGHT : ROOMY_HEIGHT);
    most = most > 0.0 ? most : fmin(across, down);
    *pen = (FigurePen){.request = request,
                       .metrics = paper->metrics,
                       .cache = paper->cache,
                       .list = paper->list,
                       .figure = figure,
                       .theme = *figure_theme(request->dark),
                       .scale = fmax(usual, fmin(paper->scale, most))};
    pen->letters = paper->letters > 0.0 ? paper->letters * pen->scale / paper->scale : 1.0;
    *figure = (Figure){.map_count = 0, .letters = pen->letters};
    pen->small = figure_points(pen, 12);
    pen->text = figure_points(pen, 14);
    pen->title = figure_points(pen, 20);
    display_list_clear(pen->list, paper->width, paper->height, pen->theme.paper);
}

bool figure_pen_close(const FigurePen *pen, Error *err)
{
    if (pen->request->help)
        figure_draw_help(pen);
    return !pen->list->failed || error_set(err, "%s", pen->list->failure.text);
}

bool figure_draw(const Trace *trace, const FigureRequest *request, const FigurePaper *paper,
                 Figure *figure, Error *err)
{
    FigurePen pen;
    FigureBox header, bar, read_out, bottom;
    figure_pen_open(&pen, request, paper, 0.0, figure);
    if (!figure_data(trace, request, &pen.data, err))
        return false;
    divide(&pen, &header, &bar, &read_out, &bottom);
    if (!draw_maps(&pen, err))
        return false;
    if (header.height > 0)
        figure_draw_header(&pen, header);
    figure_draw_strip(&pen, pen.area);
    if (bar.width > 0)
        figure_draw_scale(&pen, bar);
    if (read_out.height > 0)
        figure_draw_read_out(&pen, read_out);
    if (bottom.height > 0)
        figure_draw_bottom(&pen, bottom);
    return figure_pen_close(&pen, err);
}
