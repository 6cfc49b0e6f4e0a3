// The heatmap: one head with labels on both axes, or all heads of a sequence.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure.h"
#include "number_text.h"
#include "open_lecture.h"
#include "panel.h"
#include "tui_words.def"
#include "utf8.h"

enum { NUMBERS_MAX = 1 << 20, SIDE_MIN = 64 };

const char *const heat_shades[HEAT_SHADES] = {"\u00b7", "\u2591", "\u2592", "\u2593", "\u2588"};

// --- the visible part

// The part of an axis, in steps of `side`, that contains `at`.
static void choose_part(ptrdiff_t at, ptrdiff_t side, ptrdiff_t length, ptrdiff_t *first,
                        ptrdiff_t *count)
{
    *first = at / side * side;
    *count = index_min(length - *first, side);
}

void heat_part(HeatSource *source, FigureCell chosen, bool all_heads)
{
    const ptrdiff_t *shape = source->data.values.shape;
    ptrdiff_t heads = all_heads ? shape[1] : 1, side = HEAT_SIDE_MAX;
    heads = index_min(heads, NUMBERS_MAX / (SIDE_MIN * SIDE_MIN));
    while (side > SIDE_MIN && side * side * heads > NUMBERS_MAX)
        side /= 2;
    choose_part(chosen.head, heads, shape[1], &source->first_head, &source->heads);
    choose_part(chosen.row, side, shape[2], &source->first_row, &source->rows);
    choose_part(chosen.column, side, shape[3], &source->first_column, &source->columns);
}

// --- marks

// The tensor's own index of a cell.
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

// The mark of a cell whose number is `number`.
static MatrixMark heat_mark(const HeatSource *source, FigureCell cell, float number)
{
    return heat_has_reached(source, cell) ? matrix_mark(heat_flag(source, cell), number)
                                          : MATRIX_NOT_YET;
}

// --- scale

// The factor of a row's numbers for their colour: 1, or with even colours the keys that the query can see. Then an
// even share is 1 in every row, as in a picture (figure_cache.c).
static float heat_times(const HeatSource *source, ptrdiff_t head, ptrdiff_t row)
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

// Skips numbers inside the range: they cannot widen it, whatever their mark.
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
        range.high = matrix_round_end(range.high); // as pictures do
    HeatScale scale = {.low = range.low, .high = range.high, .both_signs = both_signs};
    if (scale.high == 0.0f)
        scale.high = 1.0f;
    bool around_one = source->even && !both_signs && scale.high >= 1.0f;
    colour_table_around(both_signs ? COLOUR_DIVERGING : COLOUR_VIRIDIS,
                        around_one ? 1.0 / (double)scale.high : 0.5, scale.table);
    return scale;
}

Colour heat_colour(const HeatScale *scale, float number, bool is_pale)
{
    enum { PALE = 0x6c6c6c };
    const double paleness = 0.75;
    Colour colour = scale->table[colour_level(number, scale->low, scale->high)];
    return is_pale ? colour_mix(colour, PALE, paleness) : colour;
}

const char *heat_shade(const HeatScale *scale, float number)
{
    float share = fabsf(number) / scale->high;
    int shade = share < 1.0f ? (int)(share * HEAT_SHADES) : HEAT_SHADES - 1;
    return heat_shades[shade];
}

// --- the map

enum { STRIPE_DARK = 0x303030, STRIPE_LIGHT = 0x8A8A8A, STRIPE_NAN = 0xE060C0 };

// A block of cells.
typedef struct Block {
    ptrdiff_t row, column; // in the map's blocks
    float number;          // the largest, times its row's factor
    MatrixMark mark;       // of all its cells
    bool has_number;       // show it besides the mark
    bool is_pale;          // the text asks for none of its rows
} Block;

// --- fitting

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
    fit.cell_columns = (int)index_min(room.columns / fit.columns, index_max(most, least));
    fit.signs = !coloured && scale->both_signs && fit.cell_columns > 1;
    fit.lines = (int)(fit.halves ? (fit.rows + 1) / 2 : fit.rows);
    return fit;
}

// The upper left cell of a block.
static FigureCell heat_first_cell(const HeatSource *source, const HeatFit *fit, ptrdiff_t head,
                                  ptrdiff_t row, ptrdiff_t column)
{
    return (FigureCell){head, source->first_row + row * fit->block_rows,
                        source->first_column + column * fit->block_columns};
}

