// A window in a separate process: receives display lists, sends events.
//
// SDL, fonts and drivers live in the program attnscope-window, connected by a socket and shared memory. If the
// display dies, a driver prints or SDL takes a signal, only the window is lost.
//
// Life cycle: window_open (starts the child and waits for its first message); window_show whenever
// window_is_ready; poll window->fd, then window_next until it returns false; window_close, which accepts a
// zeroed Window. After WINDOW_CLOSED or WINDOW_LOST only window_close makes sense.
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <sys/types.h>
#include "display_list.h"
#include "error.h"
#include "window_wire.h"

typedef enum WindowEventKind {
    WINDOW_KEY,    // `word` names it: "Left", "Return", "a", "?", "Ctrl+s"
    WINDOW_MOVE,   // the pointer is at (x, y)
    WINDOW_PRESS,  // a button went down; `number` is 1 left, 2 middle, 3 right
    WINDOW_DRAG,   // moved by (x, y) pixels with the left button down
    WINDOW_WHEEL,  // `number` notches at (x, y); positive: away from the person
    WINDOW_LEAVE,  // the pointer is outside
    WINDOW_SIZE,   // window->width, height or scale changed
    WINDOW_READY,  // the last list is on screen, the next one may be sent
    WINDOW_NOTE,   // `word` is a message (a missing font)
    WINDOW_SAVED,  // the picture was written
    WINDOW_FAILED, // it was not; `word` says why
    WINDOW_CLOSED, // the person closed it
    WINDOW_LOST,   // the child ended (the display is gone); `word` says why
} WindowEventKind;

typedef struct WindowEvent {
    WindowEventKind kind;
    int x, y, number;
    char word[WINDOW_MESSAGE_MAX];
} WindowEvent;

typedef struct Window {
    int fd; // readable when window_next has an event; -1: not open
    pid_t child;
    const char *program; // its name
    int width, height;   // pixels
    double scale;        // pixels per point: 2 on a dense screen
    FontMetrics metrics;
    bool busy; // a list is being drawn
    bool ended;
    int ended_by;         // the signal; 0: none
    bool seen, under_x11; // on a display; X11 was chosen after Wayland ended it
    int memory_fd;
    void *memory;
    size_t memory_bytes;
    unsigned long cells_version; // of the cells in memory
    size_t cells_there;
    WindowInbox inbox; // received, not yet returned
    bool understood;   // the child has our protocol version
} Window;

// Opens a window. Returns false, with an alternative in err, if there is no display, no font or no
// attnscope-window next to the program.
bool window_open(Window *window, const char *title, int width, int height, Error *err);

// The same without a display, for pictures.
bool window_open_unseen(Window *window, Error *err);

// The same for PDF pages, by attnscope-paper. `title` and `about` are the file's metadata. Only window_save
// and window_film work then.
bool window_open_paper(Window *window, char *title, char *about, Error *err);

bool window_is_ready(const Window *window);

// Puts the list's cells into shared memory, to avoid a copy. From then on draw the list only while the window
// is ready, and not after window_close.
void window_lend(Window *window, DisplayList *list);

// Shows a list. The window must be ready; draw all its lists with one FigureCache. Returns false if the child
// is gone; window_next reports it too.
bool window_show(Window *window, const DisplayList *list);

// Sets the title.
bool window_call(Window *window, const char *title);

// Writes a list to `path` as PNG, or as PDF for pages; WINDOW_SAVED or WINDOW_FAILED follows.
bool window_save(Window *window, const DisplayList *list, const char *path);

// A picture of a film, or a page of a PDF.
typedef struct WindowFilm {
    unsigned number, count, rate; // from 0; pictures per second, at most 1000
} WindowFilm;

// Adds a list to an animated PNG at `path`; all its pictures have one size. WINDOW_SAVED or WINDOW_FAILED
// follows. The file exists after the last picture.
bool window_film(Window *window, const DisplayList *list, WindowFilm film, const char *path);

// Returns the next event; false if there is none. Never waits.
bool window_next(Window *window, WindowEvent *event);

// Waits at most `milliseconds` (-1: for ever) for an event. Returns false if none came, with errno ETIMEDOUT
// or the reason why none can come.
bool window_wait(const Window *window, int milliseconds);

void window_close(Window *window);

#endif
