// window_wire: frames; see window_wire.h.
#include "window_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
