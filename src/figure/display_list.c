// Colour maps and display lists; see display_list.h.
#include "display_list.h"

#include <math.h>
#include <string.h>
#include "figure_words.def"
#include "kernel.h"
#include "utf8.h"

// --- colour maps

const char *const colour_map_names[COLOUR_MAP_COUNT + 1] = {"viridis", "cividis", "magma",
                                                            "diverging", 0};

enum { POINTS = 16, BOTH_POINTS = 11 };

// Every 17th of the 256 published colours. viridis and magma: Smith and van der Walt 2015;
// cividis: Nuñez, Anderton and Renslow 2018.
static const Colour sequential_points[][POINTS] = {
    [COLOUR_VIRIDIS] = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e, 0x2a788e,
                        0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568, 0x7ad151, 0xa5db36,
                        0xd2e21b, 0xfde725},
    [COLOUR_CIVIDIS] = {0x00224e, 0x002e6c, 0x1e3a6f, 0x35456c, 0x47516c, 0x575d6d, 0x666970,
                        0x757575, 0x848279, 0x948e77, 0xa59c74, 0xb7a96e, 0xc8b866, 0xdbc75a,
                        0xeed649, 0xfee838},
    [COLOUR_MAGMA] = {0x000004, 0x0b0924, 0x20114b, 0x3b0f70, 0x57157e, 0x721f81, 0x8c2981,
                      0xa8327d, 0xc43c75, 0xde4968, 0xf1605d, 0xfa7f5e, 0xfe9f6d, 0xfebf84,
                      0xfddea0, 0xfcfdbf},
};

// Brewer's RdBu in eleven classes, blue first.
static const Colour diverging_points[BOTH_POINTS] = {0x053061, 0x2166ac, 0x4393c3, 0x92c5de,
                                                     0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582,
                                                     0xd6604d, 0xb2182b, 0x67001f};

// The same hues for dark paper: lighter farther from the middle.
static const Colour dark_points[BOTH_POINTS] = {0xb3d7ee, 0x7fb9de, 0x4b97c8, 0x2f6f9f,
                                                0x264a67, 0x232a33, 0x5f3732, 0x9b4636,
                                                0xd6604d, 0xf08f70, 0xfcc5a8};

ColourMap colour_map_on(ColourMap map, bool is_dark)
{
    return is_dark && map == COLOUR_DIVERGING ? COLOUR_DIVERGING_DARK : map;
}

static int channel(Colour colour, int shift)
{
    return (int)(colour >> shift & 0xff);
}

Colour colour_mix(Colour a, Colour b, double share)
{
    Colour mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double from = channel(a, shift), to = channel(b, shift);
        mixed |= (Colour)(from + (to - from) * share + 0.5) << shift;
    }
    return mixed;
}

void colour_table(ColourMap map, Colour table[COLOUR_LEVELS])
{
    colour_table_around(map, 0.5, table);
}

void colour_table_around(ColourMap map, double middle, Colour table[COLOUR_LEVELS])
{
    bool has_both = map == COLOUR_DIVERGING || map == COLOUR_DIVERGING_DARK;
    const Colour *points = map == COLOUR_DIVERGING        ? diverging_points
                           : map == COLOUR_DIVERGING_DARK ? dark_points
                                                          : sequential_points[map];
    int count = has_both ? BOTH_POINTS : POINTS;
    for (int level = 0; level < COLOUR_LEVELS; level++) {
        double from = level - middle * (COLOUR_LEVELS - 1);
        double even =
            0.5 * (COLOUR_LEVELS - 1) + 0.5 * from / (from <= 0.0 ? middle : 1.0 - middle);
        double place = even * (count - 1) / (COLOUR_LEVELS - 1);
        int point = place < count - 1 ? (int)place : count - 2;
        table[level] = colour_mix(points[point], points[point + 1], place - point);
    }
}

int colour_level(float number, float low, float high)
{
    float share = (number - low) / (high - low);
    share = share > 0.0f ? share : 0.0f;
    share = share < 1.0f ? share : 1.0f;
    return high > low ? (int)(share * (COLOUR_LEVELS - 1) + 0.5f) : COLOUR_LEVELS / 2;
}

