// A display list as an SVG picture, for pages that hold everything themselves and for slides.
#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include <stdio.h>
#include "display_list.h"

// Writes an <svg> element. `name` goes before the ids inside, which must be unique on a page; `about`
// tells who cannot see it what it shows.
void figure_svg(const DisplayList *list, const char *name, const char *about, FILE *out);

// Writes a whole file that scales to its page, with text as text: `title` and `about` are what a screen
// reader says.
void figure_svg_file(const DisplayList *list, const char *title, const char *about, FILE *out);

#endif
