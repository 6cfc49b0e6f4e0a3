// A display list as an SVG picture, for pages that hold everything themselves.
#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include <stdio.h>
#include "display_list.h"

// Writes an <svg> element. `name` goes before the ids inside, which must be unique on a page; `about`
// tells who cannot see it what it shows.
void figure_svg(const DisplayList *list, const char *name, const char *about, FILE *out);

#endif
