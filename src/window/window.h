// A window in a process of its own: it is sent display lists and tells what the person did there.
//
// SDL, fonts and drivers live in the program attnscope-window; here are a socket and shared memory,
// so that a dying display, a driver's chatter or a signal costs the window and nothing else.
//
// Life cycle: window_open (starts the child and waits for its first word); window_show whenever
// window_is_ready; poll window->fd, then window_next until it says no; window_close, which accepts
// a zeroed Window. After WINDOW_CLOSED or WINDOW_LOST only window_close makes sense.
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
    WINDOW_WHEEL,  // `number` notches at (x, y); above 0 is away from the person
    WINDOW_LEAVE,  // the pointer is outside
    WINDOW_SIZE,   // window->width, height and scale have changed
    WINDOW_READY,  // the last list is on screen, the next one may be sent
    WINDOW_NOTE,   // `word` is a sentence for the person (a missing font)
    WINDOW_SAVED,  // the picture is in the file
    WINDOW_FAILED, // it is not; `word` says why
    WINDOW_CLOSED, // the person closed it
    WINDOW_LOST,   // it has ended by itself (the display is gone): `word` is a sentence
} WindowEventKind;

typedef struct WindowEvent {
    WindowEventKind kind;
    int x, y, number;
    char word[WINDOW_MESSAGE_MAX];
} WindowEvent;

typedef struct Window {
    int fd; // readable when window_next has something; -1: not open
    pid_t child;
    const char *program; // its name
    int width, height;   // pixels
    double scale;        // pixels per point: 2 on a dense screen
    FontMetrics metrics;
    bool busy; // a list is on its way to the screen
    bool ended;
    int ended_by;         // the signal; 0: none
    bool seen, under_x11; // it is on a display; X11 was asked for, as Wayland ended it
    int memory_fd;
    void *memory;
    size_t memory_bytes;
    unsigned long cells_version; // of the cells that lie in memory
    size_t cells_there;
    WindowInbox inbox; // received, not yet told
    bool understood;   // the child has said its version, which is ours
} Window;

// Opens a window. False, with a sentence that says what else there is to do, when there is no
// display, no font or no attnscope-window beside the program.
bool window_open(Window *window, const char *title, int width, int height, Error *err);

// The same without a window and without a display, for pictures.
bool window_open_unseen(Window *window, Error *err);

// The same for pages, by attnscope-paper: `title` and `about` are what a file says of itself. Then
// window_save writes PDF, and nothing else can be asked for.
bool window_open_paper(Window *window, char *title, char *about, Error *err);

bool window_is_ready(const Window *window);

// Lets the list have its cells where the child reads them, so that nobody copies them. From then on
// the list is drawn only while the window is ready, and not after window_close.
void window_lend(Window *window, DisplayList *list);

// Sends a list to be shown. The window must be ready; all its lists are drawn with one FigureCache.
// False when the child is gone; window_next will say so too.
bool window_show(Window *window, const DisplayList *list);

// What the window is called from now on.
bool window_call(Window *window, const char *title);

// Sends a list to be written to `path` as PNG or, by one for pages, as PDF; WINDOW_SAVED or WINDOW_FAILED follows.
bool window_save(Window *window, const DisplayList *list, const char *path);

// A picture of a film, or of paper a page of a file: which of how many, and how many a second.
typedef struct WindowFilm {
    unsigned number, count, rate; // the first is 0; a rate of at most 1000
} WindowFilm;

// Sends a list to be the next picture of an animated PNG at `path`, whose pictures are all as large;
// WINDOW_SAVED or WINDOW_FAILED follows. The file is there after the last.
bool window_film(Window *window, const DisplayList *list, WindowFilm film, const char *path);

// The next thing that happened; false when there is nothing (never waits).
bool window_next(Window *window, WindowEvent *event);

// Waits at most `milliseconds` (-1: for ever) for something that window_next will tell. False when
// nothing came; errno is ETIMEDOUT, or says why nothing can come.
bool window_wait(const Window *window, int milliseconds);

void window_close(Window *window);

#endif