// The block of a row or column.
static ptrdiff_t heat_block_row(const HeatSource *source, const HeatFit *fit, ptrdiff_t row)
{
    return (row - source->first_row) / fit->block_rows;
}

static ptrdiff_t heat_block_column(const HeatSource *source, const HeatFit *fit, ptrdiff_t column)
{
    return (column - source->first_column) / fit->block_columns;
}

// --- blocks

// `times` has the factor of each row of the part.
static Block block_at(const HeatMap *map, const float times[], ptrdiff_t row, ptrdiff_t column)
{
    const HeatSource *source = map->source;
    const HeatFit *fit = &map->fit;
    FigureCell first = heat_first_cell(source, fit, map->head, row, column), at = first;
    ptrdiff_t last_row = index_min(first.row + fit->block_rows, source->first_row + source->rows);
    ptrdiff_t last_column =
        index_min(first.column + fit->block_columns, source->first_column + source->columns);
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
            // A smaller number in a plain block changes nothing, whatever its mark.
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

// True if this column of a block shows its mark. Blocks with a number show both: the mark in their last column, or
// in every second block.
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
    return heat_colour(map->scale, block->number, block->is_pale);
}

// The character of one column of a block: sign, shade, mark, or the frame of the chosen block.
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

// The colour of a half: its number's, or a stripe's where no mark fits.
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

// --- one head
//
// Queries on the left, keys on top, with pointers at the chosen ones.

typedef struct HeatView {
    HeatSource source;
    HeatScale scale;
    FigureCell chosen;
    bool grows; // with the screen, for a projector
} HeatView;

// The name of a map: "head 2", "query 1 is"; "" if there is only one.
enum { HEAT_NAME_MAX = 160 };

enum {
    NAMES_LOOKED_AT = 256, // for the width of labels
    ROW_NAME_MAX = 12,
    UPRIGHT_MAX = 6, // lines of a word written downwards
    HEAD_CELL_COLUMNS_MAX = 6,
    SLIDE_CELL_COLUMNS_MAX = 12,
    POINTER_COLUMNS = 2,
};

typedef const char *Label(const FigureData *data, ptrdiff_t batch, ptrdiff_t index, char text[64]);

static const char *heat_head_name(const HeatView *view, ptrdiff_t head, char text[HEAT_NAME_MAX])
{
    text[0] = '\0';
    if (view->source.data.has_heads)
        figure_map_name(&view->source.data, view->source.sequence, head, text);
    return text;
}

static int widest(const HeatView *view, int axis, Label *label)
{
    char text[64];
    int columns = 1;
    for (ptrdiff_t i = 0; i < view->source.data.values.shape[axis] && i < NAMES_LOOKED_AT; i++) {
        int width = utf8_width(label(&view->source.data, view->source.sequence, i, text));
        columns = (int)index_max(width, columns);
    }
    return columns;
}

// Writes a word downwards, a character for each line. A character that is too wide becomes a dot.
static void write_upright(const char *text, Area area, Role role)
{
    uint32_t character;
    int row = 0;
    for (size_t bytes; row < area.rows && (bytes = utf8_next(text, &character)) > 0;
         text += bytes) {
        char one[8] = "";
        int width = utf8_character_width(character);
        if (width == 0)
            continue;
        memcpy(one, text, bytes);
        cells_text(area, row++, 0, role, width > area.columns ? "\u00b7" : one);
    }
}

// Draws the labels of columns in `lines` lines, with a pointer at the chosen one below.
static void draw_keys(const HeatView *view, const HeatFit *fit, Area area, int start, int lines)
{
    char text[64], cut[64];
    ptrdiff_t chosen = heat_block_column(&view->source, fit, view->chosen.column);
    for (ptrdiff_t column = 0; column < fit->columns; column++) {
        int at = start + (int)column * fit->cell_columns;
        Role role = column == chosen ? ROLE_CURRENT : ROLE_QUIET;
        ptrdiff_t index = column == chosen
                              ? view->chosen.column
                              : heat_first_cell(&view->source, fit, 0, 0, column).column;
        figure_column_label(&view->source.data, view->source.sequence, index, text);
        if (lines == 1 && fit->cell_columns > 2) {
            utf8_cut(text, fit->cell_columns - 1, cut, sizeof cut);
            cells_text(area, 0, at, role, cut);
        } else {
            Area upright = area_part(area, 0, at, lines, fit->cell_columns);
            write_upright(text, upright, role);
        }
    }
    cells_text(area, lines, start + (int)chosen * fit->cell_columns, ROLE_CURRENT, "\u25be");
}

