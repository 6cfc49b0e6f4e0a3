// What has changed from one display list to the next, so that only that is painted again.
//
// Life cycle: a zeroed Change knows nothing; change_find for every list; change_finish.
#ifndef CANVAS_CHANGE_H
#define CANVAS_CHANGE_H

#include <SDL.h>
#include "display_list.h"
#include "canvas_text.h"

enum { CHANGE_PARTS_MAX = 128 };

typedef struct Change {
    int width, height;
    Colour background;
    unsigned long cells_version;
    size_t cell_count;
    DisplayItem *items; // of the last list
    SDL_Rect *boxes;
    char *texts;
    size_t item_count, text_bytes;
    bool known; // there was a last list
    SDL_Rect parts[CHANGE_PARTS_MAX];
    int part_count;
} Change;

// Finds the parts where `list` differs from the last one, and remembers it. False when everything
// is to be painted.
bool change_find(Change *change, const DisplayList *list, TextFonts *fonts);

// The next list is painted as a whole.
void change_forget(Change *change);
void change_finish(Change *change);

#endif
