// Memory given back while its addresses stay: what is as large as the window is held only as long as it
// is worked on.
#ifndef CANVAS_PAGES_H
#define CANVAS_PAGES_H

#include <stddef.h>

enum {
    PAGES_KEPT = 8 << 20, // what is smaller is kept: it would cost more time than it saves
    PAGES_BAND = 4 << 20, // of what is larger, so much is worked on at a time
};

// What was written there is lost; later it can be written anew.
void pages_forget(void *memory, size_t bytes);

// For what another process holds, too: it is still there when it is read again.
void pages_leave(void *memory, size_t bytes);

#endif
