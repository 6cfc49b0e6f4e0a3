// A display list painted on a surface: the same pixels in a window and in a file.
#ifndef CANVAS_PAINT_H
#define CANVAS_PAINT_H

#include <SDL.h>
#include "display_list.h"
#include "canvas_text.h"

// Paints the part of the list that lies in `part`. The surface has 32 bits a pixel, red in the third
// byte from below (XRGB8888). `boxes`: what each item covers, when that is known; NULL otherwise.
void paint_list(SDL_Surface *surface, const DisplayList *list, TextFonts *fonts, SDL_Rect part,
                const SDL_Rect *boxes);

// What an item covers at most.
SDL_Rect paint_box(const DisplayList *list, const DisplayItem *item, TextFonts *fonts);

#endif