bool colour_numbers(const Colour table[COLOUR_LEVELS], const float *numbers, ptrdiff_t count,
                    float low, float high, Colour *out)
{
    enum { AT_ONCE = 256, MORE = 16 };
    int levels[AT_ONCE + MORE];
    bool good = true;
    const Kernel *kernel = kernel_choose();
    for (ptrdiff_t first = 0; first < count; first += AT_ONCE) {
        ptrdiff_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        good &= kernel->levels(some, numbers + first, low, high, COLOUR_LEVELS - 1, levels);
        for (ptrdiff_t i = 0; i < some; i++)
            out[first + i] = table[high > low ? levels[i] : COLOUR_LEVELS / 2];
    }
    return good;
}

double colour_luminance(Colour colour)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126}; // blue, green, red
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double part = channel(colour, 8 * i) / 255.0;
        sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

// Widths of a common sans-serif face, rounded up: a layout made with them never overlaps.
const FontMetrics font_metrics_usual = {
    .ascii = {0.30f, 0.32f, 0.42f, 0.64f, 0.62f, 0.82f, 0.70f, 0.26f, 0.36f, 0.36f, 0.48f, 0.64f,
              0.30f, 0.44f, 0.30f, 0.40f, 0.62f, 0.62f, 0.62f, 0.62f, 0.62f, 0.62f, 0.62f, 0.62f,
              0.62f, 0.62f, 0.30f, 0.30f, 0.64f, 0.64f, 0.64f, 0.50f, 0.92f, 0.68f, 0.66f, 0.70f,
              0.74f, 0.60f, 0.58f, 0.74f, 0.74f, 0.30f, 0.56f, 0.68f, 0.56f, 0.88f, 0.76f, 0.76f,
              0.64f, 0.76f, 0.66f, 0.64f, 0.64f, 0.74f, 0.68f, 0.98f, 0.68f, 0.68f, 0.64f, 0.36f,
              0.40f, 0.36f, 0.64f, 0.50f, 0.40f, 0.58f, 0.62f, 0.56f, 0.62f, 0.60f, 0.38f, 0.62f,
              0.60f, 0.26f, 0.26f, 0.56f, 0.26f, 0.88f, 0.60f, 0.62f, 0.62f, 0.62f, 0.40f, 0.54f,
              0.38f, 0.60f, 0.56f, 0.80f, 0.56f, 0.56f, 0.56f, 0.40f, 0.30f, 0.40f, 0.64f},
    .wide = 1.0f,
    .other = 0.70f,
};

int font_width(const FontMetrics *metrics, const char *text, int size)
{
    float ems = 0.0f;
    uint32_t character;
    for (size_t bytes; (bytes = utf8_next(text, &character)) > 0; text += bytes) {
        int columns = utf8_character_width(character);
        if (character >= ' ' && character <= '~')
            ems += metrics->ascii[character - ' '];
        else
            ems += columns == 2 ? metrics->wide : columns == 1 ? metrics->other : 0.0f;
    }
    return (int)(ems * (float)size + 0.999f);
}

void display_list_clear(DisplayList *list, int width, int height, Colour background)
{
    list->width = width;
    list->height = height;
    list->background = background;
    list->item_count = 0;
    list->text_bytes = 0;
    list->cell_count = 0;
    list->failed = false;
}

// Makes room for `more` elements. Memory doubles, so at most half of it is unused.
static bool grow(DisplayList *list, void **array, size_t size, size_t count, size_t more,
                 size_t *room)
{
    if (count + more <= *room)
        return true;
    size_t wanted = *room * 2 > count + more ? *room * 2 : count + more + 64;
    void *bigger = arena_take(&list->arena, wanted, size, &list->failure);
    if (!bigger) {
        list->failed = true;
        return false;
    }
    if (count > 0)
        memcpy(bigger, *array, count * size);
    *array = bigger;
    *room = wanted;
    return true;
}

