// A heatmap in its window: what `attnscope heatmap` shows alone and the stepper beside the terminal.
//
// Life cycle: heatmap_open on `heatmap`; heatmap_window_open; then in turn heatmap_window_draw,
// waiting for window.fd (at most heatmap_window_wait), heatmap_window_take; heatmap_window_close,
// which also closes the heatmap.
#ifndef HEATMAP_WINDOW_H
#define HEATMAP_WINDOW_H

#include "heatmap.h"
#include "window.h"

typedef struct HeatmapWindow {
    Heatmap heatmap;
    Window window;
    bool chose; // the person pressed something since somebody last put this to false
} HeatmapWindow;

// False, with a sentence that says what else there is to do, when there can be no window.
bool heatmap_window_open(HeatmapWindow *shown, Error *err);

// Milliseconds until the heatmap wants a "tick" because it plays; -1: never.
int heatmap_window_wait(const HeatmapWindow *shown);

// Saves what was asked to be saved and shows what has changed, as soon as the window can take it.
bool heatmap_window_draw(HeatmapWindow *shown, Error *err);

// Does what the person did in the window. False when it is closed; `err` then holds a sentence if
// nobody closed it (the display is gone).
bool heatmap_window_take(HeatmapWindow *shown, Error *err);

void heatmap_window_close(HeatmapWindow *shown);

// Writes the numbers of the maps shown to a file, whole or not at all.
bool heatmap_save_csv(const Heatmap *heatmap, const char *path, Error *err);

#endif
