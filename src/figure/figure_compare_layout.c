// figure_compare_layout: which maps a comparison has, how large their cells are and where they go; see
// figure_compare_cells.h.
#include "figure_compare_cells.h"

#include <string.h>

int compare_points(const Compare *compare, double count)
{
    return figure_points(&compare->pen, count);
}

// Pixels above the maps of the first row of heads: names, and words of columns where cells have room for
// them; and of the other rows, which may have the heads' names alone.
static int above_first(const Compare *compare)
{
    bool one = compare->pen.figure->map_count == FIGURE_SIDES;
    return compare_points(compare, one ? 22 : 42) + compare->pen.column_labels;
}

static int above_others(const Compare *compare)
{
    return compare->pen.words_above_all ? above_first(compare) : compare_points(compare, 22);
}

// An arrangement of the heads, each with its maps beside each other.
typedef struct Arrangement {
    int units; // heads beside each other
    int width, height;
    ptrdiff_t block;
    double size; // of a cell: the larger, the better
    int empty;   // places without a head
} Arrangement;

// How many cells a block has to have each way, for blocks to be seen in so many pixels; where the cells
// themselves are, 1.
static ptrdiff_t block_of(const Compare *compare, ptrdiff_t cells, int pixels)
{
    int least = figure_usual_points(&compare->pen, 4);
    int blocks = least > 1 ? pixels / least : pixels;
    return pool_count(cells, blocks > 1 ? blocks : 1);
}

// Cells are wider than high, as far as there is room: numbers are.
static Arrangement arrange(const Compare *compare, int units)
{
    const ptrdiff_t *shape = compare->pen.data.values.shape;
    int heads = compare->pen.figure->map_count / FIGURE_SIDES, rows = (heads + units - 1) / units;
    int gaps = (units - 1) * 2 * compare->gap, most = compare_points(compare, 96);
    int wide = (compare->area.width - compare->pen.row_labels - gaps) / units;
    int across = (wide - 2 * compare->gap - compare->other_rows) / FIGURE_SIDES;
    int more = (rows - 1) * (above_others(compare) + compare_points(compare, 8));
    int down = (compare->area.height - above_first(compare) - more) / rows;
    across = across > 1 ? across : 1;
    down = down > 1 ? down : 1;
    ptrdiff_t block_columns = block_of(compare, shape[3], across);
    ptrdiff_t block_rows = block_of(compare, shape[2], down);
    Arrangement at = {.units = units, .empty = rows * units - heads};
    at.block = block_columns > block_rows ? block_columns : block_rows;
    int room = (int)(across / pool_count(shape[3], at.block));
    int high = (int)(down / pool_count(shape[2], at.block)), pixels = room < high ? room : high;
    at.height = pixels < 1 ? 1 : pixels < most ? pixels : most;
    if (at.block > 1)
        at.width = at.height;
    else
        at.width = at.height * 5 / 2 < room ? at.height * 5 / 2 : room;
    at.size = (double)at.width * at.height / (double)(at.block * at.block);
    return at;
}

static Arrangement best_arrangement(const Compare *compare)
{
    int heads = compare->pen.figure->map_count / FIGURE_SIDES;
    Arrangement best = arrange(compare, 1);
    for (int units = 2; units <= heads; units++) {
        Arrangement at = arrange(compare, units);
        if (at.size > best.size || (at.size >= best.size && at.empty < best.empty))
            best = at;
    }
    return best;
}

// Words above every head are worth two fifths of a cell's size, but not that cells are lower than `line`.
static void choose_units(Compare *compare, int line)
{
    Figure *figure = compare->pen.figure;
    compare->pen.words_above_all = true;
    Arrangement best = best_arrangement(compare);
    compare->pen.words_above_all = false;
    Arrangement once = best_arrangement(compare);
    compare->pen.words_above_all =
        best.size * 5 >= once.size * 3 && (best.height >= line || once.height < line);
    best = compare->pen.words_above_all ? best : once;
    compare->units = best.units;
    figure->cell_width = best.width;
    figure->cell_height = best.height;
    figure->block_rows = figure->block_columns = best.block;
}

// The widest words that stand at an axis of either run, in small letters.
static int widest(const Compare *compare, ptrdiff_t count,
                  const char *(*label)(const FigureData *, ptrdiff_t, ptrdiff_t, char[64]),
                  int most)
{
    FigurePen there = compare->pen;
    there.data = *compare->pair.there;
    int here_wide = figure_label_width(&compare->pen, count, label, most);
    int there_wide = figure_label_width(&there, count, label, most);
    return here_wide > there_wide ? here_wide : there_wide;
}

