// figure_compare: see figure_compare.h.
#include "figure_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "figure_compare_cells.h"
#include "figure_words.h"

enum { HEADER_POINTS = 84, FOOTER_POINTS = 46, BAR_POINTS = 112 };

// Where pictures begin to have scales and all words, in points.
enum { SCALES_FROM = 420, WORDS_FROM = 300 };

static void line(const Compare *compare, DisplayItem item, const char *text)
{
    item.size = item.size > 0 ? item.size : compare->pen.small;
    item.x = compare->margin;
    figure_text(&compare->pen, item, compare->pen.list->width - 2 * compare->margin, text);
}

// --- maps

// What stands above a map, as much of it as has room: "causal (document 003)", "causal", "this".
static const char *side_name(const Compare *compare, FigureSide side, int room,
                             char text[COMPARE_LINE_MAX])
{
    const char *name = compare->pen.data.trace->scenario->name, *slash = strrchr(name, '/');
    name = side == FIGURE_SIDE_THIS ? (slash ? slash + 1 : name) : compare->other->name;
    int used = snprintf(text, COMPARE_LINE_MAX, "%s", name);
    if (side == FIGURE_SIDE_DIFFERENCE)
        return TELL(QUANTITY_DIFFERENCE);
    if (side == FIGURE_SIDE_OTHER && compare->other->about)
        name = strcpy(text, TELL(COMPARE_MISTAKEN)); // which one, the header says
    if (side == FIGURE_SIDE_THIS && compare->document && used < COMPARE_LINE_MAX)
        snprintf(text + used, COMPARE_LINE_MAX - (size_t)used, TELL(OF_DOCUMENT),
                 compare->document);
    if (font_width(compare->pen.metrics, text, compare->pen.small) <= room)
        return text;
    bool fits = font_width(compare->pen.metrics, name, compare->pen.small) <= room;
    return fits ? name : side == FIGURE_SIDE_THIS ? TELL(COMPARE_THIS) : TELL(COMPARE_OTHER);
}

// Whether words stand above the maps of this row of heads, besides the heads' names.
static bool has_words_above(const Compare *compare, int map)
{
    const FigurePen *pen = &compare->pen;
    return pen->words_above_all || pen->figure->maps[map].y == pen->figure->maps[0].y;
}

