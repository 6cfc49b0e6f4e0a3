// Drawing helpers shared by all pictures; see figure_internal.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "figure_internal.h"
#include "figure_words.def"
#include "utf8.h"

// --- lengths and texts

int figure_points(const FigurePen *pen, double points)
{
    return (int)(points * pen->scale + 0.5);
}

int figure_usual_points(const FigurePen *pen, double points)
{
    return figure_points(pen, pen->letters > 1.0 ? points / pen->letters : points);
}

int figure_label_width(const FigurePen *pen, ptrdiff_t count,
                       const char *(*label)(const FigureData *, ptrdiff_t, ptrdiff_t, char[64]),
                       int most)
{
    int widest = 0;
    char text[64];
    for (ptrdiff_t i = 0; i < count && i < 512 && widest < most; i++) {
        int width =
            font_width(pen->metrics, label(&pen->data, pen->request->batch, i, text), pen->small);
        widest = width > widest ? width : widest;
    }
    return widest < most ? widest : most;
}

void figure_text(const FigurePen *pen, DisplayItem item, int room, const char *text)
{
    char cut[512];
    if (text[0] == '\0')
        return;
    if (room > 0 && font_width(pen->metrics, text, item.size) > room) {
        int columns = utf8_width(text);
        do
            utf8_cut(text, --columns, cut, sizeof cut);
        while (columns > 1 && font_width(pen->metrics, cut, item.size) > room);
        text = cut;
    }
    display_text(pen->list, item, text);
}

int figure_name(const FigurePen *pen, DisplayItem item, int room, ptrdiff_t head)
{
    char name[160], widest[64], number[32];
    figure_head_number(&pen->data, pen->data.values.shape[1] - 1, number);
    for (char *digit = number; *digit; digit++)
        *digit = *digit == '.' ? '.' : '0';
    snprintf(widest, sizeof widest, "%s %s", pen->data.map, number);
    bool counts = pen->data.has_heads && head >= 0;
    bool is_short = counts && font_width(pen->metrics, widest, item.size) > room;
    figure_map_name(&pen->data, pen->request->batch, head, name);
    if (is_short)
        figure_head_number(&pen->data, head, name);
    figure_text(pen, item, is_short ? 0 : room, name);
    return font_width(pen->metrics, is_short ? number : counts ? widest : name, item.size);
}

void figure_frame(const FigurePen *pen, FigureBox box, int grow, int thickness, Colour colour)
{
    display_add(pen->list, (DisplayItem){.kind = DISPLAY_FRAME,
                                         .x = box.x - grow,
                                         .y = box.y - grow,
                                         .width = box.width + 2 * grow,
                                         .height = box.height + 2 * grow,
                                         .colour = colour,
                                         .alpha = 255,
                                         .thickness = thickness});
}

void figure_double_frame(const FigurePen *pen, FigureBox box, Colour colour)
{
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    int inner = box.height >= figure_points(pen, 40) ? line + (line + 1) / 2 : 0;
    figure_frame(pen, box, line, line + inner, pen->theme.paper);
    figure_frame(pen, box, 0, line, colour);
}

bool figure_shows_every_head(const FigureRequest *request)
{
    return !request->mean && (request->mode == FIGURE_GRID || request->mode == FIGURE_ALL_LINES);
}

bool figure_has_lines(FigureMode mode)
{
    return mode == FIGURE_LINES || mode == FIGURE_ALL_LINES;
}

FigureMode figure_mode_of(FigureMode mode, bool every_head)
{
    if (figure_has_lines(mode))
        return every_head ? FIGURE_ALL_LINES : FIGURE_LINES;
    return every_head ? FIGURE_GRID : FIGURE_HEAD;
}

bool figure_shows_head(const FigureRequest *request, ptrdiff_t head)
{
    if (!figure_shows_every_head(request))
        return head == (request->mean ? -1 : request->head);
    return head >= 0 &&
           (!figure_heads_any(&request->heads) || figure_heads_has(&request->heads, head));
}

// --- axis names

const char *figure_columns_are(const FigurePen *pen, char text[64])
{
    snprintf(text, 64, "%s \xe2\x86\x92", figure_axis_words(&pen->data, 3));
    return text;
}

