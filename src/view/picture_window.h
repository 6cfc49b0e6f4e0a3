// The window with the picture of a session: what `attnscope heatmap` shows alone and the stepper beside
// the terminal. It sees the session and speaks to it in commands, as keys do.
//
// Life cycle: zeroed; picture_window_follow whenever the session may have changed or time has passed;
// wait for picture_window_descriptor, at most picture_window_wait; session_apply everything that
// picture_window_next says; picture_window_close. The window is there while session->window is true:
// where it cannot be, or has gone, `window-gone` is what it says.
#ifndef PICTURE_WINDOW_H
#define PICTURE_WINDOW_H

#include "picture_view.h"
#include "window.h"

enum { PICTURE_TITLE_MAX = 256 };

typedef struct PictureWindow {
    Window window;
    PictureView view;
    bool open;
    bool restless; // there is something to say before anything happens
    char title[PICTURE_TITLE_MAX];
    unsigned long saves, csvs;   // of those asked for, how many were written
    char gone[COMMAND_NAME_MAX]; // why it has closed; empty: nothing to tell
    char told[COMMAND_NAME_MAX]; // what became of a file, likewise
    bool hangul_said;            // that Hangul is taken for the keys beneath it
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
