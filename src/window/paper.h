// What attnscope-paper draws with.
#ifndef PAPER_H
#define PAPER_H

#include <cairo.h>
#include <stdio.h>
#include "display_list.h"
#include "error.h"
#include "new_file.h"
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

// A file whose pages are written one after the other; all zero: there is none.
typedef struct Paper {
    cairo_surface_t *pages;
    FILE *stream;
    int cause; // why bytes could not be written; 0: they could
    NewFile file;
    Arena arena;
} Paper;

typedef struct PaperPage {
    unsigned number, count; // from 0; of so many
    const PaperWords *words;
    const char *path;
} PaperPage;

// Adds a page, as large as the list; page 0 begins a file. The file appears with its last page, whole or not
// at all, and the same lists make the same bytes. False with a sentence, and then there is none.
bool paper_add(Paper *paper, const DisplayList *list, PaperFonts *fonts, PaperPage page,
               Error *err);

// Forgets a file that has not had its last page.
void paper_drop(Paper *paper);

#endif
