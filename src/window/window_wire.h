// What the program and its attnscope-window share: messages, and a display list in memory.
#ifndef WINDOW_WIRE_H
#define WINDOW_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include "display_list.h"

// --- messages
//
// What the program and its attnscope-window say to each other, over a socket, as bytes.
//
// A message is text: a word for what it is, and what belongs to it (a path, a sentence) to the end. On
// the wire it is framed as LENGTH:MESSAGE, (a netstring), so that a path may hold any byte that a path
// can hold, a newline too. The first message each way is "version N"; who hears another number than
// its own says so and goes no further.
//
// Nothing here waits or allocates: bytes go in, messages come out.

enum {
    WINDOW_VERSION = 3,
    WINDOW_MESSAGE_MAX = 8192, // bytes of a message, its zero at the end among them
    WINDOW_FRAME_MAX = WINDOW_MESSAGE_MAX + 8,
};

// Writes the frame of a message. Returns how many bytes it has; 0: the message is too long.
size_t window_wire_frame(const char *message, char frame[WINDOW_FRAME_MAX]);

// Bytes that have arrived. A zeroed one is empty. Who receives writes behind `used` and counts it up.
typedef struct WindowInbox {
    size_t used;
    char bytes[2 * WINDOW_FRAME_MAX];
} WindowInbox;

typedef enum WindowTaken {
    WINDOW_TAKEN_NOTHING, // no whole message has arrived
    WINDOW_TAKEN_MESSAGE,
    WINDOW_TAKEN_BROKEN, // what has arrived is no frame: the other side is not what it should be
} WindowTaken;

// Whether window_wire_take has anything to tell.
bool window_wire_has(const WindowInbox *inbox);

// Takes the first message out of the inbox, with a zero at its end.
WindowTaken window_wire_take(WindowInbox *inbox, char message[WINDOW_MESSAGE_MAX]);

// Whether a message is "version N" with our own N.
bool window_wire_is_ours(const char *message);

// --- a display list in memory
//
// How a display list lies in the memory that both processes share: this header, then cells, items
// and texts. Both ends are built together, so the layout needs no version.

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
