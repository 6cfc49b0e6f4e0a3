// Moving about in a heatmap: cursor, zoom, pointer and play. Shared by heatmap.c and nobody else.
// Each does what it can within the map and returns true.
#ifndef HEATMAP_MOVE_H
#define HEATMAP_MOVE_H

#include "heatmap.h"

// Brings cursor and corner back into a tensor that may have another shape.
void heatmap_keep_cursor(Heatmap *heatmap);

// Scrolls so that the cursor is among the first lines, for a view that shows fewer cells.
bool heatmap_show_cursor(Heatmap *heatmap);

// What is looked at is chosen.
void heatmap_choose(Heatmap *heatmap);

bool heatmap_step(Heatmap *heatmap, int rows, int columns);
bool heatmap_cursor(Heatmap *heatmap, FigureCell cell);
bool heatmap_forget(Heatmap *heatmap); // the pointer has left

// Larger (way 1) or smaller cells, around a pixel; x -1: around the cursor or the middle.
bool heatmap_zoom(Heatmap *heatmap, int way, int x, int y);

// After a picture: scrolls so that the anchor's cell is under the pointer. True when
// that needs another picture.
bool heatmap_hold_anchor(Heatmap *heatmap);

bool heatmap_drag(Heatmap *heatmap, int x, int y);

// The pointer is at a pixel.
bool heatmap_point(Heatmap *heatmap, int x, int y);

// A button went down there. On the number of a head that picks it; among the maps of every head it
// opens the head, elsewhere it locks the cell.
bool heatmap_press(Heatmap *heatmap, int x, int y);

bool heatmap_size(Heatmap *heatmap, int width, int height, double scale);

// Makes letters so many times as large, within 0.5 and 4 times the usual.
bool heatmap_letters(Heatmap *heatmap, double times);

bool heatmap_play(Heatmap *heatmap);              // starts, pauses, goes on
bool heatmap_advance(Heatmap *heatmap, long way); // so many cells more, or fewer
bool heatmap_tick(Heatmap *heatmap);              // a moment of playing

#endif
