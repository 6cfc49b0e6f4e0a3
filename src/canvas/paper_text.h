// Texts on paper: fonts of files found through fontconfig, drawn by cairo as letters and not as curves,
// so that they can be found, marked and copied.
//
// Life cycle: paper_text_open, paper_text ..., paper_text_close after the cairo_t is gone.
#ifndef PAPER_TEXT_H
#define PAPER_TEXT_H

#include <cairo.h>
#include "display_list.h"
#include "error.h"
#include "font_find.h"

typedef struct PaperFonts PaperFonts;

// NULL, with a sentence, when there is no font at all.
PaperFonts *paper_text_open(Error *err);
void paper_text_close(PaperFonts *fonts);

// How wide letters of the first font are. False with a sentence: there is no memory for it.
bool paper_text_metrics(PaperFonts *fonts, int metrics[FONT_METRICS], Error *err);

// Draws the text of an item. False: there is no memory for it.
bool paper_text(PaperFonts *fonts, cairo_t *cairo, const DisplayItem *item, const char *text);

// The first letter since the last call that no font here has; 0: none was missing.
uint32_t paper_text_missing(PaperFonts *fonts);

#endif
