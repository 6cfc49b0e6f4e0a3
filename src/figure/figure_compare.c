// Two runs side by side; see figure.h.
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_internal.h"
#include "figure_words.def"
#include "number_text.h"

// --- layout

typedef struct Compare {
    FigurePen pen; // pen.data is this run; pen.figure has three maps per head
    FigureData there;
    FigureSidePair pair;
    const FigureOther *other;
    const char *document;           // the document of this run's numbers, or NULL
    bool even;                      // colours show weight times the keys that this run's query sees
    PoolRange numbers, differences; // ranges of both scales
    PoolRange written[2];           // ranges of the numbers themselves, and of their differences
    ptrdiff_t differing, count;     // cells of the maps shown
    ptrdiff_t beyond;               // how many differ by no finite number: one is NaN or infinite
    bool differs;                   // some cell differs; the one that differs most:
    FigureCell most;
    float most_apart;
    unsigned marks; // bit m: some cell has mark m
    int margin;     // around the picture
    int gap;        // between the three maps of a head
    bool is_small;  // no room for all texts
    int units;      // heads side by side
    int other_rows; // width of the other run's row labels; 0: they are the same
} Compare;

enum { COMPARE_LINE_MAX = 512 };

// Pixels above the first row of heads: names, and column labels if cells have room for them. Other rows may
// have only the heads' names.
static int above_first(const Compare *compare)
{
    bool one = compare->pen.figure->map_count == FIGURE_SIDES;
    return figure_points(&compare->pen, one ? 22 : 42) + compare->pen.column_labels;
}

static int above_others(const Compare *compare)
{
    return compare->pen.words_above_all ? above_first(compare) : figure_points(&compare->pen, 22);
}

// An arrangement of the heads, each with its three maps side by side.
typedef struct Arrangement {
    int units; // heads side by side
    int width, height;
    ptrdiff_t block;
    double size; // of a cell: larger is better
    int empty;   // places without a head
} Arrangement;

// How many cells a block has along one axis, so that blocks are visible in this many pixels; 1 if cells are.
static ptrdiff_t layout_block_of(const Compare *compare, ptrdiff_t cells, int pixels)
{
    int least = figure_usual_points(&compare->pen, 4);
    int blocks = least > 1 ? pixels / least : pixels;
    return pool_count(cells, blocks > 1 ? blocks : 1);
}

