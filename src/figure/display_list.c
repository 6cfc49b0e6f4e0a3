// display_list: growing arrays, and the list as text; see display_list.h.
#include "display_list.h"

#include <string.h>
#include "utf8.h"
#include "figure_words.def"

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

// Room for `more` further elements; what is there is kept. Memory doubles, so that all of it
// together is at most twice what is in use.
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

// --- as text

static void print_cells(const DisplayList *list, const DisplayItem *item, FILE *out)
{
    static const char marks[DISPLAY_MARK_COUNT + 1] = " \\/X|-.";
    for (int row = 0; row < item->rows; row++) {
        fputs("   ", out);
        for (int column = 0; column < item->columns; column++) {
            DisplayCell cell =
                list->cells[item->at + (size_t)row * (size_t)item->columns + (size_t)column];
            fprintf(out, " %06x%c", (unsigned)(cell & 0xffffff), marks[cell >> 24]);
        }
        fputc('\n', out);
    }
}

static void print_item(const DisplayList *list, const DisplayItem *item, size_t most, FILE *out)
{
    static const char *const kinds[] = {"rectangle", "frame", "text", "curve", "cells"};
    static const char *const anchors[] = {"left", "centre", "right"};
    fprintf(out, "%s %d,%d", kinds[item->kind], item->x, item->y);
    if (item->kind != DISPLAY_TEXT)
        fprintf(out, " %dx%d", item->width, item->height);
    if (item->kind == DISPLAY_CELLS)
        fprintf(out, " of %dx%d", item->columns, item->rows);
    else
        fprintf(out, " %06x", (unsigned)item->colour);
    if (item->alpha != 255)
        fprintf(out, " alpha %d", item->alpha);
    if (item->kind == DISPLAY_CURVE || item->kind == DISPLAY_FRAME)
        fprintf(out, " thickness %d", item->thickness);
    if (item->kind == DISPLAY_TEXT)
        fprintf(out, " %s %d%s%s%s \"%s\"", anchors[item->anchor], item->size,
                item->bold ? " bold" : "", item->upright ? " upright" : "",
                item->fixed ? " fixed" : "", list->texts + item->at);
    fputc('\n', out);
    if (item->kind == DISPLAY_CELLS && (size_t)item->rows * (size_t)item->columns <= most)
        print_cells(list, item, out);
}

void display_list_print(const DisplayList *list, size_t most, FILE *out)
{
    fprintf(out, "%dx%d %06x\n", list->width, list->height, (unsigned)list->background);
    for (size_t i = 0; i < list->item_count; i++)
        print_item(list, &list->items[i], most, out);
}
