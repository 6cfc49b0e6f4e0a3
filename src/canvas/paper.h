// What attnscope-paper draws with.
#ifndef PAPER_H
#define PAPER_H

#include <cairo.h>
#include "display_list.h"
#include "error.h"
#include "shaped_text.h"

// --- texts
//
// Fonts of files found through fontconfig, drawn by cairo as letters and not as curves, so that they can be
// found, marked and copied.

typedef struct PaperFonts PaperFonts;

// NULL, with a sentence, when there is no font at all.
PaperFonts *paper_text_open(Error *err);
void paper_text_close(PaperFonts *fonts);

// How wide letters of the first font are. False with a sentence: there is no memory for it.
bool paper_text_metrics(PaperFonts *fonts, int metrics[FONT_METRICS], Error *err);

// The first letter since the last call that no font here has; 0: none was missing.
uint32_t paper_text_missing(PaperFonts *fonts);

// --- a display list as a page

// What the file says of itself.
typedef struct PaperWords {
    const char *title, *about;
} PaperWords;

// Writes one page, as large as the list; the file appears whole or not at all, and the same list makes the
// same bytes. False with a sentence.
bool paper_write(const DisplayList *list, PaperFonts *fonts, const PaperWords *words,
                 const char *path, Error *err);

#endif