// Makes cells wider than high if there is room, because numbers are.
static Arrangement arrange(const Compare *compare, int units)
{
    const ptrdiff_t *shape = compare->pen.data.values.shape;
    int heads = compare->pen.figure->map_count / FIGURE_SIDES, rows = (heads + units - 1) / units;
    int gaps = (units - 1) * 2 * compare->gap, most = figure_points(&compare->pen, 96);
    int wide = (compare->pen.area.width - compare->pen.row_labels - gaps) / units;
    int across = (wide - 2 * compare->gap - compare->other_rows) / FIGURE_SIDES;
    int more = (rows - 1) * (above_others(compare) + figure_points(&compare->pen, 8));
    int down = (compare->pen.area.height - above_first(compare) - more) / rows;
    across = across > 1 ? across : 1;
    down = down > 1 ? down : 1;
    ptrdiff_t block_columns = layout_block_of(compare, shape[3], across);
    ptrdiff_t block_rows = layout_block_of(compare, shape[2], down);
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

// Labels above every head may cost two fifths of a cell's size, but must not make cells lower than `line`.
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

// The width of the widest label on this axis in either run, in small letters.
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

// True if rows (axis 2) or columns (3) have other labels in the other run.
static bool labels_differ(const Compare *compare, int axis)
{
    const FigureSidePair *pair = &compare->pair;
    char here[64], there[64];
    bool differ = false;
    for (ptrdiff_t i = 0; !differ && i < pair->here->values.shape[axis]; i++)
        differ = axis == 2 ? strcmp(figure_row_label(pair->here, pair->batch, i, here),
                                    figure_row_label(pair->there, pair->batch, i, there)) != 0
                           : strcmp(figure_column_label(pair->here, pair->batch, i, here),
                                    figure_column_label(pair->there, pair->batch, i, there)) != 0;
    return differ;
}

// Reserves room for labels of this size; column labels are horizontal if they fit. Returns true if cells are
// as high as a line.
static bool fit_words(Compare *compare, int size)
{
    FigurePen *pen = &compare->pen;
    const ptrdiff_t *shape = pen->data.values.shape;
    int row = widest(compare, shape[2], figure_row_label, figure_points(pen, 90));
    int column = widest(compare, shape[3], figure_column_label, figure_points(pen, 80));
    int line = size * figure_points(pen, 10) / pen->small;
    column = column * size / pen->small;
    pen->label = size;
    pen->row_labels = row * size / pen->small + figure_points(pen, 8);
    compare->other_rows = labels_differ(compare, 2) ? pen->row_labels : 0;
    for (int upright = 1; upright >= 0; upright--) {
        pen->upright = upright;
        pen->column_labels = (upright ? column : size) + figure_points(pen, 6);
        choose_units(compare, line);
        if (column + figure_points(pen, 4) > pen->figure->cell_width)
            break;
    }
    return pen->figure->block_rows == 1 && pen->figure->cell_height >= line;
}

// Rows and columns get labels if cells are high enough, large ones if cells are much higher. With enlarged
// letters, labels without room get smaller.
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

static FigureSide compare_side(int map);

// Places the maps in the area.
static void compare_lay_out(Compare *compare)
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
    int pitch = high + above_others(compare) + figure_points(pen, 8);
    int used = pen->row_labels + compare->units * (unit + 2 * compare->gap) - 2 * compare->gap;
    int left =
        pen->area.x + pen->row_labels + (pen->area.width > used ? (pen->area.width - used) / 2 : 0);
    for (int map = 0; map < figure->map_count; map++) {
        int head = map / FIGURE_SIDES, column = head % compare->units;
        bool is_first = compare_side(map) == FIGURE_SIDE_THIS;
        figure->maps[map].x = left + column * (unit + 2 * compare->gap) +
                              (int)compare_side(map) * (wide + compare->gap) +
                              (is_first ? 0 : compare->other_rows);
        figure->maps[map].y = pen->area.y + head / compare->units * pitch + above_first(compare);
    }
}

static int compare_right(const Compare *compare)
{
    const Figure *figure = compare->pen.figure;
    int wide = (int)pool_count(figure->columns, figure->block_columns) * figure->cell_width;
    int right = 0;
    for (int map = 0; map < figure->map_count; map++)
        right = figure->maps[map].x > right ? figure->maps[map].x : right;
    return right + wide;
}

// Which of the three maps of a head this is.
static FigureSide compare_side(int map)
{
    return (FigureSide)(map % FIGURE_SIDES);
}

// --- the numbers of both runs

bool figure_compare_same(const FigureSidePair *pair, FigureCell cell)
{
    float here = figure_number(pair->here, pair->batch, cell);
    float there = figure_number(pair->there, pair->batch, cell);
    return memcmp(&here, &there, sizeof here) == 0 || (isnan(here) && isnan(there));
}

float figure_compare_number(const FigureSidePair *pair, FigureSide side, FigureCell cell)
{
    if (side == FIGURE_SIDE_DIFFERENCE && figure_compare_same(pair, cell))
        return 0.0f; // equal infinities, too
    float here = figure_number(pair->here, pair->batch, cell);
    float there = figure_number(pair->there, pair->batch, cell);
    return side == FIGURE_SIDE_THIS ? here : side == FIGURE_SIDE_OTHER ? there : there - here;
}

// True if `apart` is farther than `most`. NaN next to a number is farther than any difference. Rounding must
// not decide between equal ones.
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

