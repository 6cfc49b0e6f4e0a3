// A matrix as a map of cells on screen; see parts.h.
#include "heat_map.h"

#include <math.h>
#include <string.h>
#include "matrix.h"

// --- how a number looks

enum { NUMBERS_MAX = 1 << 20, SIDE_MIN = 64 };

const char *const heat_shades[HEAT_SHADES] = {"\u00b7", "\u2591", "\u2592", "\u2593", "\u2588"};

// --- what is shown

// The part of an axis in steps of `side` that holds `at`.
static void choose_part(ptrdiff_t at, ptrdiff_t side, ptrdiff_t length, ptrdiff_t *first,
                        ptrdiff_t *count)
{
    *first = at / side * side;
    *count = length - *first < side ? length - *first : side;
}

void heat_part(HeatSource *source, FigureCell chosen, bool all_heads)
{
    const ptrdiff_t *shape = source->data.values.shape;
    ptrdiff_t heads = all_heads ? shape[1] : 1, side = HEAT_SIDE_MAX;
    ptrdiff_t heads_max = NUMBERS_MAX / (SIDE_MIN * SIDE_MIN);
    heads = heads < heads_max ? heads : heads_max;
    while (side > SIDE_MIN && side * side * heads > NUMBERS_MAX)
        side /= 2;
    choose_part(chosen.head, heads, shape[1], &source->first_head, &source->heads);
    choose_part(chosen.row, side, shape[2], &source->first_row, &source->rows);
    choose_part(chosen.column, side, shape[3], &source->first_column, &source->columns);
}

// --- marks

// The index that the tensor itself has for a cell.
static void index_of(const HeatSource *source, FigureCell cell, ptrdiff_t at[])
{
    ptrdiff_t all[] = {source->sequence, cell.head, cell.row, cell.column};
    int hidden = source->data.hidden_axes;
    memset(at, 0, TENSOR_RANK_MAX * sizeof *at);
    for (int axis = hidden < 0 ? 0 : hidden; axis < 4; axis++)
        at[axis - hidden] = all[axis];
    if (hidden == 1 && source->data.has_batch)
        at[0] = source->sequence;
}

static bool heat_has_reached(const HeatSource *source, FigureCell cell)
{
    ptrdiff_t at[TENSOR_RANK_MAX];
    index_of(source, cell, at);
    return !source->session || session_has_reached(source->session, at);
}

static MatrixMark heat_flag(const HeatSource *source, FigureCell cell)
{
    static const MatrixMark flags[TRACE_MARKS] = {[TRACE_PLAIN] = MATRIX_PLAIN,
                                                  [TRACE_MASKED] = MATRIX_MASKED,
                                                  [TRACE_DROPPED] = MATRIX_DROPPED,
                                                  [TRACE_PADDED] = MATRIX_PADDED};
    ptrdiff_t at[TENSOR_RANK_MAX];
    index_of(source, cell, at);
    return flags[trace_mark_at(&source->marks, at)];
}

MatrixMark heat_mark(const HeatSource *source, FigureCell cell, float number)
{
    return heat_has_reached(source, cell) ? matrix_mark(heat_flag(source, cell), number)
                                          : MATRIX_NOT_YET;
}

// --- scale

float heat_times(const HeatSource *source, ptrdiff_t head, ptrdiff_t row)
{
    if (!source->even)
        return 1.0f;
    ptrdiff_t keys = figure_visible_keys(&source->data, source->sequence, head, row);
    return keys > 0 ? (float)keys : 1.0f;
}

static void widen(PoolRange *range, const HeatSource *source, FigureCell cell, float times)
{
    float number = figure_number(&source->data, source->sequence, cell);
    if (heat_mark(source, cell, number) != MATRIX_MASKED)
        *range = matrix_widen(*range, times * number);
}

// A number inside the scale does not widen it, whatever its mark is.
static void widen_by_row(PoolRange *range, const HeatSource *source, FigureCell first)
{
    ptrdiff_t step;
    float times = heat_times(source, first.head, first.row);
    const float *numbers = figure_numbers_from(&source->data, source->sequence, first, &step);
    FigureCell cell = first;
    for (; cell.column < first.column + source->columns; cell.column++) {
        float number = numbers ? times * numbers[(cell.column - first.column) * step] : NAN;
        if (!(number >= range->low && number <= range->high))
            widen(range, source, cell, times);
    }
}

static void widen_by_all(PoolRange *range, const HeatSource *source)
{
    for (ptrdiff_t head = 0; head < source->heads; head++)
        for (ptrdiff_t row = 0; row < source->rows; row++)
            widen_by_row(range, source,
                         (FigureCell){source->first_head + head, source->first_row + row,
                                      source->first_column});
}

