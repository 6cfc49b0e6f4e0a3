// Pictures in files: a display list drawn by the window's process, which needs no display for it.
#ifndef APP_PICTURE_H
#define APP_PICTURE_H

#include "window.h"

// What a file's name ends in, from its last dot on; NULL: it has none.
const char *app_picture_ending(const char *path);

// Writes the list to `path`, whole or not at all: as PNG by a window that window_open_unseen has opened, as
// PDF by one of window_open_paper.
// What the picture lacks (a letter that no font has) is said on standard error.
bool app_picture_save(Window *window, const DisplayList *list, const char *path, Error *err);

// Writes the list as the next picture of an animated PNG, which is there, whole, after the last.
bool app_picture_film(Window *window, const DisplayList *list, WindowFilm film, const char *path,
                      Error *err);

#endif
