// A drawn string as it is kept: for each pixel how much of it letters cover. That is a quarter of what
// a picture in colours takes, and one will do for every colour.
#ifndef CANVAS_LETTERS_H
#define CANVAS_LETTERS_H

#include <SDL.h>
#include "colour.h"

typedef struct Letters {
    unsigned char *coverage; // rows of `width`; NULL: nothing to be seen
    int width, height;
    int above; // pixels from the top to the base line, before an upright text is turned
} Letters;

// Keeps how much of each pixel is covered, in rows of `width`, with a quarter turn to the left if `upright`.
// False: there is no memory.
bool letters_keep(Letters *letters, const unsigned char *covered, int width, int height,
                  bool upright);

// Draws in the clip rectangle of a surface of four bytes a pixel, red above green above blue.
void letters_draw(const Letters *letters, SDL_Surface *surface, const SDL_Rect *place,
                  Colour colour);

// Accepts zeroed letters.
void letters_forget(Letters *letters);

#endif