void display_add(DisplayList *list, DisplayItem item)
{
    void *items = list->items;
    if (!grow(list, &items, sizeof *list->items, list->item_count, 1, &list->item_room))
        return;
    list->items = items;
    list->items[list->item_count++] = item;
}

void display_rectangle(DisplayList *list, int x, int y, int width, int height, Colour colour)
{
    display_add(list, (DisplayItem){.kind = DISPLAY_RECTANGLE,
                                    .x = x,
                                    .y = y,
                                    .width = width,
                                    .height = height,
                                    .colour = colour,
                                    .alpha = 255});
}

void display_text(DisplayList *list, DisplayItem item, const char *text)
{
    void *texts = list->texts;
    size_t bytes = strlen(text) + 1;
    if (!grow(list, &texts, 1, list->text_bytes, bytes, &list->text_room))
        return;
    list->texts = texts;
    memcpy(list->texts + list->text_bytes, text, bytes);
    item.kind = DISPLAY_TEXT;
    item.alpha = 255;
    item.at = list->text_bytes;
    list->text_bytes += bytes;
    display_add(list, item);
}

static DisplayCell *more_cells(DisplayList *list, size_t more)
{
    void *cells = list->cells;
    if (list->lend)
        cells = list->lend(list->lender, list->cell_count + more);
    else
        grow(list, &cells, sizeof *list->cells, list->cell_count, more, &list->cell_room);
    if (list->lend && !cells)
        list->failed = !error_set(&list->failure, TELL(LIST_MEMORY));
    if (list->failed)
        return NULL;
    DisplayCell *first = list->cell_count > 0 ? (DisplayCell *)cells + list->cell_count : cells;
    list->cells = cells;
    list->cell_count += more;
    return first;
}

DisplayCell *display_cells_first(DisplayList *list, size_t count)
{
    const DisplayCell *before = list->cells;
    DisplayCell *cells = more_cells(list, count);
    if (cells != before)
        list->cells_source = NULL;
    return cells;
}

void display_cells_at(DisplayList *list, DisplayItem item)
{
    item.kind = DISPLAY_CELLS;
    item.alpha = 255;
    display_add(list, item);
}

DisplayCell *display_cells(DisplayList *list, DisplayItem item)
{
    item.at = list->cell_count;
    if (!more_cells(list, (size_t)item.rows * (size_t)item.columns))
        return NULL;
    display_cells_at(list, item);
    return list->failed ? NULL : list->cells + item.at;
}

static bool add_texts(DisplayList *list, const DisplayList *from)
{
    void *texts = list->texts;
    if (!grow(list, &texts, 1, list->text_bytes, from->text_bytes, &list->text_room))
        return false;
    list->texts = texts;
    if (from->text_bytes > 0)
        memcpy(list->texts + list->text_bytes, from->texts, from->text_bytes);
    list->text_bytes += from->text_bytes;
    return true;
}

void display_list_add(DisplayList *list, const DisplayList *from, int x, int y)
{
    size_t texts = list->text_bytes, before = list->cell_count;
    DisplayCell *cells = more_cells(list, from->cell_count);
    if (list->failed || !add_texts(list, from))
        return;
    if (from->cell_count > 0)
        memcpy(cells, from->cells, from->cell_count * sizeof *cells);
    list->cells_version++;
    for (size_t i = 0; i < from->item_count; i++) {
        DisplayItem item = from->items[i];
        item.x += x;
        item.y += y;
        item.at += item.kind == DISPLAY_TEXT ? texts : before;
        display_add(list, item);
    }
}

Colour display_hatch(Colour hatch, Colour cell)
{
    const double least = 3.0, veil = 0.05; // WCAG's contrast of two luminances
    double on = colour_luminance(cell) + veil, of = colour_luminance(hatch) + veil;
    if (on / of >= least || of / on >= least)
        return hatch;
    return on > 0.25 ? 0x1b2430 : 0xffffff;
}

void display_list_finish(DisplayList *list)
{
    arena_finish(&list->arena);
    *list = (DisplayList){.items = NULL};
}
