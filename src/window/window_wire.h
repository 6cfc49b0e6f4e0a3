// What the program and its attnscope-window say to each other, over a socket, as bytes.
//
// A message is text: a word for what it is, and what belongs to it (a path, a sentence) to the end. On
// the wire it is framed as LENGTH:MESSAGE, (a netstring), so that a path may hold any byte that a path
// can hold, a newline too. The first message each way is "version N"; who hears another number than
// its own says so and goes no further.
//
// Nothing here waits or allocates: bytes go in, messages come out.
#ifndef WINDOW_WIRE_H
#define WINDOW_WIRE_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