// A padding on the other side, or another text: rows have other words in the other run.
static bool rows_differ(const Compare *compare)
{
    char here[64], there[64];
    const FigureData *data = compare->pair.here, *other = compare->pair.there;
    for (ptrdiff_t row = 0; row < data->values.shape[2]; row++)
        if (strcmp(figure_row_label(data, compare->pair.batch, row, here),
                   figure_row_label(other, compare->pair.batch, row, there)) != 0)
            return true;
    return false;
}

// Room for words of that size; over columns they lie where they fit. True when a line of them is not
// higher than a cell.
static bool fit_words(Compare *compare, int size)
{
    FigurePen *pen = &compare->pen;
    const ptrdiff_t *shape = pen->data.values.shape;
    int row = widest(compare, shape[2], figure_row_label, compare_points(compare, 90));
    int column = widest(compare, shape[3], figure_column_label, compare_points(compare, 80));
    int line = size * compare_points(compare, 10) / pen->small;
    column = column * size / pen->small;
    pen->label = size;
    pen->row_labels = row * size / pen->small + compare_points(compare, 8);
    compare->other_rows = rows_differ(compare) ? pen->row_labels : 0;
    for (int upright = 1; upright >= 0; upright--) {
        pen->upright = upright;
        pen->column_labels = (upright ? column : size) + compare_points(compare, 6);
        choose_units(compare, line);
        if (column + compare_points(compare, 4) > pen->figure->cell_width)
            break;
    }
    return pen->figure->block_rows == 1 && pen->figure->cell_height >= line;
}

// Words stand at rows and columns where cells are high enough; large ones where cells are much higher. Where
// letters are larger than usual, words that then have no room are smaller.
static void choose_words(Compare *compare)
{
    FigurePen *pen = &compare->pen;
    bool large = fit_words(compare, pen->text) && pen->figure->cell_height >= 3 * pen->text;
    pen->words = large;
    for (int size = pen->small; !pen->words && size >= figure_usual_points(pen, 12); size--)
        pen->words = fit_words(compare, size);
    if (pen->words)
        return;
    pen->row_labels = pen->column_labels = compare->other_rows = 0;
    choose_units(compare, 0);
}

void compare_lay_out(Compare *compare)
{
    FigurePen *pen = &compare->pen;
    Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    choose_words(compare);
    pen->label = figure->cell_height < pen->label ? figure->cell_height : pen->label;
    figure->rows = shape[2];
    figure->columns = shape[3];
    figure->all_visible = true;
    figure->above = above_first(compare);
    figure->above_others = above_others(compare);
    int wide = (int)pool_count(shape[3], figure->block_columns) * figure->cell_width;
    int high = (int)pool_count(shape[2], figure->block_rows) * figure->cell_height;
    int unit = FIGURE_SIDES * wide + 2 * compare->gap + compare->other_rows;
    int pitch = high + above_others(compare) + compare_points(compare, 8);
    int used = pen->row_labels + compare->units * (unit + 2 * compare->gap) - 2 * compare->gap;
    int left = compare->area.x + pen->row_labels +
               (compare->area.width > used ? (compare->area.width - used) / 2 : 0);
    for (int map = 0; map < figure->map_count; map++) {
        int head = map / FIGURE_SIDES, column = head % compare->units;
        bool is_first = compare_side(map) == FIGURE_SIDE_THIS;
        figure->maps[map].x = left + column * (unit + 2 * compare->gap) +
                              (int)compare_side(map) * (wide + compare->gap) +
                              (is_first ? 0 : compare->other_rows);
        figure->maps[map].y =
            compare->area.y + head / compare->units * pitch + above_first(compare);
    }
}

int compare_right(const Compare *compare)
{
    const Figure *figure = compare->pen.figure;
    int wide = (int)pool_count(figure->columns, figure->block_columns) * figure->cell_width;
    int right = 0;
    for (int map = 0; map < figure->map_count; map++)
        right = figure->maps[map].x > right ? figure->maps[map].x : right;
    return right + wide;
}

bool compare_list_maps(Compare *compare, Error *err)
{
    FigurePen *pen = &compare->pen;
    Figure *figure = pen->figure;
    bool all = figure_shows_every_head(pen->request);
    ptrdiff_t heads = pen->data.values.shape[1];
    figure->maps = figure_cache_maps(pen->cache, FIGURE_SIDES * (all ? heads : 1), err);
    if (!figure->maps)
        return false;
    for (ptrdiff_t head = 0; all && head < heads; head++)
        for (int side = 0; figure_shows_head(pen->request, head) && side < FIGURE_SIDES; side++)
            figure->maps[figure->map_count++].head = head;
    while (figure->map_count < FIGURE_SIDES)
        figure->maps[figure->map_count++].head = pen->request->mean ? -1 : pen->request->head;
    return true;
}

FigureSide compare_side(int map)
{
    return (FigureSide)(map % FIGURE_SIDES);
}