// "very"; "(very)" if the text does not ask for this row.
static void query_word(const HeatView *view, ptrdiff_t row, int room, char word[64])
{
    enum { BRACKETS = 2 };
    char text[64], cut[64];
    figure_row_label(&view->source.data, view->source.sequence, row, text);
    bool is_asked =
        figure_row_is_asked(&view->source.data, view->source.sequence, view->chosen.head, row);
    utf8_cut(text, is_asked || room <= BRACKETS ? room : room - BRACKETS, cut, sizeof cut);
    snprintf(word, 64, is_asked || room <= BRACKETS ? "%s" : "(%.60s)", cut);
}

// If two rows share a line, the label is of the chosen one, else of the upper one.
static void draw_queries(const HeatView *view, const HeatFit *fit, Area area, int first,
                         int name_columns)
{
    char word[64];
    ptrdiff_t step = fit->halves ? 2 : 1;
    ptrdiff_t chosen = heat_block_row(&view->source, fit, view->chosen.row);
    for (int line = 0; line < fit->lines; line++) {
        bool is_chosen = chosen / step == line;
        ptrdiff_t row = is_chosen ? view->chosen.row
                                  : heat_first_cell(&view->source, fit, 0, line * step, 0).row;
        query_word(view, row, name_columns, word);
        cells_text(area, first + line, 0, is_chosen ? ROLE_CURRENT : ROLE_QUIET, word);
        if (is_chosen)
            cells_text(area, first + line, name_columns, ROLE_CURRENT, "\u25b8");
    }
}

// A cell is about twice as high as wide.
static void stretch(const HeatFit *fit, Area area, int start)
{
    int times = area.rows / fit->lines, most = fit->cell_columns / 2;
    cells_stretch(area, fit->lines, times < most ? times : most, start);
}

// Draws one head into `area`, adds the marks that occur, and returns the fit.
static HeatFit heat_head_draw(const HeatView *view, Area area, bool marks[MATRIX_MARKS])
{
    int name_columns = widest(view, 2, figure_row_label);
    int key_columns = widest(view, 3, figure_column_label);
    if (figure_has_pale_rows(&view->source.data, view->source.sequence, view->chosen.head))
        name_columns += 2; // brackets
    name_columns = (int)index_min(index_min(name_columns, ROW_NAME_MAX), area.columns / 4);
    int start = name_columns + POINTER_COLUMNS;
    int lines = (int)index_min(index_min(key_columns, UPRIGHT_MAX), area.rows / 4);
    int cell_columns = view->grows ? SLIDE_CELL_COLUMNS_MAX : HEAD_CELL_COLUMNS_MAX;
    if (view->source.columns * HEAD_CELL_COLUMNS_MAX <= area.columns - start || key_columns == 1)
        lines = 1;

    Area room = area_part(area, lines + 1, start, area.rows - lines - 1, area.columns - start);
    if (room.rows < 1 || room.columns < 1)
        return (HeatFit){.block_rows = 1, .block_columns = 1};
    HeatMap map = {.source = &view->source,
                   .scale = &view->scale,
                   .head = view->chosen.head,
                   .chosen = view->chosen};
    map.fit = heat_fit(&view->source, &view->scale, room, area.cells->colours, cell_columns);
    draw_keys(view, &map.fit, area, start, lines);
    draw_queries(view, &map.fit, area, lines + 1, name_columns);
    heat_map_draw(&map, room, marks);
    if (view->grows && !map.fit.halves)
        stretch(&map.fit, area_part(area, lines + 1, 0, area.rows - lines - 1, area.columns),
                start);
    return map.fit;
}

// --- all heads
//
// In a grid, with the chosen one among them.

enum { GAP = 2, GRID_CELL_COLUMNS_MAX = 2, MAP_COLUMNS_MIN = 6, MAP_ROWS_MIN = 2 };

// How heads are arranged; `across` maps in a row of the grid.
typedef struct Grid {
    int across, down;
    Area room; // of one map's cells, at the origin
    HeatFit fit;
} Grid;

