// Letters: fonts found through fontconfig, strings drawn once and kept.
//
// Life cycle: text_open, text_draw ..., text_close.
#ifndef CANVAS_TEXT_H
#define CANVAS_TEXT_H

#include <SDL.h>
#include "display_list.h"
#include "error.h"
#include "font_find.h"

typedef struct TextFonts TextFonts;

// Finds a sans-serif font. NULL, with a sentence, when there is none at all.
TextFonts *text_open(Error *err);
void text_close(TextFonts *fonts);

// Draws the text of an item onto a surface.
void text_draw(TextFonts *fonts, SDL_Surface *surface, const DisplayItem *item, const char *text);

// The pixels it covers.
SDL_Rect text_box(TextFonts *fonts, const DisplayItem *item, const char *text);

// False: there is no memory for measuring.
bool text_metrics(TextFonts *fonts, int metrics[FONT_METRICS]);

// The first letter since the last call that no font here has, in a sentence; false when there was
// none.
bool text_missing(TextFonts *fonts, Error *sentence);

// Whether since the last call there was no memory for some text, which has not been drawn then.
bool text_failed(TextFonts *fonts);

#endif
