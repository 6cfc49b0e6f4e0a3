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

// Words stand at rows and columns where a line of them is as high as a cell.
void compare_lay_out(Compare *compare)
{
    FigurePen *pen = &compare->pen;
    Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    pen->row_labels =
        figure_label_width(pen, shape[2], figure_row_label, compare_points(compare, 90)) +
        compare_points(compare, 8);
    pen->column_labels =
        figure_label_width(pen, shape[3], figure_column_label, compare_points(compare, 80)) +
        compare_points(compare, 6);
    choose_units(compare);
    pen->words = figure->block_rows == 1 && figure->cell_height >= compare_points(compare, 10);
    if (!pen->words) {
        pen->row_labels = pen->column_labels = 0;
        choose_units(compare);
    }
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
