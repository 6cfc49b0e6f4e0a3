// Lines between words, and the scale of colours; see figure_internal.h.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include "figure_internal.h"
#include "figure_words.def"

// --- lines
//
// Queries on the left, keys on the right, and between them a line for every number: the larger, the thicker.

static const double readable_points = 9.0;

// The last three are opacities, of 255. PALE is for words where the head has no job: lines fade as much as
// cells do.
enum { THICKEST_POINTS = 10, COVERS = 150, FAINT = 40, PALE = 65 };

// Weaker lines are left out, as the picture says. NaN is drawn as a line of this share in the alarm colour.
#define LEAST_SHARE (FIGURE_LINE_LEAST / 100.0f)
#define NAN_SHARE 0.1f

// With longer lists than the first, several heads show the second number of words at once.
enum { ALL_WORDS_MAX = 48, SOME_WORDS = 20 };

// The arrangement of heads, each with two lists of words and lines between.
typedef struct Panels {
    int columns, rows, width, height, line,
        span;    // of a panel; height of a word, width of the lines
    double room; // larger is better
} Panels;

static int within(int number, int least, int most)
{
    return number < least ? least : number > most ? most : number;
}

static Panels divide_area(const FigurePen *pen, int columns, ptrdiff_t most)
{
    int maps = pen->figure->map_count, gap = figure_points(pen, 16);
    Panels panels = {.columns = columns, .rows = (maps + columns - 1) / columns};
    panels.width = (pen->area.width - (columns - 1) * gap) / columns;
    panels.height = (pen->area.height - (panels.rows - 1) * gap) / panels.rows;
    panels.line = (int)((panels.height - pen->heading) / most);
    panels.span = panels.width - 2 * pen->row_labels - pen->numbers;
    double down = (double)panels.line / figure_points(pen, 17);
    double across = (double)panels.span / figure_points(pen, 110);
    double filled = (double)maps / (columns * panels.rows);
    panels.room = (down < across ? down : across) * filled;
    return panels;
}

static Panels best_panels(const FigurePen *pen, ptrdiff_t most)
{
    Panels best = divide_area(pen, 1, most);
    for (int columns = 2; columns <= pen->figure->map_count; columns++) {
        Panels panels = divide_area(pen, columns, most);
        int places = columns * panels.rows, empty = places - pen->figure->map_count;
        if (panels.room > best.room && 4 * empty < places) // never three heads in four places
            best = panels;
    }
    return best;
}

// The least height of a word. With one head it may be lower than usual if that makes room for all words and
// stays readable.
static int least_line(const FigurePen *pen, const Panels *panels)
{
    int usual = figure_points(pen, 17), readable = figure_points(pen, readable_points);
    if (pen->figure->map_count > 1)
        return figure_points(pen, 4);
    return panels->line < readable ? usual : panels->line < usual ? panels->line : usual;
}

// Many heads in a small picture have lines and a number but no words. One head always has words, as many as
// fit.
static Panels choose_panels(FigurePen *pen, ptrdiff_t most)
{
    int maps = pen->figure->map_count;
    Panels best = best_panels(pen, most);
    int least = least_line(pen, &best);
    if (maps > 1 &&
        (best.line < figure_points(pen, readable_points) || best.span < figure_points(pen, 24))) {
        pen->row_labels = 0;
        pen->heading = figure_points(pen, 20);
        best = best_panels(pen, most);
        least = 1;
    }
    best.line = within(best.line, least, figure_points(pen, 72));
    best.span = within(best.span, least, figure_points(pen, 640));
    return best;
}

// Reserves room for words and numbers at this size. `wide` is the widest word in small letters.
static Panels fit_letters(FigurePen *pen, int size, int wide, ptrdiff_t most)
{
    int maps = pen->figure->map_count;
    bool one = maps == 1, is_wide = pen->area.width / maps >= figure_points(pen, 300);
    bool looks = pen->request->has_cursor || pen->request->keys; // or will, in a window
    pen->numbers = looks && (one || is_wide) ? figure_points(pen, 80) * size / pen->text : 0;
    int words = wide * size / pen->small, heading = one ? figure_points(pen, 58) : 0; // "queries"
    pen->label = size;
    pen->heading = figure_points(pen, 28);
    pen->row_labels = (words > heading ? words : heading) + figure_points(pen, 16);
    return choose_panels(pen, most);
}

// Writes few words large, as long as the lines have more room than the words.
static Panels choose_letters(FigurePen *pen, int wide, ptrdiff_t most)
{
    for (int points = 24; points > 14; points--) {
        int size = figure_points(pen, points);
        Panels panels = fit_letters(pen, size, wide, most);
        if (panels.line * 2 >= size * 5 && panels.span >= 2 * pen->row_labels)
            return panels;
    }
    return fit_letters(pen, pen->text, wide, most);
}

