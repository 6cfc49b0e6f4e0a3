// canvas_change: two lists compared item by item; see canvas_change.h.
//
// Items that are in both lists keep their order, so the lists are walked side by side; where they
// differ, what is only in one of them is looked for a little ahead.
#include "canvas_change.h"

#include <stdlib.h>
#include <string.h>
#include "canvas_paint.h"

enum { LOOK_AHEAD = 24 };

// The new list with the boxes of its items.
typedef struct Fresh {
    const DisplayList *list;
    SDL_Rect *boxes;
    bool same_cells; // as in the old list
} Fresh;

static bool is_same(const Change *old, size_t i, const Fresh *fresh, size_t j)
{
    if (i >= old->item_count || j >= fresh->list->item_count)
        return false;
    const DisplayItem *a = &old->items[i], *b = &fresh->list->items[j];
    bool same = a->kind == b->kind && a->x == b->x && a->y == b->y && a->width == b->width &&
                a->height == b->height && a->colour == b->colour && a->alpha == b->alpha &&
                a->thickness == b->thickness && a->size == b->size && a->anchor == b->anchor &&
                a->bold == b->bold && a->upright == b->upright && a->fixed == b->fixed &&
                a->rows == b->rows && a->columns == b->columns && a->gap == b->gap;
    if (same && a->kind == DISPLAY_TEXT)
        return strcmp(old->texts + a->at, fresh->list->texts + b->at) == 0;
    return same && (a->kind != DISPLAY_CELLS || (a->at == b->at && fresh->same_cells));
}

static bool add_part(Change *change, SDL_Rect box)
{
    if (box.w <= 0 || box.h <= 0)
        return true;
    for (int i = 0; i < change->part_count; i++)
        if (SDL_HasIntersection(&change->parts[i], &box)) {
            SDL_UnionRect(&change->parts[i], &box, &change->parts[i]);
            return true;
        }
    if (change->part_count == CHANGE_PARTS_MAX)
        return false;
    change->parts[change->part_count++] = box;
    return true;
}

// How many old and new items to step over until the lists agree again; one each when they do not.
static void find_agreement(const Change *old, size_t i, const Fresh *fresh, size_t j,
                           size_t *old_ahead, size_t *new_ahead)
{
    for (size_t ahead = 1; ahead <= LOOK_AHEAD; ahead++) {
        bool old_has_more = is_same(old, i + ahead, fresh, j);
        if (old_has_more || is_same(old, i, fresh, j + ahead)) {
            *old_ahead = old_has_more ? ahead : 0;
            *new_ahead = old_has_more ? 0 : ahead;
            return;
        }
    }
    *old_ahead = i < old->item_count;
    *new_ahead = j < fresh->list->item_count;
}

static bool compare(Change *change, const Fresh *fresh)
{
    size_t i = 0, j = 0, old_ahead, new_ahead;
    bool fits = true;
    change->part_count = 0;
    while (fits && (i < change->item_count || j < fresh->list->item_count)) {
        if (is_same(change, i, fresh, j)) {
            i++;
            j++;
            continue;
        }
        find_agreement(change, i, fresh, j, &old_ahead, &new_ahead);
        for (; old_ahead > 0; old_ahead--)
            fits = add_part(change, change->boxes[i++]) && fits;
        for (; new_ahead > 0; new_ahead--)
            fits = add_part(change, fresh->boxes[j++]) && fits;
    }
    return fits;
}

static void remember(Change *change, const DisplayList *list, SDL_Rect *boxes)
{
    DisplayItem *items = malloc((list->item_count + 1) * sizeof *items);
    char *texts = malloc(list->text_bytes + 1);
    change->known = items && texts && boxes;
    if (change->known && list->item_count > 0)
        memcpy(items, list->items, list->item_count * sizeof *items);
    if (change->known && list->text_bytes > 0)
        memcpy(texts, list->texts, list->text_bytes);
    free(change->items);
    free(change->boxes);
    free(change->texts);
    change->items = items;
    change->boxes = boxes;
    change->texts = texts;
    change->item_count = change->known ? list->item_count : 0;
    change->text_bytes = list->text_bytes;
    change->width = list->width;
    change->height = list->height;
    change->background = list->background;
    change->cells_version = list->cells_version;
    change->cell_count = list->cell_count;
}

bool change_find(Change *change, const DisplayList *list, TextFonts *fonts)
{
    SDL_Rect *boxes = malloc((list->item_count + 1) * sizeof *boxes);
    for (size_t i = 0; boxes && i < list->item_count; i++)
        boxes[i] = paint_box(list, &list->items[i], fonts);
    bool same_frame = boxes && change->known && change->width == list->width &&
                      change->height == list->height && change->background == list->background;
    bool same_cells =
        change->cells_version == list->cells_version && change->cell_count == list->cell_count;
    bool found = same_frame && compare(change, &(Fresh){list, boxes, same_cells});
    remember(change, list, boxes);
    return found;
}

void change_forget(Change *change)
{
    change->known = false;
}

void change_finish(Change *change)
{
    free(change->items);
    free(change->boxes);
    free(change->texts);
    *change = (Change){.known = false};
}
