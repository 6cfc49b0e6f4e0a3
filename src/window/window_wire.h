// The protocol between the program and attnscope-window: messages, and a display list in shared memory.
#ifndef WINDOW_WIRE_H
#define WINDOW_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include "display_list.h"

// --- messages
//
// A message is a word for its kind, then its content (a path, a text). On the socket it ends with its NUL, as no
// path has one. The first message each way is "version N"; a side that receives another number stops.
//
// Nothing here waits or allocates.

enum {
    WINDOW_VERSION = 4,
    WINDOW_MESSAGE_MAX = 8192, // bytes of a message with its NUL
};

// Received bytes. A zeroed inbox is empty. The receiver appends after `used` and increases it.
typedef struct WindowInbox {
    size_t used;
    char bytes[2 * WINDOW_MESSAGE_MAX];
} WindowInbox;

typedef enum WindowTaken {
    WINDOW_TAKEN_NOTHING, // no complete message
    WINDOW_TAKEN_MESSAGE,
    WINDOW_TAKEN_BROKEN, // too long: the other side is not attnscope
} WindowTaken;

// True if window_wire_take would not return WINDOW_TAKEN_NOTHING.
bool window_wire_has(const WindowInbox *inbox);

// Takes the first message out of the inbox, with a NUL.
WindowTaken window_wire_take(WindowInbox *inbox, char message[WINDOW_MESSAGE_MAX]);

// True if the message is "version N" with our N.
bool window_wire_is_ours(const char *message);

// --- a display list in memory
//
// The shared memory holds this header, then cells, items and texts. Both programs are built together, so the
// layout has no version.

typedef struct WindowMemory {
    int width, height;
    Colour background;
    size_t item_count, text_bytes, cell_count;
    unsigned long cells_version;
} WindowMemory;

enum { WINDOW_MEMORY_HEAD = 128 };

// Offsets of the items, the texts and the end.
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

// Makes a list of the memory, which keeps texts, cells and items. Returns false if the header or an item is
// invalid: nothing reads beyond the memory, then or when the list is drawn. `memory` is aligned to 64 bytes.
bool window_memory_list(const void *memory, size_t bytes, DisplayList *list);

#endif