static void draw_heading(const Compare *compare, int map, int wide)
{
    const FigurePen *pen = &compare->pen;
    const FigureMap *at = &pen->figure->maps[map];
    char text[COMPARE_LINE_MAX];
    DisplayItem item = {.x = at->x,
                        .y = at->y - compare_points(compare, 11),
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    if (has_words_above(compare, map)) {
        const char *name = side_name(compare, compare_side(map), wide, text);
        item.y -= pen->column_labels;
        if (font_width(pen->metrics, name, pen->small) <= wide)
            figure_text(pen, item, wide, name);
        item.y -= compare_points(compare, 19);
    }
    if (pen->figure->map_count == FIGURE_SIDES || compare_side(map) != FIGURE_SIDE_THIS)
        return;
    item.size = pen->text;
    figure_name(pen, item, wide, at->head);
}

// Words of rows stand left of the first maps, and left of the other run's where it has others.
static void draw_row_words(const Compare *compare, int map, const FigureData *data)
{
    const FigurePen *pen = &compare->pen;
    const FigureMap *at = &pen->figure->maps[map];
    bool is_other = compare_side(map) == FIGURE_SIDE_OTHER && compare->other_rows > 0;
    char text[64];
    DisplayItem item = {.size = pen->label,
                        .anchor = DISPLAY_RIGHT,
                        .x = at->x - compare_points(compare, 6),
                        .colour = pen->theme.quiet};
    if (!is_other && at->x != pen->figure->maps[0].x)
        return;
    for (ptrdiff_t row = 0; row < pen->figure->rows; row++) {
        item.y = at->y + (int)row * pen->figure->cell_height + pen->figure->cell_height / 2;
        figure_text(pen, item, pen->row_labels - compare_points(compare, 6),
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
    int room = pen->upright ? pen->column_labels - compare_points(compare, 4) : 0;
    for (ptrdiff_t column = 0; has_words_above(compare, map) && column < pen->figure->columns;
         column++) {
        item.x = at->x + (int)column * pen->figure->cell_width + pen->figure->cell_width / 2;
        item.y = at->y - (pen->upright ? compare_points(compare, 4) : pen->label * 3 / 4);
        figure_text(pen, item, room, figure_column_label(data, pen->request->batch, column, text));
    }
}

// Whether so many decimals show more of the largest number than zeros: two of them do not of 0.00000003.
static bool says_something(float end, int decimals)
{
    return end == 0.0f || (double)end >= 0.5 * pow(10.0, -decimals);
}

// Large numbers have paper around them. Differences have a sign, of which + is the wider, and the frame of
// the first lies within its cell, unless that is low.
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

// The most decimals at the largest size with which the ends fit into a cell; -1, one and a power of ten,
// where the others are all 0; false: none. Where letters are larger than usual, those of numbers may stay
// as they usually are.
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
            bool says = *decimals < 0 || says_something(end, *decimals);
            if (says && 5 * *size <= 4 * figure->cell_height &&
                ends_fit(pen, range, differs, *decimals, *size))
                return true;
        }
    return false;
}

// `at` is where the map's cells begin in the list. Cells that are the same have none in the third map.
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
            FigureBox box = compare_box(compare, map, cell);
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
    int high = (box.height - compare_points(compare, 150)) / 2;
    DisplayItem item = {
        .x = box.x, .size = pen->small, .bold = true, .y = box.y, .colour = pen->theme.ink};
    if (high < figure_usual_points(pen, 40))
        return;
    figure_text(pen, item, box.width, figure_quantity(pen));
    FigureBox bar = {box.x, item.y + compare_points(compare, 18), compare_points(compare, 14),
                     high};
    figure_draw_bar(pen, bar, pen->request->map, compare->numbers);
    bar.y += high + compare_points(compare, 46);
    item.y = bar.y - compare_points(compare, 18);
    figure_text(pen, item, box.width,
                compare->even ? TELL(COMPARE_EVEN) : TELL(QUANTITY_DIFFERENCE));
    if (compare->differs)
        figure_draw_bar(pen, bar, COLOUR_DIVERGING, compare->differences);
    else
        figure_text(
            pen,
            (DisplayItem){.x = bar.x, .y = bar.y, .size = pen->small, .colour = pen->theme.quiet},
            box.width, TELL(COMPARE_NONE_HERE));
    figure_draw_legend(pen, compare->marks, bar.x, bar.y + high + compare_points(compare, 16));
}

// --- words

// What is compared comes before what both are, where there is room for little.
static void draw_small_header(const Compare *compare, FigureBox box)
{
    const FigurePen *pen = &compare->pen;
    char text[COMPARE_LINE_MAX];
    const char *title = pen->request->title;
    DisplayItem item = {
        .y = box.y + compare_points(compare, 8), .bold = true, .colour = pen->theme.accent};
    if (box.height == 0)
        return;
    snprintf(text, sizeof text, TELL(COMPARED_WITH), compare->other->name);
    line(compare, item, text);
    snprintf(text, sizeof text, "%s",
             title ? title : pen->data.trace->tensors[pen->data.tensor].name);
    figure_make_one_line(text);
    item.y += compare_points(compare, 18);
    item.colour = pen->theme.ink;
    if (item.y < box.y + box.height)
        line(compare, item, text);
}

static void draw_header(const Compare *compare, FigureBox box)
{
    const FigurePen *pen = &compare->pen;
    char text[COMPARE_LINE_MAX];
    int above = figure_draw_header(pen, box);
    snprintf(text, sizeof text, TELL(COMPARED_WITH), compare->other->name);
    DisplayItem item = {
        .y = above + compare_points(compare, 21), .bold = true, .colour = pen->theme.accent};
    item.x = box.x;
    item.size = pen->small;
    figure_text(pen, item, box.width, text);
    int used = font_width(pen->metrics, text, pen->small) + compare_points(compare, 16);
    item.x += used;
    item.bold = false;
    item.colour = pen->theme.ink;
    if (compare->other->about != pen->request->title && used < box.width)
        figure_text(pen, item, box.width - used, compare->other->about);
}

