// figure_scale: the colours or lines beside the maps with their numbers, whose they are, and a
// sample of every mark that occurs; see figure_internal.h.
#include "figure_cache.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include "figure_words.h"

static void draw_bar(const FigurePen *pen, FigureBox box, const Colour table[COLOUR_LEVELS])
{
    DisplayCell *cells = display_cells(pen->list, (DisplayItem){.x = box.x,
                                                                .y = box.y,
                                                                .width = box.width,
                                                                .height = box.height,
                                                                .rows = box.height,
                                                                .columns = 1,
                                                                .size = 1});
    for (int row = 0; cells && row < box.height; row++) {
        int level =
            (COLOUR_LEVELS - 1) * (box.height - 1 - row) / (box.height > 1 ? box.height - 1 : 1);
        cells[row] = display_cell(table[level], DISPLAY_PLAIN);
    }
}

// The map that the scale speaks of: the cursor's, else the first.
static const FigureMap *map_of_cursor(const FigurePen *pen)
{
    const Figure *figure = pen->figure;
    for (int map = 0; pen->request->has_cursor && map < figure->map_count; map++)
        if (figure->maps[map].head == pen->request->cursor.head)
            return &figure->maps[map];
    return &figure->maps[0];
}

// Numbers beside the bar: the ends, and round ones between them.
enum { TICKS_MAX = 16 };

typedef struct Tick {
    char text[32];
    double share; // 0 at the low end, 1 at the high one
} Tick;

typedef struct Ticks {
    Tick ticks[TICKS_MAX];
    int count;
} Ticks;

static void add_tick(Ticks *ticks, double share, const char *format, ...)
{
    va_list arguments;
    if (ticks->count == TICKS_MAX)
        return;
    Tick *tick = &ticks->ticks[ticks->count++];
    tick->share = share;
    va_start(arguments, format);
    vsnprintf(tick->text, sizeof tick->text, format, arguments);
    va_end(arguments);
}

// 1, 2 or 5 times a power of ten, at least `least`; as many decimals as it has.
static double round_step(double least, int *decimals)
{
    static const double steps[] = {1.0, 2.0, 5.0, 10.0};
    double power = floor(log10(least)), ten = pow(10.0, power);
    int i = 0;
    while (i < 3 && steps[i] * ten < least * 0.999)
        i++;
    *decimals = (int)fmax(0.0, i < 3 ? -power : -power - 1.0);
    return steps[i] * ten;
}

// `near` is the share of the bar that must lie between two numbers.
static void add_range(Ticks *ticks, PoolRange range, double near)
{
    double low = range.low, extent = (double)range.high - low;
    int decimals;
    const char *format = fmax(fabs(low), fabs((double)range.high)) < 1e4 ? "%.4g" : "%.2e";
    add_tick(ticks, 1.0, format, (double)range.high);
    add_tick(ticks, 0.0, format, low);
    double step = round_step(extent * fmax(near, 0.12), &decimals);
    for (double number = ceil(low / step) * step; number < low + extent; number += step) {
        double share = (number - low) / extent;
        if (share < near || share > 1.0 - near)
            continue;
        if (fabs(number) < step / 2.0)
            add_tick(ticks, share, "0");
        else
            add_tick(ticks, share, format[2] == '4' ? "%.*f" : "%.*e",
                     format[2] == '4' ? decimals : 2, number);
    }
}

// A range as it is: none, one number, or two ends with what lies between.
static void add_numbers(Ticks *ticks, PoolRange range, int near, int height)
{
    if (range.low > range.high)
        add_tick(ticks, 0.5, TELL(TICK_NONE));
    else if (range.low == range.high)
        add_tick(ticks, 0.5, "%.4g", (double)range.low); // in the middle of the colours
    else
        add_range(ticks, range, (double)near / height);
}

// Lines have no row of their own to be divided by.
static bool is_even(const FigurePen *pen)
{
    return figure_scale_is_even(pen) && !pen->figure->lines;
}

// When every head has a scale of its own and no head is chosen, words.
static void list_ticks(const FigurePen *pen, int height, Ticks *ticks)
{
    bool rows = pen->request->scale == FIGURE_SCALE_ROW, even = is_even(pen);
    bool each = rows || (pen->request->scale == FIGURE_SCALE_HEAD && pen->figure->map_count > 1);
    const FigureMap *map = map_of_cursor(pen);
    ptrdiff_t row = pen->request->cursor.row, block = pen->figure->block_rows;
    PoolRange range = pen->figure->lines ? figure_line_range(pen, map, row)
                      : even ? figure_signed_range(pen, (PoolRange){0.0f, pen->cache->even})
                      : rows ? figure_rows_range(pen, map->head, row - row % block, block)
                             : figure_range(pen, map);
    ticks->count = 0;
    if (each && !pen->request->has_cursor) {
        bool is_signed = pen->request->map == COLOUR_DIVERGING && !pen->figure->lines;
        add_tick(ticks, 1.0, is_signed ? TELL(TICK_PLUS) : TELL(TICK_HIGHEST));
        add_tick(ticks, 0.0, is_signed ? TELL(TICK_MINUS) : TELL(TICK_LOWEST));
        if (is_signed)
            add_tick(ticks, 0.5, "0");
    } else {
        add_numbers(ticks, range, figure_points(pen, 22), height);
    }
}

