// Draws the picture of a const Session to a display list, and turns pixels back into commands. What is drawn
// and the scroll position belong to the session; size and positions belong to the view.
//
// Life cycle: picture_view_open; then picture_view_draw while picture_view_is_stale, and session_apply of the
// commands from picture_view_next and the pointer; picture_view_close, which accepts a zeroed PictureView.
#ifndef PICTURE_VIEW_H
#define PICTURE_VIEW_H

#include "session.h"
#include "window.h"

enum { PICTURE_HELP_MAX = 96, PICTURE_ROOM_NUMBERS = 6 };

// A cell to keep under the pointer while zooming.
typedef struct PictureAnchor {
    bool holds;
    FigureCell cell;
    int x, y;
} PictureAnchor;

typedef struct PictureView {
    int width, height; // pixels
    double scale;      // pixels per point
    FontMetrics metrics;
    bool keys; // draws the line of keys, as in a window
    DisplayList list;
    Figure figure; // positions of the last drawing
    FigureCache *cache;
    bool stale;          // must be drawn again in any case
    unsigned long drawn; // the revision drawn last
    PictureAnchor anchor;
    bool
        has_moved; // to keep the anchor, the drawing starts at (row, column), not where the session says
    ptrdiff_t row, column;
    const char *hovered;                      // the button under the pointer; NULL: none
    int drag_x, drag_y;                       // pixels dragged, less than a cell
    ptrdiff_t reported[PICTURE_ROOM_NUMBERS]; // of `map-room`
    const char *help_page[PICTURE_HELP_MAX];  // pairs, ended by NULL
    char help_keys[PICTURE_HELP_MAX / 2][32];
} PictureView;

// Starts with 1280 x 960 pixels and the usual font.
bool picture_view_open(PictureView *view, Error *err);
void picture_view_close(PictureView *view);

// Limits the values to what can be drawn.
void picture_view_size(PictureView *view, int width, int height, double scale);

bool picture_view_is_stale(const PictureView *view, const Session *session);

// Draws into view->list. Slow parts come with later drawings; until then it is stale. Returns false if there
// is nothing to draw or no memory.
bool picture_view_draw(PictureView *view, const Session *session, Error *err);

// Draws until nothing is missing, for files.
bool picture_view_draw_whole(PictureView *view, const Session *session, Error *err);

// The command that reports the last drawing to the session; false: none.
bool picture_view_next(const PictureView *view, const Session *session, Command *command);

// Records that the command was applied.
void picture_view_said(PictureView *view, const Command *command);

// The command of the pointer at a pixel; false if there is none.
bool picture_view_point(PictureView *view, const Session *session, int x, int y, Command *command);
void picture_view_leave(PictureView *view, Command *command);
bool picture_view_press(PictureView *view, const Session *session, int x, int y, Command *command);
bool picture_view_drag(PictureView *view, const Session *session, int x, int y, Command *command);

// A positive direction enlarges the cells.
bool picture_view_wheel(PictureView *view, const Session *session, int x, int y, int direction,
                        Command *command);

// --- its window
//
// The window with a session's picture: of `attnscope heatmap`, and next to the stepper. It reads the session
// and sends it commands, as keys do.
//
// Life cycle: zeroed; picture_window_follow whenever the session may have changed or time has passed; wait for
// picture_window_descriptor, at most picture_window_wait; session_apply of everything from
// picture_window_next; picture_window_close. The window is open while session->window is true; if it cannot
// open, or is gone, it sends `window-gone`.

enum { PICTURE_TITLE_MAX = 256 };

typedef struct PictureWindow {
    Window window;
    PictureView view;
    bool open;
    bool restless; // has a command without an event
    char title[PICTURE_TITLE_MAX];
    unsigned long saves, csvs;     // requests done
    char gone[COMMAND_NAME_MAX];   // why it closed; empty: nothing to report
    char report[COMMAND_NAME_MAX]; // the result of writing a file; empty: nothing to report
    bool hangul_said;              // the note about Hangul keys was shown
} PictureWindow;

// Opens or closes the window, writes requested files, and draws changes when the window is ready.
void picture_window_follow(PictureWindow *window, const Session *session);

// The descriptor to wait for (-1: none), and for how many milliseconds (-1: any).
int picture_window_descriptor(const PictureWindow *window);
int picture_window_wait(const PictureWindow *window);

// The next command from the window; false: none.
bool picture_window_next(PictureWindow *window, const Session *session, Command *command);

void picture_window_close(PictureWindow *window);

// Writes the numbers of the maps shown to a file, whole or not at all.
bool picture_save_csv(const Session *session, const char *path, Error *err);

#endif
