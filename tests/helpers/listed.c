#include "listed.h"

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