static void draw_ticks(const FigurePen *pen, FigureBox box, const Ticks *ticks)
{
    for (int i = 0; i < ticks->count; i++) {
        const Tick *tick = &ticks->ticks[i];
        int y = box.y + (int)((box.height - 1) * (1.0 - tick->share) + 0.5);
        if (pen->figure->lines)
            figure_draw_line_sample(pen, (FigureBox){box.x, y, box.width, 0}, (float)tick->share);
        else
            display_rectangle(pen->list, box.x + box.width, y, figure_points(pen, 4), 1,
                              pen->theme.quiet);
        figure_text(pen,
                    (DisplayItem){.x = box.x + box.width + figure_points(pen, 8),
                                  .y = y,
                                  .size = pen->small,
                                  .colour = pen->theme.ink},
                    0, tick->text);
    }
}

void figure_draw_bar(const FigurePen *pen, FigureBox box, ColourMap map, PoolRange range)
{
    Ticks ticks = {.count = 0};
    Colour table[COLOUR_LEVELS];
    figure_colours(pen, map, is_even(pen), range, table);
    draw_bar(pen, box, table);
    add_numbers(&ticks, range, figure_points(pen, 22), box.height);
    draw_ticks(pen, box, &ticks);
}

static const char *scale_words(const FigurePen *pen, char text[64])
{
    bool chosen = pen->request->has_cursor && pen->data.has_heads && !pen->request->mean;
    if (pen->request->scale == FIGURE_SCALE_UNIT)
        return pen->request->map == COLOUR_DIVERGING ? TELL(SCALE_SIGNED) : TELL(SCALE_UNIT);
    if (is_even(pen))
        return TELL(SCALE_EVEN);
    if (pen->request->scale == FIGURE_SCALE_ROW) {
        snprintf(text, 64, pen->request->has_cursor ? TELL(SCALE_ROW) : TELL(SCALE_ROWS),
                 pen->request->cursor.row);
        return text;
    }
    if (!pen->data.has_heads || pen->request->mean)
        return TELL(SCALE_MAP);
    if (pen->request->scale == FIGURE_SCALE_ALL || pen->request->scale == FIGURE_SCALE_EVEN)
        return snprintf(text, 64, TELL(SCALE_ALL), pen->data.maps), text;
    if (pen->figure->map_count > 1 && !chosen)
        return snprintf(text, 64, TELL(SCALE_EACH), pen->data.map), text;
    if (pen->figure->map_count > 1)
        snprintf(text, 64, TELL(SCALE_EACH_AT), pen->data.map, map_of_cursor(pen)->head);
    else
        snprintf(text, 64, TELL(SCALE_ONE), pen->data.map, pen->figure->maps[0].head);
    return text;
}

const char *figure_quantity(const FigurePen *pen)
{
    const TraceTensor *tensor = &pen->data.trace->tensors[pen->data.tensor];
    if (is_even(pen))
        return TELL(QUANTITY_EVEN);
    if (tensor->is_difference)
        return TELL(QUANTITY_DIFFERENCE);
    if (pen->data.is_weights)
        return TELL(QUANTITY_WEIGHT);
    const Trace *trace = pen->data.trace;
    bool is_gradient = tensor->step >= 0 && stage_is_backward(trace->steps[tensor->step].stage);
    return pen->data.is_attention && !is_gradient ? TELL(QUANTITY_SCORE) : tensor->name;
}

static const double legend_points = 22.0; // from one mark to the next

// A sample of a mark; of lines, there is one of NaN alone.
static void draw_sample(const FigurePen *pen, DisplayMark mark, FigureBox box)
{
    if (pen->figure->lines) {
        box.y += box.height / 2;
        figure_draw_line_sample(pen, box, NAN);
        return;
    }
    DisplayCell *cell = display_cells(pen->list, (DisplayItem){.x = box.x,
                                                               .y = box.y,
                                                               .width = box.width,
                                                               .height = box.height,
                                                               .rows = 1,
                                                               .columns = 1,
                                                               .colour = pen->theme.hatch,
                                                               .size = figure_points(pen, 5)});
    if (cell)
        *cell = display_cell(mark == DISPLAY_NAN ? pen->theme.alarm_paper : pen->theme.empty, mark);
}