static bool try_grid(const HeatView *view, Area area, int across, int colours, Grid *grid)
{
    ptrdiff_t heads = view->source.data.values.shape[1];
    int down = (int)((heads + across - 1) / across);
    int columns = (area.columns + GAP) / across - GAP;
    down = (int)index_min(down, area.rows / (MAP_ROWS_MIN + 1));
    if (down < 1 || (columns < MAP_COLUMNS_MIN && across > 1) || columns < 1)
        return false;
    *grid = (Grid){across, down, {.rows = area.rows / down - 1, .columns = columns}, {0}};
    grid->fit = heat_fit(&view->source, &view->scale, grid->room, colours, GRID_CELL_COLUMNS_MAX);
    return true;
}

// Prefers more heads, then smaller blocks, then larger cells.
static bool is_better(const HeatView *view, const Grid *a, const Grid *b)
{
    ptrdiff_t heads = view->source.data.values.shape[1];
    ptrdiff_t shown_a = index_min(a->across * a->down, heads);
    ptrdiff_t shown_b = index_min(b->across * b->down, heads);
    ptrdiff_t block_a = a->fit.block_rows * a->fit.block_columns;
    ptrdiff_t block_b = b->fit.block_rows * b->fit.block_columns;
    if (shown_a != shown_b)
        return shown_a > shown_b;
    if (block_a != block_b)
        return block_a < block_b;
    return a->fit.cell_columns > b->fit.cell_columns;
}

static bool choose_grid(const HeatView *view, Area area, int colours, Grid *best)
{
    bool found = false;
    for (int across = 1; across <= view->source.data.values.shape[1] && across <= area.columns;
         across++) {
        Grid grid;
        if (try_grid(view, area, across, colours, &grid) &&
            (!found || is_better(view, &grid, best))) {
            *best = grid;
            found = true;
        }
    }
    return found;
}

static void draw_one(const HeatView *view, const Grid *grid, ptrdiff_t head, Area area,
                     bool marks[MATRIX_MARKS])
{
    char name[HEAT_NAME_MAX];
    bool chosen = head == view->chosen.head;
    HeatMap map = {.source = &view->source,
                   .scale = &view->scale,
                   .fit = grid->fit,
                   .head = head,
                   .chosen = view->chosen};
    cells_format(area, 0, 0, chosen ? ROLE_CURRENT : ROLE_HEADING, "%s%s", chosen ? "\u25b8" : "",
                 heat_head_name(view, head, name));
    area.row++;
    area.rows--;
    heat_map_draw(&map, area, marks);
}

static HeatFit heat_grid_draw(const HeatView *view, Area area, bool marks[MATRIX_MARKS])
{
    Grid grid = {0};
    if (!choose_grid(view, area, area.cells->colours, &grid))
        return (HeatFit){.block_rows = 1, .block_columns = 1};
    int page = grid.across * grid.down, height = grid.fit.lines + 1;
    ptrdiff_t first = view->chosen.head / page * page;
    int gap = (grid.down + 1) * (height + 1) <= area.rows + grid.down + 1 ? 1 : 0;
    for (int i = 0; i < page && first + i < view->source.data.values.shape[1]; i++) {
        Area one =
            area_part(area, i / grid.across * (height + gap),
                      i % grid.across * ((int)grid.fit.columns * grid.fit.cell_columns + GAP),
                      height, grid.room.columns);
        draw_one(view, &grid, first + i, one, marks);
    }
    return grid.fit;
}

// --- the panel
//
// The last two axes of the current tensor as a map: one head or all; the scale and legend; the chosen number.

enum { TITLE_ROWS = 1, LEGEND_ROWS = 1, CHOSEN_ROWS = 2, SAMPLES = 10 };

// Index `at` of the tensor as [sequence, head, row, column].
static void spread(const FigureData *data, const ptrdiff_t at[], ptrdiff_t spread_at[4])
{
    int rank = data->trace->tensors[data->tensor].tensor.rank;
    memset(spread_at, 0, 4 * sizeof *spread_at);
    for (int axis = 0; axis < rank; axis++)
        spread_at[axis + 4 - rank] = at[axis];
    if (rank == 3 && data->has_batch) {
        spread_at[0] = at[0];
        spread_at[1] = 0;
    }
}

