// How a display list lies in the memory that both processes share: this header, then cells, items
// and texts. Both ends are built together, so the layout needs no version.
#ifndef WINDOW_MEMORY_H
#define WINDOW_MEMORY_H

#include "display_list.h"

typedef struct WindowMemory {
    int width, height;
    Colour background;
    size_t item_count, text_bytes, cell_count;
    unsigned long cells_version;
} WindowMemory;

enum { WINDOW_MEMORY_HEAD = 128 };

// Bytes from the beginning to the items, the texts, the end.
static inline size_t window_memory_items(const WindowMemory *memory)
{
    return (WINDOW_MEMORY_HEAD + memory->cell_count * sizeof(DisplayCell) + 63) / 64 * 64;
}

static inline size_t window_memory_texts(const WindowMemory *memory)
{
    return window_memory_items(memory) + memory->item_count * sizeof(DisplayItem);
}

static inline size_t window_memory_bytes(const WindowMemory *memory)
{
    return window_memory_texts(memory) + memory->text_bytes;
}

// The list that lies in `bytes` of memory, whose texts, cells and items stay there. False when it
// says of itself what cannot be: nothing beyond the memory is looked at, then or by who follows the
// list. `memory` is aligned to 64 bytes.
bool window_memory_list(const void *memory, size_t bytes, DisplayList *list);

#endif
