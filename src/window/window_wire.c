// What both processes share: frames on the socket, and the list in shared memory, which is checked
// before anybody follows it. See window_wire.h and window_wire.h.
#include "window_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- frames

enum { LENGTH_DIGITS = 4 };

size_t window_wire_frame(const char *message, char frame[WINDOW_FRAME_MAX])
{
    size_t bytes = strlen(message);
    if (bytes >= WINDOW_MESSAGE_MAX)
        return 0;
    return (size_t)snprintf(frame, WINDOW_FRAME_MAX, "%zu:%s,", bytes, message);
}

// Reads LENGTH: at the beginning. *from becomes where the message begins.
static WindowTaken take_length(const WindowInbox *inbox, size_t *length, size_t *from)
{
    size_t at = 0;
    *length = *from = 0;
    for (; at < inbox->used && inbox->bytes[at] >= '0' && inbox->bytes[at] <= '9'; at++) {
        *length = *length * 10 + (size_t)(inbox->bytes[at] - '0');
        if (at == LENGTH_DIGITS)
            return WINDOW_TAKEN_BROKEN;
    }
    if (at == inbox->used)
        return WINDOW_TAKEN_NOTHING;
    *from = at + 1;
    bool good = at > 0 && inbox->bytes[at] == ':' && *length < WINDOW_MESSAGE_MAX;
    return good ? WINDOW_TAKEN_MESSAGE : WINDOW_TAKEN_BROKEN;
}

bool window_wire_has(const WindowInbox *inbox)
{
    size_t length, from;
    WindowTaken taken = take_length(inbox, &length, &from);
    return taken == WINDOW_TAKEN_BROKEN ||
           (taken == WINDOW_TAKEN_MESSAGE && from + length + 1 <= inbox->used);
}

WindowTaken window_wire_take(WindowInbox *inbox, char message[WINDOW_MESSAGE_MAX])
{
    size_t length, from;
    WindowTaken taken = take_length(inbox, &length, &from);
    if (taken != WINDOW_TAKEN_MESSAGE)
        return taken;
    if (!window_wire_has(inbox))
        return WINDOW_TAKEN_NOTHING;
    size_t end = from + length + 1;
    memcpy(message, inbox->bytes + from, length);
    message[length] = '\0';
    if (inbox->bytes[end - 1] != ',' || strlen(message) != length)
        return WINDOW_TAKEN_BROKEN;
    inbox->used -= end;
    memmove(inbox->bytes, inbox->bytes + end, inbox->used);
    return WINDOW_TAKEN_MESSAGE;
}

bool window_wire_is_ours(const char *message)
{
    char ours[32];
    snprintf(ours, sizeof ours, "version %d", WINDOW_VERSION);
    return strcmp(message, ours) == 0;
}

// --- the list in shared memory

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
