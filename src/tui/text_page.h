// A text on the whole screen: a title, lines that can be moved through, what is going on, and keys.
#ifndef TEXT_PAGE_H
#define TEXT_PAGE_H

#include "cells.h"

typedef struct TextPage {
    const char *title;
    const char *text;   // lines; longer ones go on in the next row
    const char *status; // what is going on; "" nothing
    const char *keys;
    int skip; // rows of the text above the first that is shown
} TextPage;

// Draws it; skip becomes the nearest that leaves no empty screen.
void text_page_draw(TextPage *page, Cells *cells);

// The rows of text that a screen shows.
int text_page_rows(const Cells *cells);

#endif
