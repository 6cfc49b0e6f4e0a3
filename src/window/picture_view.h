// The picture of a session as it is drawn somewhere: from a const Session to a display list, and from
// pixels back to commands. What is drawn and where it is scrolled to is the session's; how large the
// paper is, and what lies where on it, is the view's.
//
// Life cycle: picture_view_open; then in turn picture_view_draw while picture_view_is_stale, and
// session_apply what picture_view_next and the pointer say; picture_view_close, which accepts a zeroed
// PictureView.
#ifndef PICTURE_VIEW_H
#define PICTURE_VIEW_H

#include "session.h"
#include "window.h"

enum { PICTURE_HELP_MAX = 96, PICTURE_ROOM_NUMBERS = 6 };

// A cell that shall stay under the pointer while cells become larger or smaller.
typedef struct PictureAnchor {
    bool holds;
    FigureCell cell;
    int x, y;
} PictureAnchor;

typedef struct PictureView {
    int width, height; // pixels
    double scale;      // pixels a point
    FontMetrics metrics;
    bool keys; // the line of keys at the bottom, as in a window
    DisplayList list;
    Figure figure; // what lies where on the last drawing
    FigureCache *cache;
    bool stale;          // it is not what is to be seen, whatever the session says
    unsigned long drawn; // the picture's revision that was drawn
    PictureAnchor anchor;
    bool has_moved;        // to hold the anchor, the drawing began elsewhere than the session says:
    ptrdiff_t row, column; // there
    const char *hovered;   // what the button under the pointer says; NULL: it is over none
    int drag_x, drag_y;    // pixels that have not made a whole cell yet
    ptrdiff_t reported[PICTURE_ROOM_NUMBERS]; // of `map-room`
    const char *help_page[PICTURE_HELP_MAX];  // pairs, ended by NULL
    char help_keys[PICTURE_HELP_MAX / 2][32];
} PictureView;

// Usual letters on 1280 x 960 pixels.
bool picture_view_open(PictureView *view, Error *err);
void picture_view_close(PictureView *view);

// What cannot be reckoned with becomes the nearest that can be.
void picture_view_size(PictureView *view, int width, int height, double scale);

bool picture_view_is_stale(const PictureView *view, const Session *session);

// Draws into view->list. What takes long comes with later drawings: it is stale until then. False,
// with a sentence, when there is nothing to draw or no memory.
bool picture_view_draw(PictureView *view, const Session *session, Error *err);

// Draws until nothing is missing, for a picture that is kept.
bool picture_view_draw_whole(PictureView *view, const Session *session, Error *err);

// What the session has to be told of the last drawing; false: nothing.
bool picture_view_next(const PictureView *view, const Session *session, Command *command);

// Notes that the command was given.
void picture_view_said(PictureView *view, const Command *command);

// What the pointer does at a pixel, as a command; false where it means nothing.
bool picture_view_point(PictureView *view, const Session *session, int x, int y, Command *command);
void picture_view_leave(PictureView *view, Command *command);
bool picture_view_press(PictureView *view, const Session *session, int x, int y, Command *command);
bool picture_view_drag(PictureView *view, const Session *session, int x, int y, Command *command);

// `way` above 0: larger cells.
bool picture_view_wheel(PictureView *view, const Session *session, int x, int y, int direction,
                        Command *command);

// --- its window
//
// The window with the picture of a session: what `attnscope heatmap` shows alone and the stepper beside
// the terminal. It sees the session and speaks to it in commands, as keys do.
//
// Life cycle: zeroed; picture_window_follow whenever the session may have changed or time has passed;
// wait for picture_window_descriptor, at most picture_window_wait; session_apply everything that
// picture_window_next says; picture_window_close. The window is there while session->window is true:
// where it cannot be, or has gone, `window-gone` is what it says.

enum { PICTURE_TITLE_MAX = 256 };

typedef struct PictureWindow {
    Window window;
    PictureView view;
    bool open;
    bool restless; // there is something to say before anything happens
    char title[PICTURE_TITLE_MAX];
    unsigned long saves, csvs;     // of those asked for, how many were written
    char gone[COMMAND_NAME_MAX];   // why it has closed; empty: nothing to tell
    char report[COMMAND_NAME_MAX]; // what became of a file, likewise
    bool hangul_said;              // that Hangul is taken for the keys beneath it
} PictureWindow;

// Opens, closes, writes files that were asked for and shows what has changed, as soon as the window
// can take it.
void picture_window_follow(PictureWindow *window, const Session *session);

// What to wait for; -1: nothing. For how many milliseconds at most; -1: any time.
int picture_window_descriptor(const PictureWindow *window);
int picture_window_wait(const PictureWindow *window);

// The next thing that the person did there, or that the session has to know; false: nothing.
bool picture_window_next(PictureWindow *window, const Session *session, Command *command);

void picture_window_close(PictureWindow *window);

// Writes the numbers of the maps shown to a file, whole or not at all.
bool picture_save_csv(const Session *session, const char *path, Error *err);

#endif
