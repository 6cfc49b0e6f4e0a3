// The two ways between a program that draws and the one that has started it: a socket with messages
// (window_wire.h) at descriptor 3, and at 4 the memory in which the lists lie.
#ifndef CANVAS_MESSAGES_H
#define CANVAS_MESSAGES_H

#include <stddef.h>
#include "display_list.h"
#include "shaped_text.h"
#include "window_wire.h"
#include "words.h"

// Says our version and hears the other's. 0, or what the program ends with: 1 where it is another
// version, which the other side has heard and tells of; 2, and `lost` is said, where nobody is there.
int canvas_greet(const char *lost);

// The program ends when nobody reads it any more.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tell_metrics(const int metrics[FONT_METRICS]);

// Reads the next message from the socket; false at its end, or when it is no message.
bool hear(char message[WINDOW_MESSAGE_MAX]);

// Finds the list in shared memory, which may have grown. What the memory does not hold is not mapped:
// to touch it would end the process. It lies there until the next one.
bool canvas_list(size_t bytes, DisplayList *list);

// Lets go of a large list's memory until it is read again: the other side holds it.
void canvas_list_leave(void);

// --- words

#include "canvas_words.def"

// --- memory given back while its addresses stay
//
// What is as large as the window is held only as long as it is worked on.

enum {
    PAGES_KEPT = 8 << 20, // what is smaller is kept: it would cost more time than it saves
    PAGES_BAND = 4 << 20, // of what is larger, so much is worked on at a time
};

// What was written there is lost; later it can be written anew.
void pages_forget(void *memory, size_t bytes);

// For what another process holds, too: it is still there when it is read again.
void pages_leave(void *memory, size_t bytes);

#endif