HeatScale heat_scale(const HeatSource *source, const HeatSource *more, float least)
{
    PoolRange range = {0.0f, least};
    widen_by_all(&range, source);
    if (more)
        widen_by_all(&range, more);
    bool both_signs = range.low < 0.0f;
    if (both_signs)
        range = matrix_around_zero(range);
    else if (source->even)
        range.high = matrix_round_end(range.high); // as in pictures
    HeatScale scale = {.low = range.low, .high = range.high, .both_signs = both_signs};
    if (scale.high == 0.0f)
        scale.high = 1.0f;
    bool around_one = source->even && !both_signs && scale.high >= 1.0f;
    colour_table_around(both_signs ? COLOUR_DIVERGING : COLOUR_VIRIDIS,
                        around_one ? 1.0 / (double)scale.high : 0.5, scale.table);
    return scale;
}

Colour heat_colour(const HeatScale *scale, float number)
{
    return scale->table[colour_level(number, scale->low, scale->high)];
}

const char *heat_shade(const HeatScale *scale, float number)
{
    float share = fabsf(number) / scale->high;
    int shade = share < 1.0f ? (int)(share * HEAT_SHADES) : HEAT_SHADES - 1;
    return heat_shades[shade];
}

// --- the map

enum { PALE = 0x6c6c6c }; // what colours of pale rows are mixed with
static const double paleness = 0.75;

enum { STRIPE_DARK = 0x303030, STRIPE_LIGHT = 0x8A8A8A, STRIPE_NAN = 0xE060C0 };

// What a block shows.
typedef struct Block {
    ptrdiff_t row, column; // of the map's blocks
    float number;          // the largest, as often as its row's count
    MatrixMark mark;       // of all its cells
    bool has_number;       // worth showing besides the mark
    bool is_pale;          // in none of its rows is there anything to look for
} Block;

// --- fitting