static void draw_footer(const Compare *compare, int y)
{
    const FigurePen *pen = &compare->pen;
    char text[COMPARE_LINE_MAX];
    DisplayItem item = {.y = y, .colour = pen->theme.ink};
    if (compare->differs || pen->request->has_cursor) {
        compare_tell_cell(compare, text);
        line(compare, item, text);
    }
    item.y += compare_points(compare, 20);
    item.colour = pen->theme.quiet;
    compare_tell_count(compare, text);
    line(compare, item, text);
}

// --- all of it

// The parts of the picture, from its edges to the maps.
typedef struct Parts {
    FigureBox header, scales, bottom;
} Parts;

// What has no room in a small picture is left out, the least important first: the maps stay.
static Parts divide(Compare *compare)
{
    const FigurePen *pen = &compare->pen;
    int width = pen->list->width, height = pen->list->height;
    bool is_narrow = width < compare_points(compare, SCALES_FROM);
    bool keys = pen->request->keys || pen->request->notice;
    compare->is_small = height < compare_points(compare, WORDS_FROM);
    compare->margin = compare_points(compare, is_narrow ? 8 : 24);
    compare->gap = compare_points(compare, is_narrow ? 6 : 14);
    int margin = compare->margin, high = compare_points(compare, HEADER_POINTS);
    int below = compare_points(compare, FOOTER_POINTS) + (keys ? compare_points(compare, 22) : 0);
    if (compare->is_small) {
        high = compare_points(compare, height < compare_points(compare, 180) ? 20 : 38);
        below = compare_points(compare, 18);
        keys = false;
    }
    FigureBox area = {margin, margin, width - 2 * margin, height - 2 * margin};
    int wide = is_narrow ? 0 : compare_points(compare, BAR_POINTS);
    compare->area =
        (FigureBox){area.x, area.y + high, area.width - wide, area.height - high - below};
    return (Parts){
        .header = {area.x, area.y, area.width, high},
        .scales = {0, area.y + high + compare_points(compare, 8), wide, compare->area.height},
        .bottom = {area.x, height - compare_points(compare, 34), area.width,
                   keys ? compare_points(compare, 22) : 0}};
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
             (DisplayItem){.y = pen->list->height - compare->margin - compare_points(compare, 6),
                           .colour = notice ? pen->theme.accent : pen->theme.quiet},
             notice ? notice : TELL(FIGURE_SMALL));
        return;
    }
    draw_header(compare, parts.header);
    draw_footer(compare, compare->area.y + compare->area.height + compare_points(compare, 22));
    if (parts.bottom.height > 0)
        figure_draw_bottom(pen, parts.bottom);
}

bool figure_compare_draw(const Trace *trace, const FigureRequest *request, const FigureOther *other,
                         const FigurePaper *paper, Figure *figure, Error *err)
{
    FigureRequest shown = *request, there = *request;
    Compare compare = {.other = other, .document = request->document};
    FigurePen *pen = &compare.pen;
    shown.document = NULL; // it has a third of these numbers, which say so
    shown.zoom = 0;
    if (!request->title && !request->keys)
        shown.title = other->about;
    shown.lock = FIGURE_UNLOCKED;
    bool of_rows = request->scale == FIGURE_SCALE_ROW || request->scale == FIGURE_SCALE_HEAD;
    shown.scale = of_rows ? FIGURE_SCALE_ALL : request->scale;
    there.tensor = other->tensor;
    figure_pen_open(pen, &shown, paper, figure);
    if (!figure_data(trace, &shown, &pen->data, err) ||
        !figure_data(other->trace, &there, &compare.there, err) ||
        !compare_list_maps(&compare, err))
        return false;
    compare.pair = (FigureSidePair){&pen->data, &compare.there, request->batch};
    compare.even = figure_scale_is_even(pen);
    figure_other_cells(paper->cache, paper->list);
    Parts parts = divide(&compare);
    compare_lay_out(&compare);
    parts.scales.x = compare_right(&compare) + compare_points(&compare, 20);
    compare_measure(&compare);
    for (int map = 0; map < pen->figure->map_count; map++)
        draw_map(&compare, map);
    draw_words_around(&compare, parts);
    if (request->help)
        figure_draw_help(pen);
    if (paper->list->failed)
        error_set(err, "%s", paper->list->failure.text);
    return !paper->list->failed;
}
