// A display list painted on a surface: the same pixels in a window and in a file.
#ifndef CANVAS_PAINT_H
#define CANVAS_PAINT_H

#include <SDL.h>
#include "display_list.h"
#include "canvas_text.h"

// Paints every item. The surface has 32 bits a pixel, red in the third byte from below (XRGB8888).
void paint_list(SDL_Surface *surface, const DisplayList *list, TextFonts *fonts);

#endif