static ptrdiff_t smaller(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

HeatFit heat_fit(const HeatSource *source, const HeatScale *scale, Area room, int colours, int most)
{
    ptrdiff_t rows = source->rows, columns = source->columns;
    bool coloured = colours >= CELLS_SHADES_FROM;
    int least = !coloured && scale->both_signs && room.columns > 1 ? 2 : 1;
    HeatFit fit = {.halves = coloured && rows > room.rows};
    fit.block_columns = pool_count(columns, room.columns / least);
    fit.block_rows = pool_count(rows, fit.halves ? 2 * room.rows : room.rows);
    fit.rows = pool_count(rows, fit.block_rows);
    fit.columns = pool_count(columns, fit.block_columns);
    fit.cell_columns = (int)smaller(room.columns / fit.columns, most < least ? least : most);
    fit.signs = !coloured && scale->both_signs && fit.cell_columns > 1;
    fit.lines = (int)(fit.halves ? (fit.rows + 1) / 2 : fit.rows);
    return fit;
}

FigureCell heat_first_cell(const HeatSource *source, const HeatFit *fit, ptrdiff_t head,
                           ptrdiff_t row, ptrdiff_t column)
{
    return (FigureCell){head, source->first_row + row * fit->block_rows,
                        source->first_column + column * fit->block_columns};
}

ptrdiff_t heat_block_row(const HeatSource *source, const HeatFit *fit, ptrdiff_t row)
{
    return (row - source->first_row) / fit->block_rows;
}

ptrdiff_t heat_block_column(const HeatSource *source, const HeatFit *fit, ptrdiff_t column)
{
    return (column - source->first_column) / fit->block_columns;
}

// --- what a block shows

// `times` is how often the numbers of a row of the part count.
static Block block_at(const HeatMap *map, const float times[], ptrdiff_t row, ptrdiff_t column)
{
    const HeatSource *source = map->source;
    const HeatFit *fit = &map->fit;
    FigureCell first = heat_first_cell(source, fit, map->head, row, column), at = first;
    ptrdiff_t last_row = smaller(first.row + fit->block_rows, source->first_row + source->rows);
    ptrdiff_t last_column =
        smaller(first.column + fit->block_columns, source->first_column + source->columns);
    Block block = {.row = row, .column = column, .is_pale = true};
    MatrixBlock cells = {.has_cell = false};
    for (at.row = first.row; at.row < last_row; at.row++) {
        ptrdiff_t step;
        float count = times[at.row - source->first_row];
        block.is_pale = block.is_pale &&
                        !figure_row_is_asked(&source->data, source->sequence, map->head, at.row);
        at.column = first.column;
        const float *numbers = figure_numbers_from(&source->data, source->sequence, at, &step);
        for (; at.column < last_column; at.column++) {
            float number = numbers ? count * numbers[(at.column - first.column) * step] : NAN;
            // A smaller number in a plain block changes nothing, whatever its mark is.
            bool changes =
                !cells.has_cell || cells.flag != MATRIX_PLAIN || !(number <= cells.number);
            if (changes && heat_has_reached(source, at))
                matrix_add(&cells, count * figure_number(&source->data, source->sequence, at),
                           heat_flag(source, at));
        }
    }
    block.number = cells.number;
    block.mark = cells.has_cell ? matrix_mark(cells.flag, cells.number) : MATRIX_NOT_YET;
    block.has_number = cells.has_cell && matrix_has_number(block.mark, block.number);
    return block;
}

// Marked blocks with a number show both: the mark in their last column, or in every second block.
static bool shows_mark(const HeatMap *map, const Block *block, int part)
{
    if (block->mark == MATRIX_PLAIN)
        return false;
    if (!block->has_number)
        return true;
    bool has_room = map->fit.cell_columns > 1 + map->fit.signs;
    return has_room ? part == map->fit.cell_columns - 1 : (block->row + block->column) % 2 == 1;
}

// --- drawing

static uint32_t ink_on(Colour colour)
{
    return SHADE_SET | (colour_luminance(colour) > 0.18 ? 0x000000 : 0xFFFFFF);
}

static bool is_chosen(const HeatMap *map, const Block *block)
{
    const FigureCell *chosen = &map->chosen;
    return chosen->head == map->head &&
           heat_block_row(map->source, &map->fit, chosen->row) == block->row &&
           heat_block_column(map->source, &map->fit, chosen->column) == block->column;
}

static Colour colour_of(const HeatMap *map, const Block *block)
{
    Colour colour = heat_colour(map->scale, block->number);
    return block->is_pale ? colour_mix(colour, PALE, paleness) : colour;
}

// The character of one column of a block: the sign, the shade, a mark, or the frame of the chosen
// one.
static const char *character_of(const HeatMap *map, const Block *block, int part, bool coloured)
{
    int last = map->fit.cell_columns - 1;
    if (is_chosen(map, block) && last > 1 && (part == 0 || part == last))
        return part == 0 ? "[" : "]";
    if (is_chosen(map, block) && last <= 1 && part == 0 && coloured)
        return "\u25c6";
    if (shows_mark(map, block, part))
        return matrix_mark_character(block->mark);
    if (coloured)
        return " ";
    if (map->fit.signs && part == 0)
        return block->number < 0.0f ? "-" : " ";
    return heat_shade(map->scale, block->number);
}

static void draw_block(const HeatMap *map, const Block *block, Area area)
{
    int row = (int)block->row;
    bool coloured = area.cells->colours >= CELLS_SHADES_FROM;
    int start = (int)block->column * map->fit.cell_columns;
    Role role = is_chosen(map, block) ? ROLE_CURRENT : block->is_pale ? ROLE_QUIET : ROLE_TEXT;
    for (int part = 0; part < map->fit.cell_columns; part++)
        cells_text(area, row, start + part, coloured ? ROLE_TEXT : role,
                   character_of(map, block, part, coloured));
    if (coloured && block->has_number) {
        Colour colour = colour_of(map, block);
        cells_shade(area, row, start, map->fit.cell_columns,
                    (Shade){ink_on(colour), SHADE_SET | colour});
    }
}

// The colour of a half: its number's, or of a stripe where a mark cannot be written.
static uint32_t half_colour(const HeatMap *map, const Block *block, int part)
{
    bool light = (block->row + block->column + part) % 2 == 0;
    if (!shows_mark(map, block, part))
        return SHADE_SET | colour_of(map, block);
    if (block->mark == MATRIX_NAN && light)
        return SHADE_SET | STRIPE_NAN;
    return SHADE_SET | (light ? STRIPE_LIGHT : STRIPE_DARK);
}

static void draw_halves(const HeatMap *map, const Block *upper, const Block *lower, Area area)
{
    int line = (int)upper->row / 2;
    bool same = lower && upper->mark == lower->mark && !upper->has_number && !lower->has_number;
    for (int part = 0; part < map->fit.cell_columns; part++) {
        int at = (int)upper->column * map->fit.cell_columns + part;
        if (same) {
            cells_text(area, line, at, ROLE_QUIET, matrix_mark_character(upper->mark));
            continue;
        }
        Shade shade = {.front = half_colour(map, upper, part)};
        if (lower)
            shade.back = half_colour(map, lower, part);
        cells_text(area, line, at, ROLE_TEXT, "\u2580");
        cells_shade(area, line, at, 1, shade);
    }
}

void heat_map_draw(const HeatMap *map, Area area, bool marks[MATRIX_MARKS])
{
    ptrdiff_t step = map->fit.halves ? 2 : 1;
    float times[HEAT_SIDE_MAX];
    for (ptrdiff_t row = 0; row < map->source->rows; row++)
        times[row] = heat_times(map->source, map->head, map->source->first_row + row);
    for (ptrdiff_t row = 0; row < map->fit.rows; row += step)
        for (ptrdiff_t column = 0; column < map->fit.columns; column++) {
            bool has_lower = map->fit.halves && row + 1 < map->fit.rows;
            Block block = block_at(map, times, row, column), lower = {.mark = MATRIX_PLAIN};
            if (has_lower)
                lower = block_at(map, times, row + 1, column);
            marks[block.mark] = marks[lower.mark] = true;
            if (map->fit.halves)
                draw_halves(map, &block, has_lower ? &lower : NULL, area);
            else
                draw_block(map, &block, area);
        }
}