// Sets the visible part of long lists; the rest can be scrolled to.
static void show_words(const FigurePen *pen, const Panels *panels)
{
    Figure *figure = pen->figure;
    const ptrdiff_t *shape = pen->data.values.shape;
    ptrdiff_t visible = (panels->height - pen->heading) / panels->line;
    visible = visible > 1 ? visible : 1;
    figure->rows = shape[2] < visible ? shape[2] : visible;
    figure->columns = shape[3] < visible ? shape[3] : visible;
    ptrdiff_t last_row = shape[2] - figure->rows, last_column = shape[3] - figure->columns;
    ptrdiff_t row = pen->request->first_row, column = pen->request->first_column;
    figure->first_row = row < last_row ? row : last_row;
    figure->first_column = column < last_column ? column : last_column;
    figure->all_visible = last_row == 0 && last_column == 0;
    figure->block_rows = figure->block_columns = 1;
    figure->cell_width = panels->span;
    figure->cell_height = panels->line;
    figure->lines = true;
    figure->word_width = pen->row_labels;
}

void figure_layout_lines(FigurePen *pen)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    int maps = pen->figure->map_count, gap = figure_points(pen, 16);
    ptrdiff_t most = shape[2] > shape[3] ? shape[2] : shape[3];
    if (maps > 1 && most > ALL_WORDS_MAX)
        most = SOME_WORDS; // the others can be scrolled to
    int wide = figure_label_width(pen, shape[2], figure_row_label, figure_points(pen, 90));
    int other = figure_label_width(pen, shape[3], figure_column_label, figure_points(pen, 90));
    Panels best = choose_letters(pen, wide > other ? wide : other, most);
    pen->words = pen->row_labels > 0 && best.line >= figure_points(pen, readable_points);
    int high = best.line * 7 / 8;
    pen->label = high < pen->label ? high : pen->label;
    show_words(pen, &best);
    ptrdiff_t longest =
        pen->figure->rows > pen->figure->columns ? pen->figure->rows : pen->figure->columns;
    int down = best.height - pen->heading - (int)longest * best.line;
    int across = best.width - 2 * pen->row_labels - pen->numbers - best.span;
    for (int map = 0; map < maps; map++) {
        int column = map % best.columns, row = map / best.columns;
        int left = pen->area.x + column * (best.width + gap) + pen->row_labels;
        int top = pen->area.y + row * (best.height + gap) + pen->heading;
        pen->figure->maps[map].x = left + (across > 0 ? across / 2 : 0);
        pen->figure->maps[map].y = top + (down > 0 ? down / 3 : 0);
    }
}

// Rows and columns have the same height here, so that both lists are level.
static int word_y(const FigurePen *pen, int map, ptrdiff_t number, ptrdiff_t first)
{
    return pen->figure->maps[map].y + (int)(number - first) * pen->figure->cell_height +
           pen->figure->cell_height / 2;
}

// The range of a row's lines. Weights begin at 0, which has no line.
static PoolRange figure_line_range(const FigurePen *pen, const FigureMap *map, ptrdiff_t row)
{
    PoolRange range = pen->request->scale == FIGURE_SCALE_ROW
                          ? figure_rows_range(pen, map->head, row, 1)
                          : figure_range(pen, map);
    range.low = pen->data.is_weights ? 0.0f : range.low;
    return range;
}

// The line of a number with this share of the scale, which is its share of the greatest thickness. Below a
// pixel, it covers that part of a pixel.
static DisplayItem line_of(const FigurePen *pen, float share, bool faint)
{
    enum { SIXTEENTHS = 16 };
    int most = within(pen->figure->cell_height * 3 / 5, 1, figure_points(pen, THICKEST_POINTS));
    int thick = (int)(share * (float)(most * SIXTEENTHS) + 0.5f);
    return (DisplayItem){.kind = DISPLAY_CURVE,
                         .colour = pen->theme.line,
                         .alpha = faint ? FAINT : COVERS,
                         .thickness = thick > 1 ? thick : 1};
}

// True if only the lines to the key under the pointer are shown.
static bool shows_key(const FigureRequest *request)
{
    return request->has_cursor && request->lock == FIGURE_UNLOCKED &&
           request->points == FIGURE_POINTS_COLUMN;
}

// True if a line is shown: while a word is pointed at or locked, only its own are.
static bool is_shown(const FigureRequest *request, FigureCell cell)
{
    bool row = request->lock != FIGURE_UNLOCKED || request->points == FIGURE_POINTS_ROW;
    if (shows_key(request))
        return cell.column == request->cursor.column;
    return !row || cell.row == request->cursor.row;
}