static bool open_view(const Session *session, HeatView *view, Error *err)
{
    FigureRequest request = {.tensor = session->cursor.tensor};
    ptrdiff_t at[4];
    if (!figure_data(&session->run.trace, &request, &view->source.data, err))
        return false;
    spread(&view->source.data, session_view(session)->at, at);
    view->grows = session->lecture && session->lecture->presents;
    view->source.sequence = at[0];
    view->chosen = (FigureCell){at[1], at[2], at[3]};
    view->source.session = session;
    view->source.marks = trace_marks(&session->run.trace, session->cursor.tensor);
    bool given = view->source.data.is_weights && !session->look.scale_to_largest;
    view->source.even = given && figure_shares_differ(&view->source.data, at[0]);
    HeatSource all = view->source;
    heat_part(&all, view->chosen, true);
    heat_part(&view->source, view->chosen, session->look.all_heads);
    view->scale = heat_scale(&view->source, &all, given && !view->source.even ? 1.0f : 0.0f);
    return true;
}

// Returns the column behind it.
static int draw_title(const Session *session, const HeatView *view, Area area)
{
    char name[HEAT_NAME_MAX], hint[32] = "";
    ptrdiff_t heads = view->source.data.values.shape[1];
    if (session->look.all_heads)
        snprintf(name, sizeof name, TELL(HEATMAP_ALL), heads);
    else
        heat_head_name(view, view->chosen.head, name);
    if (heads > 1 && !view->grows)
        snprintf(hint, sizeof hint,
                 session->look.all_heads ? TELL(HEATMAP_ONE_KEY) : TELL(HEATMAP_ALL_KEY),
                 view->source.data.maps);
    cells_fill(area, 0, 0, area.columns, ROLE_RULE, "\u2500");
    int used = 1 + cells_format(area, 0, 1, ROLE_HEADING, " %s%s%s ", session_tensor(session)->name,
                                name[0] ? ", " : "", name);
    if (used + utf8_width(hint) + 1 < area.columns)
        cells_text_right(area, 0, area.columns - 1, ROLE_KEY, hint);
    return used;
}

// Draws the scale from its lowest to its highest number, shorter if the numbers need the room.
static int draw_samples(const HeatView *view, Area area, int row, int column)
{
    bool coloured = area.cells->colours >= CELLS_SHADES_FROM;
    const HeatScale *scale = &view->scale;
    char low[32], high[32];
    snprintf(low, sizeof low, "%.4g ", (double)(coloured ? scale->low : 0.0f));
    snprintf(high, sizeof high, " %s%.4g", coloured || !scale->both_signs ? "" : "\u00b1",
             (double)scale->high);
    int start = column, room = area.columns - column - utf8_width(low) - utf8_width(high);
    int samples = room < SAMPLES ? (room > 2 ? room : 2) : SAMPLES;
    column += cells_text(area, row, column, ROLE_QUIET, low);
    for (int i = 0; coloured && i < samples; i++, column++) {
        float share = (float)i / (float)(samples - 1);
        Colour colour = heat_colour(scale, scale->low + share * (scale->high - scale->low), false);
        cells_text(area, row, column, ROLE_TEXT, " ");
        cells_shade(area, row, column, 1, (Shade){0, SHADE_SET | colour});
    }
    for (int i = 0; !coloured && i < HEAT_SHADES; i++)
        column += cells_text(area, row, column, ROLE_TEXT, heat_shades[i]);
    column += cells_text(area, row, column, ROLE_QUIET, high);
    return column - start;
}

// True if the chosen head, or any shown one, has pale rows.
static bool has_pale_rows(const Session *session, const HeatView *view)
{
    const FigureData *data = &view->source.data;
    bool pale = figure_has_pale_rows(data, view->source.sequence, view->chosen.head);
    for (ptrdiff_t head = 0; session->look.all_heads && head < data->values.shape[1]; head++)
        pale = pale || figure_has_pale_rows(data, view->source.sequence, head);
    return pale;
}

