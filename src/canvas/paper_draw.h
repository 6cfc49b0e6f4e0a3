// A display list as a page of a PDF file, through cairo.
#ifndef PAPER_DRAW_H
#define PAPER_DRAW_H

#include "display_list.h"
#include "error.h"
#include "paper_text.h"

// What the file says of itself.
typedef struct PaperWords {
    const char *title, *about;
} PaperWords;

// Writes one page, as large as the list; the file appears whole or not at all, and the same list makes the
// same bytes. False with a sentence.
bool paper_write(const DisplayList *list, PaperFonts *fonts, const PaperWords *words,
                 const char *path, Error *err);

#endif