void figure_draw_axes(const FigurePen *pen, int map, bool columns)
{
    const Figure *figure = pen->figure;
    const FigureMap *at = &figure->maps[map];
    int high = (int)pool_count(figure->rows, figure->block_rows) * figure->cell_height;
    char text[64];
    DisplayItem item = {.x = at->x - pen->row_labels + pen->axis / 2,
                        .y = at->y + high / 2,
                        .size = pen->small,
                        .anchor = DISPLAY_CENTRE,
                        .upright = true,
                        .colour = pen->theme.quiet};
    if (pen->axis == 0)
        return;
    figure_text(pen, item, high, figure_axis_words(&pen->data, 2));
    item.x = at->x - figure_points(pen, 6);
    item.y = at->y - pen->small * 3 / 4;
    item.anchor = DISPLAY_RIGHT;
    item.upright = false;
    if (columns)
        figure_text(pen, item, 0, figure_columns_are(pen, text));
}

// --- numbers in cells

void figure_number_text(char text[32], float number, int decimals)
{
    if (isnan(number))
        snprintf(text, 32, "NaN");
    else if (isinf(number))
        snprintf(text, 32, number > 0.0f ? "+inf" : "-inf");
    else
        snprintf(text, 32, decimals < 0 ? "%.*e" : "%.*f", abs(decimals), (double)number);
}

bool figure_number_fits(const FigurePen *pen, PoolRange range, int decimals, int size, int room)
{
    char low[32], high[32];
    figure_number_text(low, range.low <= range.high ? range.low : 0.0f, decimals);
    figure_number_text(high, range.low <= range.high ? range.high : 0.0f, decimals);
    return font_width(pen->metrics, low, size) <= room &&
           font_width(pen->metrics, high, size) <= room;
}

int figure_number_least(const FigurePen *pen)
{
    return figure_usual_points(pen, pen->letters > 1.0 ? 8 : 9);
}

void figure_draw_number(const FigurePen *pen, FigureBox box, DisplayCell cell, DisplayItem item,
                        const char *text)
{
    int wide = font_width(pen->metrics, text, item.size) + figure_usual_points(pen, 4);
    int high = item.size * 9 / 10;
    wide = wide < box.width ? wide : box.width;
    high = high < box.height ? high : box.height;
    item.x = box.x + box.width / 2;
    item.y = box.y + box.height / 2;
    item.anchor = DISPLAY_CENTRE;
    if (cell >> 24 != DISPLAY_PLAIN)
        display_rectangle(pen->list, item.x - wide / 2, item.y - high / 2, wide, high,
                          cell & 0xffffff);
    figure_text(pen, item, box.width + figure_usual_points(pen, 4), text); // a + is wider than a -
}

Colour figure_ink_on(Colour cell)
{
    return colour_luminance(cell) > 0.2 ? 0x101418 : 0xffffff;
}

// --- buttons for the mouse
//
// The chosen one is inverted and the one under the pointer is underlined, so neither depends on colour.

typedef enum Needs {
    NEEDS_NOTHING,
    NEEDS_SEQUENCES,
    NEEDS_LAYERS,
    NEEDS_MAPS,
    NEEDS_REST,
    NEEDS_PLAY,
    NEEDS_INPUT,
    NEEDS_INPUTS
} Needs;

typedef struct Button {
    FigureBar bar;
    Needs needs;
    const char *says;
    Words words;
} Button;

