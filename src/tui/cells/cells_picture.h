// A screen of the terminal as a picture: what a terminal of all colours would show, as a display
// list. For slides, papers and pages.
#ifndef CELLS_PICTURE_H
#define CELLS_PICTURE_H

#include "cells.h"
#include "display_list.h"
#include "session.h"

// How a screen looks as a picture.
typedef struct PictureLook {
    int columns, rows;
    int letter; // pixels of an em
    bool dark;
} PictureLook;

// Draws the cells into `list` (cleared first). `letter`: pixels of an em.
void cells_picture(const Cells *cells, int letter, bool dark, DisplayList *list);

// Draws what the session shows on a screen of that size, fitted to it. False
// when memory ran out.
bool cells_picture_of(Session *session, PictureLook look, DisplayList *list, Error *err);

#endif