static void draw_line(const FigurePen *pen, int map, FigureCell cell, float share)
{
    const Figure *figure = pen->figure;
    const FigureRequest *request = pen->request;
    bool is_number = !isnan(share);
    bool other = request->has_cursor && request->points == FIGURE_POINTS_NOWHERE &&
                 request->cursor.row != cell.row;
    if ((is_number && share < LEAST_SHARE) || (request->has_cursor && !is_shown(request, cell)))
        return;
    DisplayItem item = line_of(pen, is_number ? share : NAN_SHARE, other);
    if (!is_number)
        item.colour = pen->theme.alarm;
    else if (!other && !figure_row_is_asked(&pen->data, request->batch, cell.head, cell.row))
        item.alpha = PALE;
    int room = 0; // for the queries' numbers, which push the lines to the right
    if (shows_key(request) && pen->numbers > 0 && pen->words)
        room = font_width(pen->metrics, "-0.0000", pen->label) + figure_points(pen, 6);
    item.x = figure->maps[map].x + room;
    item.y = word_y(pen, map, cell.row, figure->first_row);
    item.width = figure->cell_width > room ? figure->cell_width - room : 1;
    item.height = word_y(pen, map, cell.column, figure->first_column) - item.y;
    display_add(pen->list, item);
}

// A horizontal sample line for this share of the scale; NaN: the line of NaN.
static void figure_draw_line_sample(const FigurePen *pen, FigureBox box, float share)
{
    DisplayItem item = line_of(pen, isnan(share) ? NAN_SHARE : share, false);
    item.x = box.x;
    item.y = box.y;
    item.width = box.width;
    if (isnan(share))
        item.colour = pen->theme.alarm;
    if (isnan(share) || share >= LEAST_SHARE)
        display_add(pen->list, item);
}

static void draw_lines(const FigurePen *pen, int map)
{
    const Figure *figure = pen->figure;
    FigureCell cell = {.head = figure->maps[map].head};
    for (cell.row = figure->first_row; cell.row < figure->first_row + figure->rows; cell.row++) {
        PoolRange range = figure_line_range(pen, &figure->maps[map], cell.row);
        for (cell.column = figure->first_column;
             cell.column < figure->first_column + figure->columns; cell.column++) {
            float number = figure_number(&pen->data, pen->request->batch, cell);
            if (isinf(number) || !figure_is_computed(&pen->data, pen->request, cell))
                continue;
            float extent = range.high - range.low;
            float share = extent > 0.0f ? (number - range.low) / extent : 1.0f;
            if (isnan(number))
                share = NAN;
            draw_line(pen, map, cell, share > 1.0f ? 1.0f : share < 0.0f ? 0.0f : share);
        }
    }
}

// Draws the number of a line next to its word.
static void draw_number(const FigurePen *pen, FigureCell cell, DisplayItem item)
{
    char text[32];
    if (pen->numbers == 0 || !pen->request->has_cursor ||
        !figure_is_computed(&pen->data, pen->request, cell))
        return;
    float number = figure_number(&pen->data, pen->request->batch, cell);
    snprintf(text, sizeof text, isnan(number) ? "NaN" : "%.4f", (double)number);
    item.size = pen->label;
    item.colour = pen->theme.quiet;
    figure_text(pen, item, 0, text);
}

// Draws the queries left of the lines, or the keys right of them; with numbers while one of the other side is chosen.
static void draw_side(const FigurePen *pen, int map, bool keys)
{
    const Figure *figure = pen->figure;
    const FigureRequest *request = pen->request;
    ptrdiff_t first = keys ? figure->first_column : figure->first_row;
    ptrdiff_t count = keys ? figure->columns : figure->rows;
    int left = figure->maps[map].x, gap = figure_points(pen, 8);
    FigureCell cell = request->cursor;
    cell.head = figure->maps[map].head;
    for (ptrdiff_t i = first; i < first + count; i++) {
        char text[64];
        bool current =
            request->has_cursor && i == (keys ? request->cursor.column : request->cursor.row);
        DisplayItem item = {.x = keys ? left + figure->cell_width + gap : left - gap,
                            .y = word_y(pen, map, i, first),
                            .size = pen->label,
                            .anchor = keys ? DISPLAY_LEFT : DISPLAY_RIGHT,
                            .bold = current,
                            .colour = current ? pen->theme.accent : pen->theme.ink};
        figure_text(
            pen, item, pen->row_labels - gap,
            (keys ? figure_column_label : figure_row_label)(&pen->data, request->batch, i, text));
        if (keys == shows_key(request))
            continue;
        *(keys ? &cell.column : &cell.row) = i;
        item.x = keys ? item.x + pen->row_labels + figure_points(pen, 56) * pen->label / pen->text
                      : left;
        item.anchor = keys ? DISPLAY_RIGHT : DISPLAY_LEFT;
        item.bold = keys && current;
        draw_number(pen, cell, item);
    }
}

