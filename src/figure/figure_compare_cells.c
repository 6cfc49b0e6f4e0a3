// figure_compare_cells: the numbers of two runs, what differs, and its cells; see figure_compare.h and
// figure_compare_cells.h.
#include "figure_compare_cells.h"

#include <math.h>
#include <string.h>

bool figure_compare_same(const FigureSidePair *pair, FigureCell cell)
{
    float here = figure_number(pair->here, pair->batch, cell);
    float there = figure_number(pair->there, pair->batch, cell);
    return memcmp(&here, &there, sizeof here) == 0 || (isnan(here) && isnan(there));
}

float figure_compare_number(const FigureSidePair *pair, FigureSide side, FigureCell cell)
{
    if (side == FIGURE_SIDE_DIFFERENCE && figure_compare_same(pair, cell))
        return 0.0f; // of two infinities, too
    float here = figure_number(pair->here, pair->batch, cell);
    float there = figure_number(pair->there, pair->batch, cell);
    return side == FIGURE_SIDE_THIS ? here : side == FIGURE_SIDE_OTHER ? there : there - here;
}

// NaN beside a number is farther than any difference. Rounding makes none of two equal ones the farther.
static bool is_farther(float apart, float most)
{
    return isfinite(most) && !(fabsf(apart) <= fabsf(most) * 1.00001f);
}

bool figure_compare_most(const FigureSidePair *pair, ptrdiff_t head, FigureCell *cell)
{
    const ptrdiff_t *shape = pair->here->values.shape;
    FigureCell at = {.head = head};
    float most = 0.0f;
    bool differs = false;
    for (at.row = 0; at.row < shape[2]; at.row++)
        for (at.column = 0; at.column < shape[3]; at.column++) {
            float apart = figure_compare_number(pair, FIGURE_SIDE_DIFFERENCE, at);
            if (figure_compare_same(pair, at) || (differs && !is_farther(apart, most)))
                continue;
            *cell = at;
            most = apart;
            differs = true;
        }
    return differs;
}

// --- all of them, once

// What the numbers of a row are multiplied with for their colours: 1 where these are the numbers' own.
// The right run's keys count on both sides, so that a colour is one number all along a row.
static float keys_of(const Compare *compare, ptrdiff_t head, ptrdiff_t row)
{
    if (!compare->even)
        return 1.0f;
    ptrdiff_t keys = figure_visible_keys(compare->pair.here, compare->pair.batch,
                                         head < 0 ? 0 : head, row); // of the mean, as of head 0
    return keys > 0 ? (float)keys : 1.0f;
}

static void measure_cell(Compare *compare, FigureCell cell, float keys)
{
    const FigureSidePair *pair = &compare->pair;
    for (FigureSide side = FIGURE_SIDE_THIS; side <= FIGURE_SIDE_OTHER; side++) {
        float number = figure_compare_number(pair, side, cell);
        compare->written[0] = matrix_widen(compare->written[0], number);
        compare->numbers = matrix_widen(compare->numbers, number * keys);
    }
    compare->count++;
    if (figure_compare_same(pair, cell))
        return;
    float apart = figure_compare_number(pair, FIGURE_SIDE_DIFFERENCE, cell);
    compare->written[1] = matrix_widen(matrix_widen(compare->written[1], apart), -apart);
    compare->differences =
        matrix_widen(matrix_widen(compare->differences, apart * keys), -apart * keys);
    if (!compare->differs || is_farther(apart, compare->most_apart)) {
        compare->most = cell;
        compare->most_apart = apart;
    }
    compare->differs = true;
    compare->differing++;
    compare->beyond += !isfinite(apart);
}

void compare_measure(Compare *compare)
{
    const Figure *figure = compare->pen.figure;
    const ptrdiff_t *shape = compare->pen.data.values.shape;
    compare->numbers = compare->differences = pool_nothing;
    compare->written[0] = compare->written[1] = pool_nothing;
    for (int map = 0; map < figure->map_count; map += FIGURE_SIDES) {
        FigureCell cell = {.head = figure->maps[map].head};
        for (cell.row = 0; cell.row < shape[2]; cell.row++) {
            float keys = keys_of(compare, cell.head, cell.row);
            for (cell.column = 0; cell.column < shape[3]; cell.column++)
                measure_cell(compare, cell, keys);
        }
    }
    if (compare->pen.request->scale == FIGURE_SCALE_UNIT)
        compare->numbers = (PoolRange){0.0f, 1.0f};
    compare->numbers =
        figure_signed_range(&compare->pen, figure_round_range(&compare->pen, compare->numbers));
    compare->differences = figure_round_range(&compare->pen, compare->differences);
}

// --- cells

// What a block of cells shows; of differences the one that is farthest from 0, without flags.
typedef struct Block {
    MatrixBlock cells;
    float keys; // that its number counts times for its colour
    bool same;  // all of it
} Block;

