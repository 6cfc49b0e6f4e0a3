// figure_compare_layout: which maps a comparison has, how large their cells are and where they go; see
// figure_compare_cells.h.
#include "figure_compare_cells.h"

int compare_points(const Compare *compare, double count)
{
    return figure_points(&compare->pen, count);
}

// Pixels above the maps of a row of heads: names, and words of columns where cells have room for them.
static int above(const Compare *compare)
{
    bool one = compare->pen.figure->map_count == FIGURE_SIDES;
    return compare_points(compare, one ? 22 : 42) + compare->pen.column_labels;
}

// Pixels of a cell when `units` heads stand beside each other; cells of a pixel where there are more.
static int cell_pixels(const Compare *compare, int units, ptrdiff_t *block)
{
    const ptrdiff_t *shape = compare->pen.data.values.shape;
    int heads = compare->pen.figure->map_count / FIGURE_SIDES, rows = (heads + units - 1) / units;
    int wide = (compare->area.width - (units - 1) * 2 * compare->gap) / units;
    int across = (wide - compare->pen.row_labels - 2 * compare->gap) / FIGURE_SIDES;
    int down = compare->area.height / rows - above(compare);
    across = across > 1 ? across : 1;
    down = down > 1 ? down : 1;
    ptrdiff_t block_columns = pool_count(shape[3], across), block_rows = pool_count(shape[2], down);
    *block = block_columns > block_rows ? block_columns : block_rows;
    int pixels = (int)(across / shape[3] < down / shape[2] ? across / shape[3] : down / shape[2]);
    return *block > 1 ? 1 : pixels;
}

static void choose_units(Compare *compare)
{
    Figure *figure = compare->pen.figure;
    int heads = figure->map_count / FIGURE_SIDES, most = compare_points(compare, 96);
    double best = 0.0;
    for (int units = 1; units <= heads; units++) {
        ptrdiff_t block;
        int pixels = cell_pixels(compare, units, &block);
        double size = pixels / (double)block;
        if (size <= best)
            continue;
        best = size;
        compare->units = units;
        figure->cell_width = figure->cell_height = pixels < most ? pixels : most;
        figure->block_rows = figure->block_columns = block;
    }
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

// Makes cells wider than high, as numbers are, as far as there is room.
static void widen(Compare *compare)
{
    Figure *figure = compare->pen.figure;
    int wide = (compare->area.width - (compare->units - 1) * 2 * compare->gap) / compare->units;
    int across = (wide - compare->pen.row_labels - 2 * compare->gap) / FIGURE_SIDES;
    int room = (int)(across / compare->pen.data.values.shape[3]);
    int most = figure->cell_height * 8 / 5;
    most = most < room ? most : room;
    if (figure->block_rows == 1 && most > figure->cell_width)
        figure->cell_width = most;
}

// Room for words of that size; over columns they lie where they fit. True when a line of them is not
// higher than a cell.
static bool fit_words(Compare *compare, int size)
{
    FigurePen *pen = &compare->pen;
    const ptrdiff_t *shape = pen->data.values.shape;
    int row = widest(compare, shape[2], figure_row_label, compare_points(compare, 90));
    int column = widest(compare, shape[3], figure_column_label, compare_points(compare, 80));
    column = column * size / pen->small;
    pen->label = size;
    pen->row_labels = row * size / pen->small + compare_points(compare, 8);
    for (int upright = 1; upright >= 0; upright--) {
        pen->upright = upright;
        pen->column_labels = (upright ? column : size) + compare_points(compare, 6);
        choose_units(compare);
        widen(compare);
        if (column + compare_points(compare, 4) > pen->figure->cell_width)
            break;
    }
    return pen->figure->block_rows == 1 &&
           pen->figure->cell_height >= size * compare_points(compare, 10) / pen->small;
}

// Words stand at rows and columns where cells are high enough; large ones where cells are much higher.
static void choose_words(Compare *compare)
{
    FigurePen *pen = &compare->pen;
    bool large = fit_words(compare, pen->text) && pen->figure->cell_height >= 3 * pen->text;
    pen->words = large || fit_words(compare, pen->small);
    if (pen->words)
        return;
    pen->row_labels = pen->column_labels = 0;
    choose_units(compare);
    widen(compare);
}

void compare_lay_out(Compare *compare)
{
    FigurePen *pen = &compare->pen;
    Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    choose_words(compare);
    figure->rows = shape[2];
    figure->columns = shape[3];
    figure->all_visible = true;
    figure->above = figure->above_others = above(compare);
    int wide = (int)pool_count(shape[3], figure->block_columns) * figure->cell_width;
    int high = (int)pool_count(shape[2], figure->block_rows) * figure->cell_height;
    int unit = pen->row_labels + FIGURE_SIDES * wide + 2 * compare->gap;
    int pitch = high + above(compare) + compare_points(compare, 8);
    for (int map = 0; map < figure->map_count; map++) {
        int head = map / FIGURE_SIDES, column = head % compare->units;
        figure->maps[map].x = compare->area.x + column * (unit + 2 * compare->gap) +
                              pen->row_labels + (int)compare_side(map) * (wide + compare->gap);
        figure->maps[map].y = compare->area.y + head / compare->units * pitch + above(compare);
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