// Whether the picture has the mark; that of a cell without a line is not seen.
static bool is_marked(const FigurePen *pen, DisplayMark mark)
{
    return figure_mark_occurs(pen, mark) && (!pen->figure->lines || mark == DISPLAY_NAN);
}

static unsigned marks_of(const FigurePen *pen)
{
    unsigned marks = 0;
    for (int mark = DISPLAY_MASKED; mark < DISPLAY_MARK_COUNT; mark++)
        marks |= (unsigned)is_marked(pen, (DisplayMark)mark) << mark;
    return marks;
}

// A sample and its word; how wide both are.
static int draw_mark(const FigurePen *pen, DisplayMark mark, int x, int y)
{
    int side = figure_points(pen, 14), gap = figure_points(pen, 8);
    const char *word = matrix_drawn_word(mark);
    DisplayItem item = {.x = x + side + gap, .y = y + side / 2, .size = pen->small};
    item.colour = pen->theme.ink;
    draw_sample(pen, mark, (FigureBox){x, y, side, side});
    figure_text(pen, item, 0, word);
    return side + gap + font_width(pen->metrics, word, pen->small);
}

void figure_draw_legend(const FigurePen *pen, unsigned marks, int x, int y)
{
    for (int mark = DISPLAY_MASKED; mark < DISPLAY_MARK_COUNT; mark++) {
        if (!(marks & 1U << mark))
            continue;
        draw_mark(pen, (DisplayMark)mark, x, y);
        y += figure_points(pen, legend_points);
    }
}

void figure_draw_legend_line(const FigurePen *pen, unsigned marks, int x, int y)
{
    for (int mark = DISPLAY_MASKED; mark < DISPLAY_MARK_COUNT; mark++)
        if (marks & 1U << mark)
            x += draw_mark(pen, (DisplayMark)mark, x, y) + figure_points(pen, 20);
}

static int count_marks(const FigurePen *pen)
{
    int count = 0;
    for (unsigned marks = marks_of(pen); marks; marks &= marks - 1)
        count++;
    return count;
}

// What the maps take, of which the scale is a part to the eye.
static FigureBox maps_box(const FigurePen *pen)
{
    const Figure *figure = pen->figure;
    int wide = (int)pool_count(figure->columns, figure->block_columns) * figure->cell_width;
    ptrdiff_t rows = figure->rows;
    if (figure->lines) {
        wide = figure->cell_width + pen->row_labels + pen->numbers;
        rows = figure->rows > figure->columns ? figure->rows : figure->columns;
    }
    int high = (int)pool_count(rows, figure->block_rows) * figure->cell_height;
    FigureBox box = {figure->maps[0].x, figure->maps[0].y, 0, 0};
    for (int map = 0; map < figure->map_count; map++) {
        int right = figure->maps[map].x + wide, bottom = figure->maps[map].y + high;
        box.width = right - box.x > box.width ? right - box.x : box.width;
        box.height = bottom - box.y > box.height ? bottom - box.y : box.height;
    }
    box.width += pen->row_sums;
    return box;
}

// Beside the maps and as high as they are, with the marks; but never so short that it cannot be read,
// where there is room.
static FigureBox place_bar(const FigurePen *pen, FigureBox box)
{
    FigureBox maps = maps_box(pen);
    int marks = count_marks(pen);
    int legend = marks > 0 ? figure_points(pen, 8 + marks * legend_points) : 0;
    int bottom = box.y + box.height;
    int beside = maps.x + maps.width + figure_points(pen, 24);
    FigureBox bar = {box.x < beside ? box.x : beside, maps.y, figure_points(pen, 14), 0};
    int least = bottom - bar.y < figure_points(pen, 160) + legend
                    ? bottom - bar.y
                    : figure_points(pen, 160) + legend;
    bar.height = (maps.height > least ? maps.height : least) - legend;
    return bar;
}

void figure_draw_scale(const FigurePen *pen, FigureBox box)
{
    char text[64];
    FigureBox bar = place_bar(pen, box);
    int room = box.x + box.width - bar.x;
    if (bar.height < figure_points(pen, 40))
        return;
    DisplayItem item = {.x = bar.x,
                        .y = bar.y - figure_points(pen, 36),
                        .size = pen->small,
                        .bold = true,
                        .colour = pen->theme.ink};
    figure_text(pen, item, room, figure_quantity(pen));
    item.y += figure_points(pen, 16);
    item.bold = false;
    item.colour = pen->theme.quiet;
    figure_text(pen, item, room, scale_words(pen, text));
    figure_draw_legend(pen, marks_of(pen), bar.x, bar.y + bar.height + figure_points(pen, 16));
    if (!pen->figure->lines)
        draw_bar(pen, bar, pen->cache->table);
    Ticks ticks;
    list_ticks(pen, bar.height, &ticks);
    draw_ticks(pen, bar, &ticks);
}