static Block block_of(const Compare *compare, FigureSide side, FigureCell first, float keys)
{
    const Figure *figure = compare->pen.figure;
    const FigureData *data = side == FIGURE_SIDE_OTHER ? compare->pair.there : compare->pair.here;
    bool differs = side == FIGURE_SIDE_DIFFERENCE;
    Block block = {.cells = {.farthest = differs}, .keys = keys, .same = true};
    FigureCell at = first;
    for (at.row = first.row; at.row < first.row + figure->block_rows && at.row < figure->rows;
         at.row++)
        for (at.column = first.column;
             at.column < first.column + figure->block_columns && at.column < figure->columns;
             at.column++) {
            MatrixMark flag = differs ? MATRIX_PLAIN : figure_flag(data, compare->pair.batch, at);
            matrix_add(&block.cells, figure_compare_number(&compare->pair, side, at), flag);
            block.same = block.same && figure_compare_same(&compare->pair, at);
        }
    return block;
}

static DisplayCell cell_of(const Compare *compare, FigureSide side, Block block,
                           const Colour table[COLOUR_LEVELS])
{
    const FigureTheme *theme = &compare->pen.theme;
    PoolRange range = side == FIGURE_SIDE_DIFFERENCE ? compare->differences : compare->numbers;
    float number = block.cells.number;
    if (side == FIGURE_SIDE_DIFFERENCE && block.same)
        return display_cell(theme->empty, DISPLAY_PLAIN);
    return figure_marked_cell(theme, matrix_mark(block.cells.flag, number), number,
                              table[colour_level(number * block.keys, range.low, range.high)]);
}

FigureBox compare_box(const Compare *compare, int map, FigureCell cell)
{
    const Figure *figure = compare->pen.figure;
    return (FigureBox){
        figure->maps[map].x + (int)(cell.column / figure->block_columns) * figure->cell_width,
        figure->maps[map].y + (int)(cell.row / figure->block_rows) * figure->cell_height,
        figure->cell_width, figure->cell_height};
}

// Of a block of rows the last one's keys count, as in a figure of one run.
static ptrdiff_t last_row(const Figure *figure, ptrdiff_t first)
{
    ptrdiff_t last = first + figure->block_rows - 1;
    return last < figure->rows ? last : figure->rows - 1;
}

void compare_cells(Compare *compare, int map)
{
    const FigurePen *pen = &compare->pen;
    const Figure *figure = pen->figure;
    FigureSide side = compare_side(map);
    Colour table[COLOUR_LEVELS];
    int rows = (int)pool_count(figure->rows, figure->block_rows);
    int columns = (int)pool_count(figure->columns, figure->block_columns);
    int least = figure_points(pen, 15);
    bool has_gaps = figure->cell_width >= least && figure->cell_height >= least;
    if (side == FIGURE_SIDE_DIFFERENCE)
        figure_colours(pen, COLOUR_DIVERGING, false, compare->differences, table);
    else
        figure_colours(pen, pen->request->map, compare->even, compare->numbers, table);
    DisplayCell *cells =
        display_cells(pen->list, (DisplayItem){.x = figure->maps[map].x,
                                               .y = figure->maps[map].y,
                                               .width = columns * figure->cell_width,
                                               .height = rows * figure->cell_height,
                                               .rows = rows,
                                               .columns = columns,
                                               .colour = pen->theme.hatch,
                                               .size = figure_points(pen, 5),
                                               .gap = has_gaps});
    float keys = 1.0f;
    for (int i = 0; cells && i < rows * columns; i++) {
        FigureCell first = {figure->maps[map].head, i / columns * figure->block_rows,
                            i % columns * figure->block_columns};
        if (i % columns == 0)
            keys = keys_of(compare, first.head, last_row(figure, first.row));
        cells[i] = cell_of(compare, side, block_of(compare, side, first, keys), table);
        compare->marks |= 1U << (cells[i] >> 24);
    }
}

// --- what is marked

// Around a low cell, whose number a frame within would cover: `line` pixels outside, and one of paper inside.
static void draw_thin_frame(const Compare *compare, FigureBox box, int line, Colour colour)
{
    DisplayItem frame = {.kind = DISPLAY_FRAME, .x = box.x - line, .y = box.y - line, .alpha = 255};
    frame.width = box.width + 2 * line;
    frame.height = box.height + 2 * line;
    frame.thickness = line + 1;
    frame.colour = compare->pen.theme.paper;
    display_add(compare->pen.list, frame);
    frame.thickness = line;
    frame.colour = colour;
    display_add(compare->pen.list, frame);
}

void compare_frame(const Compare *compare, int map, FigureCell cell, Colour colour)
{
    const FigureMap *at = &compare->pen.figure->maps[map];
    FigureBox box = compare_box(compare, map, cell);
    int least = compare_points(compare, 5), line = figure_usual_points(&compare->pen, 1.5);
    if (at->head >= 0 && at->head != cell.head)
        return;
    if (box.width >= least && box.height < compare_points(compare, 24)) {
        draw_thin_frame(compare, box, line > 1 ? line : 1, colour);
        return;
    }
    if (box.width < least) {
        box.x -= (least - box.width) / 2;
        box.y -= (least - box.height) / 2;
        box.width = box.height = least;
    }
    figure_double_frame(&compare->pen, box, colour);
}