static const Button all[] = {
#define BUTTON(bar, needs, says, english, korean) \
    {FIGURE_BAR_##bar, NEEDS_##needs, says, WORDS(english, korean)},
#include "figure_buttons.def"
};

enum { COUNT = sizeof all / sizeof *all };

static bool is_offered(const FigurePen *pen, const Button *button)
{
    const ptrdiff_t *shape = pen->data.values.shape;
    bool layers = pen->data.batch_is_layers, several = shape[0] > 1;
    return button->needs == NEEDS_SEQUENCES ? several && !layers
           : button->needs == NEEDS_LAYERS  ? several && layers
           : button->needs == NEEDS_MAPS    ? shape[1] > 1
           : button->needs == NEEDS_REST    ? !pen->request->plays
           : button->needs == NEEDS_PLAY    ? pen->request->plays
           : button->needs == NEEDS_INPUT   ? pen->inputs > 0
           : button->needs == NEEDS_INPUTS  ? pen->inputs > 1
                                            : true;
}

static bool is_hovered(const FigurePen *pen, const char *says)
{
    const char *hovered = pen->request->hovered;
    return hovered && says[0] != '\0' && strcmp(hovered, says) == 0;
}

// Registers a button, and underlines it while the pointer is over it.
static void offer(const FigurePen *pen, const char *says, FigureBox box)
{
    Figure *figure = pen->figure;
    int line = figure_points(pen, 2) > 1 ? figure_points(pen, 2) : 1;
    if (says[0] == '\0' || figure->button_count == FIGURE_BUTTONS_MAX)
        return;
    figure->buttons[figure->button_count++] =
        (FigureButton){box.x, box.y, box.width, box.height, says};
    if (is_hovered(pen, says))
        display_rectangle(pen->list, box.x, box.y + box.height - line, box.width, line,
                          pen->theme.accent);
}

void figure_draw_bar_of_buttons(const FigurePen *pen, FigureBar bar, FigureBox box)
{
    int gap = figure_points(pen, 16), x = box.x, end = box.x + box.width;
    for (int i = 0; i < COUNT; i++) {
        const char *words = words_tell(all[i].words);
        int wide = font_width(pen->metrics, words, pen->small);
        if (all[i].bar != bar || x + wide > end || !is_offered(pen, &all[i]))
            continue;
        bool hovered = is_hovered(pen, all[i].says);
        figure_text(pen,
                    (DisplayItem){.x = x,
                                  .y = box.y + box.height / 2,
                                  .size = pen->small,
                                  .colour = hovered ? pen->theme.ink : pen->theme.quiet},
                    0, words);
        offer(pen, all[i].says, (FigureBox){x, box.y, wide, box.height});
        x += wide + gap;
    }
}

const char *figure_button_hint(const FigurePen *pen)
{
    for (int i = 0; i < COUNT; i++)
        if (all[i].bar == FIGURE_BAR_MODES && is_hovered(pen, all[i].says))
            return words_tell(all[i].words);
    return NULL;
}

// --- the modes

static const char *mode_name(const FigurePen *pen, FigureMode mode, char text[96])
{
    const FigureData *data = &pen->data;
    bool one = data->values.shape[1] < 2;
    if (mode == FIGURE_GRID && one)
        snprintf(text, 96, "%s", TELL(MODE_MAP));
    else if (mode == FIGURE_GRID)
        snprintf(text, 96, TELL(MODE_GRID), data->maps);
    else if (mode == FIGURE_HEAD)
        snprintf(text, 96, TELL(MODE_HEAD), data->map);
    else if (mode == FIGURE_LINES)
        snprintf(text, 96, "%s", one ? TELL(MODE_LINES) : TELL(MODE_LINES_ONE));
    else
        snprintf(text, 96, "%s", TELL(MODE_LINES_ALL));
    return text;
}

// True if the mode is active. With one map there are only two modes.
static bool is_shown(const FigurePen *pen, FigureMode mode)
{
    FigureMode now = pen->request->mode;
    if (pen->data.values.shape[1] > 1)
        return now == mode;
    return figure_has_lines(now) == (mode == FIGURE_LINES);
}

// A comparison has no lines.
static bool has_mode(const FigurePen *pen, FigureMode mode)
{
    return is_offered(pen, &all[mode]) && !(figure_has_lines(mode) && pen->request->compares);
}

static void draw_mode(const FigurePen *pen, FigureMode mode, FigureBox box, const char *name)
{
    bool shown = is_shown(pen, mode);
    if (shown)
        display_rectangle(pen->list, box.x, box.y, box.width, box.height, pen->theme.ink);
    else
        figure_frame(pen, box, 0, 1, pen->theme.faint);
    figure_text(pen,
                (DisplayItem){.x = box.x + box.width / 2,
                              .y = box.y + box.height / 2,
                              .size = pen->small,
                              .anchor = DISPLAY_CENTRE,
                              .bold = shown,
                              .colour = shown ? pen->theme.paper : pen->theme.quiet},
                0, name);
    offer(pen, all[mode].says, box);
}

int figure_draw_modes(const FigurePen *pen, FigureBox box)
{
    enum { LEAST = 140 }; // points left for the title
    int wide[FIGURE_MODE_COUNT] = {0}, used = 0, pad = figure_points(pen, 18);
    char name[96];
    if (!pen->request->keys)
        return 0;
    for (FigureMode mode = 0; mode < FIGURE_MODE_COUNT; mode++)
        if (has_mode(pen, mode)) {
            wide[mode] = font_width(pen->metrics, mode_name(pen, mode, name), pen->small) + pad;
            used += wide[mode];
        }
    if (used + figure_points(pen, LEAST) > box.width)
        return 0;
    FigureBox at = {box.x + box.width - used, box.y, 0, figure_points(pen, 24)};
    for (FigureMode mode = 0; mode < FIGURE_MODE_COUNT; mode++)
        if (has_mode(pen, mode)) {
            at.width = wide[mode] - 1;
            draw_mode(pen, mode, at, mode_name(pen, mode, name));
            at.x += wide[mode];
        }
    return used;
}

const char *figure_hit_button(const Figure *figure, int x, int y)
{
    for (int i = 0; i < figure->button_count; i++) {
        const FigureButton *button = &figure->buttons[i];
        if (x >= button->x && x < button->x + button->width && y >= button->y &&
            y < button->y + button->height)
            return button->says;
    }
    return NULL;
}

// --- the page of keys over a picture

// The layout of keys and meanings: one column, or two if one would be higher than the picture.
typedef struct Page {
    int lines, columns, deep; // deep: lines per column
    int letter, row;          // pixels of a letter, of a line
    int pad, keys, across;    // pixels of the margin, of a column's keys, of a column
} Page;

static int widest(const FigurePen *pen, int which, int letter)
{
    const char *const *help = pen->request->help;
    int most = 0;
    for (int i = 0; help[2 * i]; i++) {
        int width = font_width(pen->metrics, help[2 * i + which], letter);
        most = width > most ? width : most;
    }
    return most;
}

static void measure(const FigurePen *pen, Page *page)
{
    int gap = figure_points(pen, 18);
    page->keys = widest(pen, 0, page->letter) + gap;
    page->across = page->keys + widest(pen, 1, page->letter) + gap;
}

// Shrinks letters until everything fits, as far as they stay legible.
static Page lay_out(const FigurePen *pen)
{
    const DisplayList *list = pen->list;
    Page page = {.row = figure_points(pen, 22), .pad = figure_points(pen, 24), .letter = pen->text};
    int least = figure_points(pen, 8);
    while (pen->request->help[2 * page.lines])
        page.lines++;
    page.columns = page.lines * page.row + 2 * page.pad > list->height ? 2 : 1;
    page.deep = (page.lines + page.columns - 1) / page.columns;
    if (page.columns * figure_points(pen, 320) > list->width)
        page.pad = figure_points(pen, 8);
    if (page.deep * page.row + 2 * page.pad > list->height)
        page.row = (list->height - 2 * page.pad) / page.deep;
    if (page.letter > page.row)
        page.letter = page.row > 1 ? page.row : 1;
    measure(pen, &page);
    while (page.columns * page.across + page.pad > list->width && page.letter > least) {
        page.letter--;
        measure(pen, &page);
    }
    return page;
}

void figure_draw_help(const FigurePen *pen)
{
    const char *const *help = pen->request->help;
    Page page = lay_out(pen);
    int width = page.columns * page.across + page.pad;
    int height = page.deep * page.row + 2 * page.pad;
    width = width < pen->list->width ? width : pen->list->width;
    height = height < pen->list->height ? height : pen->list->height;
    int x = (pen->list->width - width) / 2, y = (pen->list->height - height) / 2;
    display_rectangle(pen->list, x, y, width, height, pen->theme.paper);
    figure_frame(pen, (FigureBox){x, y, width, height}, 0, 1, pen->theme.quiet);
    for (int i = 0; i < page.lines; i++) {
        DisplayItem item = {.x = x + page.pad + i / page.deep * page.across,
                            .y = y + page.pad + i % page.deep * page.row + page.row / 2,
                            .size = page.letter,
                            .bold = true,
                            .colour = pen->theme.ink};
        int room = page.across - page.keys;
        if (item.x + page.across > x + width)
            room = x + width - item.x - page.keys;
        figure_text(pen, item, page.keys, help[2 * i]);
        item.x += page.keys;
        item.bold = false;
        figure_text(pen, item, room > 1 ? room : 1, help[2 * i + 1]);
    }
}
