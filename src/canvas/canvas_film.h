// Pictures one after the other in one file, an animated PNG: libpng packs each of them, and their data
// go into the chunks acTL, fcTL and fdAT, which libpng of most systems does not know. Source: PNG
// Specification, third edition, 2025, section 11.3.2.6.
#ifndef CANVAS_FILM_H
#define CANVAS_FILM_H

#include <SDL.h>
#include <stdbool.h>
#include "error.h"

// Where in the film a picture stands.
typedef struct FilmPlace {
    unsigned number, count; // the first is 0
    unsigned rate;          // a second
} FilmPlace;

// Adds a surface (XRGB8888, all of one size) to the film in `path`. The first one begins it, in the place
// of one that was not brought to its end; with the last the file appears, whole or not at all, and
// stays on the last picture for two seconds before it begins again. False with a sentence, and no film.
bool film_add(SDL_Surface *surface, FilmPlace place, const char *path, Error *err);

// Gives up a film that was not brought to its end.
void film_drop(void);

#endif