// --- measuring

// The factor of a row's numbers for their colours; 1 unless shares are shown. Both sides use this run's keys,
// so that a colour is one number along a row.
static float keys_of(const Compare *compare, ptrdiff_t head, ptrdiff_t row)
{
    if (!compare->even)
        return 1.0f;
    ptrdiff_t keys = figure_visible_keys(compare->pair.here, compare->pair.batch,
                                         head < 0 ? 0 : head, row); // for the mean, those of head 0
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

// Finds the ranges, the counts, and the cell that differs most.
static void compare_measure(Compare *compare)
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

// What a block shows. A difference shows the number farthest from 0, without flags.
typedef struct Block {
    MatrixBlock cells;
    float keys; // factor of its number for the colour
    bool same;  // every cell is equal
} Block;

static Block cells_block_of(const Compare *compare, FigureSide side, FigureCell first, float keys)
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

// Adds the cells of a map to the list.
static void compare_cells(Compare *compare, int map)
{
    const FigurePen *pen = &compare->pen;
    const Figure *figure = pen->figure;
    FigureSide side = compare_side(map);
    Colour table[COLOUR_LEVELS];
    DisplayItem item = figure_cells_item(pen, map);
    if (side == FIGURE_SIDE_DIFFERENCE)
        figure_colours(pen, COLOUR_DIVERGING, false, compare->differences, table);
    else
        figure_colours(pen, pen->request->map, compare->even, compare->numbers, table);
    DisplayCell *cells = display_cells(pen->list, item);
    float keys = 1.0f;
    for (int i = 0; cells && i < item.rows * item.columns; i++) {
        FigureCell first = {figure->maps[map].head, i / item.columns * figure->block_rows,
                            i % item.columns * figure->block_columns};
        ptrdiff_t last = first.row + figure->block_rows - 1; // whose keys count, as for one run
        if (i % item.columns == 0)
            keys = keys_of(compare, first.head, last < figure->rows ? last : figure->rows - 1);
        cells[i] = cell_of(compare, side, cells_block_of(compare, side, first, keys), table);
        compare->marks |= 1U << (cells[i] >> 24);
    }
}

// --- frames

// Frames a cell in one map, if that shows its head. The number stays visible.
static void compare_frame(const Compare *compare, int map, FigureCell cell, Colour colour)
{
    const FigureMap *at = &compare->pen.figure->maps[map];
    FigureBox box = figure_cells_box(&compare->pen, map, cell.row, 1, cell.column, 1);
    int least = figure_points(&compare->pen, 5), line = figure_usual_points(&compare->pen, 1.5);
    if (at->head >= 0 && at->head != cell.head)
        return;
    if (box.width >= least && box.height < figure_points(&compare->pen, 24)) {
        // An inner frame would cover its number: `line` pixels outside, one pixel of paper inside.
        line = line > 1 ? line : 1;
        figure_frame(&compare->pen, box, line, line + 1, compare->pen.theme.paper);
        figure_frame(&compare->pen, box, line, line, colour);
        return;
    }
    if (box.width < least) {
        box.x -= (least - box.width) / 2;
        box.y -= (least - box.height) / 2;
        box.width = box.height = least;
    }
    figure_double_frame(&compare->pen, box, colour);
}

// --- text about the numbers

// Describes the cursor's cell, or the one that differs most: its name and three numbers.
static void describe_cell(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    const FigurePen *pen = &compare->pen;
    const FigureSidePair *pair = &compare->pair;
    bool chosen = pen->request->has_cursor;
    FigureCell cell = chosen ? pen->request->cursor : compare->most;
    char name[160], place[FIGURE_CELL_NAME_MAX], numbers[FIGURE_SIDES][64],
        full[NUMBER_FULL_TEXT_MAX];
    cell.head = pen->request->mean ? -1 : cell.head;
    figure_number_in_full(pair->here, pair->batch, cell, numbers[FIGURE_SIDE_THIS]);
    figure_number_in_full(pair->there, pair->batch, cell, numbers[FIGURE_SIDE_OTHER]);
    float apart = figure_compare_number(pair, FIGURE_SIDE_DIFFERENCE, cell);
    snprintf(numbers[FIGURE_SIDE_DIFFERENCE], 64, "%s%s", apart > 0.0f ? "+" : "",
             isnan(apart) ? "NaN" : number_full_text(apart, full));
    for (int side = 0; side < FIGURE_SIDE_DIFFERENCE; side++)
        if (isnan(figure_compare_number(pair, (FigureSide)side, cell)))
            strcpy(numbers[side], "NaN");
    snprintf(text, COMPARE_LINE_MAX, TELL(COMPARE_CELL),
             chosen ? TELL(COMPARE_CHOSEN) : TELL(COMPARE_MOST_HERE),
             figure_map_name(&pen->data, pair->batch, cell.head, name),
             figure_cell_name(&pen->data, pair->batch, cell, place), numbers[FIGURE_SIDE_THIS],
             numbers[FIGURE_SIDE_OTHER], numbers[FIGURE_SIDE_DIFFERENCE]);
}

// How many numbers differ, and the largest difference.
static void describe_differing(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    char most[NUMBER_FULL_TEXT_MAX];
    bool some =
        compare->written[1].high > 0.0f; // false if one of the two is NaN or infinite every time
    snprintf(text, COMPARE_LINE_MAX, TELL(COMPARE_COUNT), compare->differing, compare->count);
    number_full_text(compare->written[1].high, most);
    if (some && compare->beyond == 0)
        text_add(text, COMPARE_LINE_MAX, TELL(COMPARE_MOST), most);
    else if (some)
        text_add(text, COMPARE_LINE_MAX, TELL(COMPARE_MOST_OF),
                 compare->differing - compare->beyond, most, compare->beyond);
}

// How many numbers differ and by how much, or why none does.
static void describe_count(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    char name[TRACE_CELL_MAX];
    bool equal = compare->differing == 0;
    if (equal)
        snprintf(text, COMPARE_LINE_MAX, TELL(COMPARE_EQUAL), compare->count);
    else
        describe_differing(compare, text);
    if (compare->other->differs)
        text_add(text, COMPARE_LINE_MAX, equal ? TELL(COMPARE_NOT_REACHED) : TELL(COMPARE_BEGINS),
                 trace_cell_name(compare->pair.here->trace, compare->other->first, name));
    else if (equal && (labels_differ(compare, 2) || labels_differ(compare, 3)))
        text_add(text, COMPARE_LINE_MAX, "%s", TELL(COMPARE_SAME_IDS));
    else if (equal)
        text_add(text, COMPARE_LINE_MAX, "%s", TELL(COMPARE_NOWHERE));
}

// --- the picture

enum { HEADER_POINTS = 84, FOOTER_POINTS = 46, BAR_POINTS = 112 };

// A picture of this size has scales, or all texts; in points.
enum { SCALES_FROM = 420, WORDS_FROM = 300 };

static void line(const Compare *compare, DisplayItem item, const char *text)
{
    item.size = item.size > 0 ? item.size : compare->pen.small;
    item.x = compare->margin;
    figure_text(&compare->pen, item, compare->pen.list->width - 2 * compare->margin, text);
}

// --- maps

// The longest name of a map that fits: "causal (document 003)", "causal", "this".
static const char *side_name(const Compare *compare, FigureSide side, int room,
                             char text[COMPARE_LINE_MAX])
{
    const char *name = side == FIGURE_SIDE_THIS ? path_name(compare->pen.data.trace->scenario->name)
                                                : compare->other->name;
    snprintf(text, COMPARE_LINE_MAX, "%s", name);
    if (side == FIGURE_SIDE_DIFFERENCE)
        return TELL(QUANTITY_DIFFERENCE);
    if (side == FIGURE_SIDE_OTHER && compare->other->about)
        name = strcpy(text, TELL(COMPARE_MISTAKEN)); // the header says which
    if (side == FIGURE_SIDE_THIS && compare->document)
        text_add(text, COMPARE_LINE_MAX, TELL(OF_DOCUMENT), compare->document);
    if (font_width(compare->pen.metrics, text, compare->pen.small) <= room)
        return text;
    bool fits = font_width(compare->pen.metrics, name, compare->pen.small) <= room;
    return fits ? name : side == FIGURE_SIDE_THIS ? TELL(COMPARE_THIS) : TELL(COMPARE_OTHER);
}

static void draw_heading(const Compare *compare, int map, int wide)
{
    const FigurePen *pen = &compare->pen;
    const FigureMap *at = &pen->figure->maps[map];
    char text[COMPARE_LINE_MAX];
    DisplayItem item = {.x = at->x,
                        .y = at->y - figure_points(pen, 11),
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    if (figure_has_words_above(pen, map)) {
        const char *name = side_name(compare, compare_side(map), wide, text);
        item.y -= pen->column_labels;
        if (font_width(pen->metrics, name, pen->small) <= wide)
            figure_text(pen, item, wide, name);
        item.y -= figure_points(pen, 19);
    }
    if (pen->figure->map_count == FIGURE_SIDES || compare_side(map) != FIGURE_SIDE_THIS)
        return;
    item.size = pen->text;
    figure_name(pen, item, wide, at->head);
}

// Draws row labels left of the first maps, and left of the other run's if they are different.
static void draw_row_words(const Compare *compare, int map, const FigureData *data)
{
    const FigurePen *pen = &compare->pen;
    const FigureMap *at = &pen->figure->maps[map];
    bool is_other = compare_side(map) == FIGURE_SIDE_OTHER && compare->other_rows > 0;
    char text[64];
    DisplayItem item = {.size = pen->label,
                        .anchor = DISPLAY_RIGHT,
                        .x = at->x - figure_points(pen, 6),
                        .colour = pen->theme.quiet};
    if (!is_other && at->x != pen->figure->maps[0].x)
        return;
    for (ptrdiff_t row = 0; row < pen->figure->rows; row++) {
        item.y = at->y + (int)row * pen->figure->cell_height + pen->figure->cell_height / 2;
        figure_text(pen, item, pen->row_labels - figure_points(pen, 6),
                    figure_row_label(data, pen->request->batch, row, text));
    }
}

static void draw_words(const Compare *compare, int map)
{
    const FigurePen *pen = &compare->pen;
    const FigureMap *at = &pen->figure->maps[map];
    char text[64];
    DisplayItem item = {.size = pen->label, .colour = pen->theme.quiet};
    const FigureData *data =
        compare_side(map) == FIGURE_SIDE_OTHER ? compare->pair.there : compare->pair.here;
    draw_row_words(compare, map, data);
    item.anchor = pen->upright ? DISPLAY_LEFT : DISPLAY_CENTRE;
    item.upright = pen->upright;
    int room = pen->upright ? pen->column_labels - figure_points(pen, 4) : 0;
    for (ptrdiff_t column = 0; figure_has_words_above(pen, map) && column < pen->figure->columns;
         column++) {
        item.x = at->x + (int)column * pen->figure->cell_width + pen->figure->cell_width / 2;
        item.y = at->y - (pen->upright ? figure_points(pen, 4) : pen->label * 3 / 4);
        figure_text(pen, item, room, figure_column_label(data, pen->request->batch, column, text));
    }
}

// True if the ends of the range fit into a cell. Large numbers need margins. Differences need room for a
// sign; the cursor's frame lies within the cell unless that is low.
static bool ends_fit(const FigurePen *pen, PoolRange range, bool differs, int decimals, int size)
{
    int high = pen->figure->cell_height;
    int both = high >= figure_points(pen, 40) ? 6 : 4;
    if (differs && high < figure_points(pen, 24))
        both = 1;
    int room = pen->figure->cell_width - figure_usual_points(pen, both);
    char text[33] = "+";
    if (!differs && size > figure_points(pen, 13))
        room = pen->figure->cell_width * 7 / 10;
    if (!differs)
        return figure_number_fits(pen, range, decimals, size, room);
    figure_number_text(text + 1, range.high, decimals);
    return font_width(pen->metrics, text, size) <= room;
}

// Finds the largest size, and the most decimals, at which the ends fit into a cell; -1 decimals: one and a
// power of ten. With enlarged letters, numbers may keep their usual size. Returns false if none fits.
static bool fit_numbers(const Compare *compare, bool differs, int *decimals, int *size)
{
    const FigurePen *pen = &compare->pen;
    const Figure *figure = pen->figure;
    PoolRange range = compare->written[differs];
    bool whole = pen->data.values.dtype != DTYPE_F32;
    float end = fmaxf(fabsf(range.low), fabsf(range.high));
    if (figure->block_rows > 1)
        return false;
    for (*size = figure_points(pen, 18); *size >= figure_number_least(pen); --*size)
        for (int i = 0; i < (whole ? 1 : 4); i++) {
            *decimals = whole ? 0 : i < 3 ? 4 - i : -1;
            bool says = *decimals < 0 || end == 0.0f || // more than zeros
                        (double)end >= 0.5 * pow(10.0, -*decimals);
            if (says && 5 * *size <= 4 * figure->cell_height &&
                ends_fit(pen, range, differs, *decimals, *size))
                return true;
        }
    return false;
}

// `at` is where the map's cells begin in the list. Equal cells have no number in the third map.
static void draw_numbers(const Compare *compare, int map, size_t at)
{
    const FigurePen *pen = &compare->pen;
    FigureSide side = compare_side(map);
    bool differs = side == FIGURE_SIDE_DIFFERENCE;
    int decimals, size;
    if (!fit_numbers(compare, differs, &decimals, &size))
        return;
    if (pen->figure->number_size == 0 || size < pen->figure->number_size)
        pen->figure->number_size = size;
    FigureCell cell = {.head = pen->figure->maps[map].head};
    for (cell.row = 0; cell.row < pen->figure->rows; cell.row++)
        for (cell.column = 0; cell.column < pen->figure->columns; cell.column++, at++) {
            DisplayCell drawn = pen->list->cells[at];
            float number = figure_compare_number(&compare->pair, side, cell);
            FigureBox box = figure_cells_box(pen, map, cell.row, 1, cell.column, 1);
            char text[33] = "+";
            if (differs && figure_compare_same(&compare->pair, cell))
                continue;
            bool has_sign = differs && isfinite(number) && number > 0.0f;
            figure_number_text(text + has_sign, number, decimals);
            bool faded = drawn == display_cell(pen->theme.empty, DISPLAY_MASKED);
            DisplayItem item = {
                .size = size, .colour = faded ? pen->theme.quiet : figure_ink_on(drawn & 0xffffff)};
            figure_draw_number(pen, box, drawn, item, text);
        }
}

static void draw_map(Compare *compare, int map)
{
    const FigurePen *pen = &compare->pen;
    int wide =
        (int)pool_count(pen->figure->columns, pen->figure->block_columns) * pen->figure->cell_width;
    draw_heading(compare, map, wide);
    if (pen->words)
        draw_words(compare, map);
    compare_cells(compare, map);
    if (pen->list->failed)
        return;
    draw_numbers(compare, map, pen->list->items[pen->list->item_count - 1].at);
    if (compare->differs)
        compare_frame(compare, map, compare->most, pen->theme.accent);
    if (pen->request->has_cursor)
        compare_frame(compare, map, pen->request->cursor, pen->theme.ink);
}

// --- both scales

static void draw_scales(const Compare *compare, FigureBox box)
{
    const FigurePen *pen = &compare->pen;
    int high = (box.height - figure_points(pen, 150)) / 2;
    DisplayItem item = {
        .x = box.x, .size = pen->small, .bold = true, .y = box.y, .colour = pen->theme.ink};
    if (high < figure_usual_points(pen, 40))
        return;
    figure_text(pen, item, box.width, figure_quantity(pen));
    FigureBox bar = {box.x, item.y + figure_points(pen, 18), figure_points(pen, 14), high};
    figure_draw_bar(pen, bar, pen->request->map, compare->numbers);
    bar.y += high + figure_points(pen, 46);
    item.y = bar.y - figure_points(pen, 18);
    figure_text(pen, item, box.width,
                compare->even ? TELL(COMPARE_EVEN) : TELL(QUANTITY_DIFFERENCE));
    if (compare->differs)
        figure_draw_bar(pen, bar, COLOUR_DIVERGING, compare->differences);
    else
        figure_text(
            pen,
            (DisplayItem){.x = bar.x, .y = bar.y, .size = pen->small, .colour = pen->theme.quiet},
            box.width, TELL(COMPARE_NONE_HERE));
    figure_draw_legend(pen, compare->marks, bar.x, bar.y + high + figure_points(pen, 16));
}

// --- words

// "compared with": a mistake's title, or only "a mistake" if the picture's title has it already.
static void describe_compared(const Compare *compare, char text[COMPARE_LINE_MAX])
{
    const char *about = compare->other->about, *title = compare->pen.request->title;
    bool is_title = about && title && strcmp(about, title) == 0;
    const char *what = is_title ? TELL(COMPARED_MISTAKE) : about ? about : compare->other->name;
    snprintf(text, COMPARE_LINE_MAX, TELL(COMPARED_WITH), what);
    figure_make_one_line(text);
}

// With little room, what is compared comes first.
static void draw_small_header(const Compare *compare, FigureBox box)
{
    const FigurePen *pen = &compare->pen;
    char text[COMPARE_LINE_MAX];
    const char *title = pen->request->title;
    DisplayItem item = {
        .y = box.y + figure_points(pen, 8), .bold = true, .colour = pen->theme.accent};
    if (box.height == 0)
        return;
    describe_compared(compare, text);
    line(compare, item, text);
    snprintf(text, sizeof text, "%s",
             title ? title : pen->data.trace->tensors[pen->data.tensor].name);
    figure_make_one_line(text);
    item.y += figure_points(pen, 18);
    item.colour = pen->theme.ink;
    if (item.y < box.y + box.height)
        line(compare, item, text);
}

static void draw_header(const Compare *compare, FigureBox box)
{
    const FigurePen *pen = &compare->pen;
    char text[COMPARE_LINE_MAX];
    int above = figure_draw_header(pen, box);
    describe_compared(compare, text);
    DisplayItem item = {
        .y = above + figure_points(pen, 21), .bold = true, .colour = pen->theme.accent};
    item.x = box.x;
    item.size = pen->small;
    figure_text(pen, item, box.width, text);
}

static void draw_footer(const Compare *compare, int y)
{
    const FigurePen *pen = &compare->pen;
    char text[COMPARE_LINE_MAX];
    DisplayItem item = {.y = y, .colour = pen->theme.ink};
    if (compare->differs || pen->request->has_cursor) {
        describe_cell(compare, text);
        line(compare, item, text);
    }
    item.y += figure_points(pen, 20);
    item.colour = pen->theme.quiet;
    describe_count(compare, text);
    line(compare, item, text);
}

// --- putting it together

// Areas of the picture around the maps.
typedef struct Parts {
    FigureBox header, scales, bottom;
} Parts;

// Leaves out what has no room in a small picture, the least important first.
static Parts divide(Compare *compare)
{
    FigurePen *pen = &compare->pen;
    int width = pen->list->width, height = pen->list->height;
    bool is_narrow = width < figure_points(pen, SCALES_FROM);
    bool keys = pen->request->keys || pen->request->notice;
    compare->is_small = height < figure_points(pen, WORDS_FROM);
    compare->margin = figure_points(pen, is_narrow ? 8 : 24);
    compare->gap = figure_points(pen, is_narrow ? 6 : 14);
    int margin = compare->margin, high = figure_points(pen, HEADER_POINTS);
    int below = figure_points(pen, FOOTER_POINTS) + (keys ? figure_points(pen, 22) : 0);
    if (compare->is_small) {
        high = figure_points(pen, height < figure_points(pen, 180) ? 20 : 38);
        below = figure_points(pen, 18);
        keys = false;
    }
    FigureBox area = {margin, margin, width - 2 * margin, height - 2 * margin};
    int wide = is_narrow ? 0 : figure_points(pen, BAR_POINTS);
    pen->area = (FigureBox){area.x, area.y + high, area.width - wide, area.height - high - below};
    return (Parts){.header = {area.x, area.y, area.width, high},
                   .scales = {0, area.y + high + figure_points(pen, 8), wide, pen->area.height},
                   .bottom = {area.x, height - figure_points(pen, 34), area.width,
                              keys ? figure_points(pen, 22) : 0}};
}

static void draw_words_around(const Compare *compare, Parts parts)
{
    const FigurePen *pen = &compare->pen;
    const char *notice = pen->request->notice;
    if (parts.scales.width > 0)
        draw_scales(compare, parts.scales);
    if (compare->is_small) {
        draw_small_header(compare, parts.header);
        line(compare,
             (DisplayItem){.y = pen->list->height - compare->margin - figure_points(pen, 6),
                           .colour = notice ? pen->theme.accent : pen->theme.quiet},
             notice ? notice : TELL(FIGURE_SMALL));
        return;
    }
    draw_header(compare, parts.header);
    draw_footer(compare, pen->area.y + pen->area.height + figure_points(pen, 22));
    if (parts.bottom.height > 0)
        figure_draw_bottom(pen, parts.bottom);
}

bool figure_compare_draw(const Trace *trace, const FigureRequest *request, const FigureOther *other,
                         const FigurePaper *paper, Figure *figure, Error *err)
{
    FigureRequest shown = *request, there = *request;
    Compare compare = {.other = other, .document = request->document};
    FigurePen *pen = &compare.pen;
    shown.document = NULL; // the document has only this run's numbers
    shown.zoom = 0;
    if (!request->title && !request->keys)
        shown.title = other->about;
    shown.lock = FIGURE_UNLOCKED;
    bool of_rows = request->scale == FIGURE_SCALE_ROW || request->scale == FIGURE_SCALE_HEAD;
    shown.scale = of_rows ? FIGURE_SCALE_ALL : request->scale;
    there.tensor = other->tensor;
    figure_pen_open(pen, &shown, paper, 0.0, figure);
    if (!figure_data(trace, &shown, &pen->data, err) ||
        !figure_data(other->trace, &there, &compare.there, err) ||
        !figure_list_maps(pen, FIGURE_SIDES, err))
        return false;
    compare.pair = (FigureSidePair){&pen->data, &compare.there, request->batch};
    compare.even = figure_scale_is_even(pen);
    figure_other_cells(paper->cache, paper->list);
    Parts parts = divide(&compare);
    compare_lay_out(&compare);
    parts.scales.x = compare_right(&compare) + figure_points(pen, 20);
    compare_measure(&compare);
    for (int map = 0; map < pen->figure->map_count; map++)
        draw_map(&compare, map);
    draw_words_around(&compare, parts);
    return figure_pen_close(pen, err);
}
