// window_memory: the list in shared memory, checked before anybody follows it; see window_memory.h.
#include "window_memory.h"

#include <string.h>

enum { SIDE_MAX = 1 << 16 };

// Whether cells, items and texts lie within the memory.
static bool fits(const WindowMemory *head, size_t bytes)
{
    return head->width >= 0 && head->width <= SIDE_MAX && head->height >= 0 &&
           head->height <= SIDE_MAX && head->cell_count <= bytes / sizeof(DisplayCell) &&
           head->item_count <= bytes / sizeof(DisplayItem) && head->text_bytes <= bytes &&
           window_memory_bytes(head) <= bytes;
}

// A byte that is neither 0 nor 1 is no bool to a compiler.
static bool is_flag(const bool *flag)
{
    return *(const unsigned char *)flag <= 1;
}

static bool item_is_sound(const DisplayList *list, const DisplayItem *item)
{
    size_t cells;
    if (!is_flag(&item->bold) || !is_flag(&item->upright) || !is_flag(&item->fixed))
        return false;
    switch (item->kind) {
    case DISPLAY_TEXT:
        return item->at < list->text_bytes && (int)item->anchor >= DISPLAY_LEFT &&
               item->anchor <= DISPLAY_RIGHT;
    case DISPLAY_CELLS:
        return item->rows >= 0 && item->columns >= 0 && item->rows <= SIDE_MAX &&
               item->columns <= SIDE_MAX &&
               !__builtin_mul_overflow((size_t)item->rows, (size_t)item->columns, &cells) &&
               cells <= list->cell_count && item->at <= list->cell_count - cells;
    case DISPLAY_RECTANGLE:
    case DISPLAY_FRAME:
    case DISPLAY_CURVE:
        return true;
    }
    return false;
}

bool window_memory_list(const void *memory, size_t bytes, DisplayList *list)
{
    char *start = (char *)(uintptr_t)memory; // a list can be written to; this one is not
    WindowMemory head;
    if (bytes < WINDOW_MEMORY_HEAD)
        return false;
    memcpy(&head, memory, sizeof head);
    if (!fits(&head, bytes))
        return false;
    *list = (DisplayList){
        .width = head.width,
        .height = head.height,
        .background = head.background,
        .items = (DisplayItem *)(void *)(start + window_memory_items(&head)),
        .item_count = head.item_count,
        .texts = start + window_memory_texts(&head),
        .text_bytes = head.text_bytes,
        .cells = (DisplayCell *)(void *)(start + WINDOW_MEMORY_HEAD),
        .cell_count = head.cell_count,
        .cells_version = head.cells_version,
    };
    bool sound = head.text_bytes == 0 || list->texts[head.text_bytes - 1] == '\0';
    for (size_t i = 0; sound && i < list->item_count; i++)
        sound = item_is_sound(list, &list->items[i]);
    return sound;
}
