// Display lists and sessions as SVG pictures.
#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include <stdio.h>
#include "display_list.h"
#include "picture_view.h"

// --- a display list
//
// A display list as an SVG picture, for pages that hold everything themselves and for slides.

// Writes an <svg> element. `name` goes before the ids inside, which must be unique on a page; `about`
// tells who cannot see it what it shows.
void figure_svg(const DisplayList *list, const char *name, const char *about, FILE *out);

// Writes a whole file that scales to its page, with text as text: `title` and `about` are what a screen
// reader says.
void figure_svg_file(const DisplayList *list, const char *title, const char *about, FILE *out);

// --- the picture of a session
//
// The picture of a session as an SVG file.

// Writes it whole or not at all, drawn by `view` with the usual letters. False, with a sentence, when
// there is nothing to draw or it cannot be written.
bool picture_svg_save(const Session *session, PictureView *view, const char *path, Error *err);

#endif