// True if the axis names fit above the words; the line below the title has them, too.
static bool fits_axes(const FigurePen *pen)
{
    int room = pen->row_labels - figure_points(pen, 8);
    for (int axis = 2; axis < 4; axis++)
        if (font_width(pen->metrics, figure_axis_words(&pen->data, axis), pen->small) > room)
            return false;
    return pen->row_labels > 0;
}

void figure_draw_lines(const FigurePen *pen, int map)
{
    const FigureMap *at = &pen->figure->maps[map];
    bool marked = pen->figure->map_count > 1 && pen->request->has_cursor &&
                  pen->request->cursor.head == at->head;
    DisplayItem item = {.x = at->x - figure_points(pen, 8),
                        .y = at->y - pen->heading / 2,
                        .size = pen->small,
                        .anchor = DISPLAY_RIGHT,
                        .colour = pen->theme.quiet};
    if (fits_axes(pen))
        figure_text(pen, item, 0, figure_axis_words(&pen->data, 2));
    item.x = at->x + pen->figure->cell_width + figure_points(pen, 8);
    item.anchor = DISPLAY_LEFT;
    if (fits_axes(pen))
        figure_text(pen, item, 0, figure_axis_words(&pen->data, 3));
    item = (DisplayItem){.x = at->x + pen->figure->cell_width / 2,
                         .y = at->y - pen->heading / 2,
                         .size = pen->text,
                         .anchor = DISPLAY_CENTRE,
                         .bold = true,
                         .colour = marked ? pen->theme.accent : pen->theme.ink};
    figure_name(pen, item, pen->figure->cell_width, at->head);
    draw_lines(pen, map);
    if (!pen->words)
        return;
    draw_side(pen, map, false);
    draw_side(pen, map, true);
}

// --- the scale
//
// The colours or lines next to the maps with their numbers, what they measure, and a sample of every mark
// that occurs.

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

// The map whose scale is shown: the cursor's, else the first.
static const FigureMap *map_of_cursor(const FigurePen *pen)
{
    const Figure *figure = pen->figure;
    for (int map = 0; pen->request->has_cursor && map < figure->map_count; map++)
        if (figure->maps[map].head == pen->request->cursor.head)
            return &figure->maps[map];
    return &figure->maps[0];
}

// Numbers next to the bar: the ends, and round ones between.
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

// At least `least`: 1, 2 or 5 times a power of ten; *decimals is how many decimals it has.
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

// Numbers must lie `near` apart, as a share of the bar.
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

// Adds a range: nothing, one number, or two ends and numbers between.
static void add_numbers(Ticks *ticks, PoolRange range, int near, int height)
{
    if (range.low > range.high)
        add_tick(ticks, 0.5, TELL(TICK_NONE));
    else if (range.low == range.high)
        add_tick(ticks, 0.5, "%.4g", (double)range.low); // in the middle of the colours
    else
        add_range(ticks, range, (double)near / height);
}

// Lines are not divided by even shares.
static bool is_even(const FigurePen *pen)
{
    return figure_scale_is_even(pen) && !pen->figure->lines;
}

// If every head has its own scale and none is chosen, adds words.
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
    char number[32];
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
        snprintf(text, 64, TELL(SCALE_EACH_AT), pen->data.map,
                 figure_head_number(&pen->data, map_of_cursor(pen)->head, number));
    else
        snprintf(text, 64, TELL(SCALE_ONE), pen->data.map,
                 figure_head_number(&pen->data, pen->figure->maps[0].head, number));
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

// A sample of a mark; lines have one for NaN only.
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

static unsigned marks_of(const FigurePen *pen)
{
    unsigned marks = 0;
    for (int mark = DISPLAY_MASKED; mark < DISPLAY_MARK_COUNT; mark++)
        if (figure_mark_occurs(pen, (DisplayMark)mark) &&
            (!pen->figure->lines || mark == DISPLAY_NAN)) // lines show only NaN
            marks |= 1U << mark;
    return marks;
}

// Draws a sample and its word. Returns their width.
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

// The area of the maps, which determines where the scale goes.
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

// Places the bar next to the maps, as high as they are including the marks, but not too low to read if there
// is room.
static FigureBox place_bar(const FigurePen *pen, FigureBox box)
{
    FigureBox maps = maps_box(pen);
    int marks = __builtin_popcount(marks_of(pen));
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
