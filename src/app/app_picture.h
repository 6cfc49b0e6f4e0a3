// Pictures in files: a display list drawn by the window's process, which needs no display for it.
#ifndef APP_PICTURE_H
#define APP_PICTURE_H

#include "window.h"

// Writes the list to `path` as PNG, whole or not at all. `window` was opened by window_open_unseen.
// What the picture lacks (a letter that no font has) is said on standard error.
bool app_picture_save(Window *window, const DisplayList *list, const char *path, Error *err);

// Writes the list as the next picture of an animated PNG, which is there, whole, after the last.
bool app_picture_film(Window *window, const DisplayList *list, WindowFilm film, const char *path,
                      Error *err);

#endif