// Returns the column after it.
static int draw_legend(const HeatView *view, const HeatFit *fit, const bool marks[MATRIX_MARKS],
                       Area area, int row)
{
    int column = draw_samples(view, area, row, 0);
    if (view->source.even)
        column += cells_text_whole(area, row, column, ROLE_QUIET, TELL(HEATMAP_EVEN));
    if (view->source.data.is_weights && !view->grows)
        column += cells_text_whole(area, row, column, ROLE_KEY, TELL(HEATMAP_SCALE_KEY));
    if (fit->block_rows > 1 || fit->block_columns > 1)
        column += cells_format(area, row, column, ROLE_ALARM, TELL(HEATMAP_LARGEST_OF),
                               fit->block_rows, fit->block_columns);
    const HeatSource *source = &view->source;
    if (source->rows < source->data.values.shape[2])
        column += cells_format(area, row, column, ROLE_ALARM, TELL(HEATMAP_ROWS), source->first_row,
                               source->first_row + source->rows - 1, source->data.values.shape[2]);
    if (source->columns < source->data.values.shape[3])
        column +=
            cells_format(area, row, column, ROLE_ALARM, TELL(HEATMAP_COLUMNS), source->first_column,
                         source->first_column + source->columns - 1, source->data.values.shape[3]);
    for (int mark = MATRIX_PLAIN + 1; mark < MATRIX_MARKS; mark++) {
        char text[128];
        snprintf(text, sizeof text, "  %s %s", matrix_mark_character((MatrixMark)mark),
                 matrix_mark_word((MatrixMark)mark));
        column += marks[mark] ? cells_text_whole(area, row, column, ROLE_TEXT, text) : 0;
    }
    return column;
}

enum { CHOSEN_TEXT_MAX = 500 };

// "attn_weights = 0.401: query 3 (very), key 2 (is)"
static const char *chosen_text(const Session *session, const HeatView *view,
                               char text[CHOSEN_TEXT_MAX])
{
    const FigureData *data = &view->source.data;
    const FigureCell *chosen = &view->chosen;
    ptrdiff_t sequence = view->source.sequence;
    char place[FIGURE_CELL_NAME_MAX], number[64];
    MatrixMark mark = heat_mark(&view->source, *chosen, figure_number(data, sequence, *chosen));
    snprintf(text, CHOSEN_TEXT_MAX, "%s = %s: %s", session_tensor(session)->name,
             figure_number_in_full(data, sequence, *chosen, number),
             figure_cell_name(data, sequence, *chosen, place));
    if (mark == MATRIX_MASKED || mark == MATRIX_DROPPED || mark == MATRIX_PADDED)
        text_add(text, CHOSEN_TEXT_MAX, ", %s", matrix_mark_word(mark));
    else if (view->source.even)
        text_add(text, CHOSEN_TEXT_MAX, TELL(HEATMAP_SHARE),
                 number_unsigned_nan((double)(heat_times(&view->source, chosen->head, chosen->row) *
                                              figure_number(data, sequence, *chosen))));
    if (!figure_row_is_asked(data, sequence, chosen->head, chosen->row))
        text_add(text, CHOSEN_TEXT_MAX, ", %s", TELL(HEATMAP_NOT_ASKED));
    return text;
}

static void draw(const Session *session, Area area)
{
    HeatView view;
    Error err;
    bool marks[MATRIX_MARKS] = {false};
    char about[CHOSEN_TEXT_MAX];
    if (!session_has_values(session) || !open_view(session, &view, &err)) {
        cells_paragraph(area, 0, area.rows, 0, ROLE_QUIET,
                        session_has_values(session) ? err.text : TELL(HEATMAP_NONE));
        return;
    }
    chosen_text(session, &view, about);
    Area legend = area_part(area, area.rows - LEGEND_ROWS - CHOSEN_ROWS, 0, 1, area.columns);
    int behind = draw_title(session, &view, area), chosen = legend.row - area.row + LEGEND_ROWS;
    if (view.grows) { // the map takes every row
        legend = area_part(area, 0, behind + 1, 1, area.columns - behind - 1);
        chosen = area.rows - cells_paragraph_rows(about, area.columns, CHOSEN_ROWS, 2);
    }
    int rest = (view.grows ? chosen : legend.row - area.row) - TITLE_ROWS;
    Area maps = area_part(area, TITLE_ROWS, 0, rest, area.columns);
    HeatFit fit = {.block_rows = 1, .block_columns = 1};
    if (rest > 0)
        fit = session->look.all_heads ? heat_grid_draw(&view, maps, marks)
                                      : heat_head_draw(&view, maps, marks);
    int column = draw_legend(&view, &fit, marks, legend, 0);
    if (has_pale_rows(session, &view))
        column += cells_text_whole(legend, 0, column, ROLE_QUIET, TELL(HEATMAP_PALE));
    cells_text(legend, 0, column, ROLE_QUIET, " ");
    cells_paragraph(area, chosen, area.rows - chosen, 2, ROLE_CURRENT, about);
}

const Panel panel_heatmap = {.draw = draw, .hints = panel_hints_of_page};
