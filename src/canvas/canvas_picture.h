// A surface as a PNG file.
#ifndef CANVAS_PICTURE_H
#define CANVAS_PICTURE_H

#include <SDL.h>
#include <stdbool.h>
#include "error.h"

// Writes the surface (XRGB8888) to `path`; the file appears whole or not at all.
bool picture_write(SDL_Surface *surface, const char *path, Error *err);

// A part of the surface as the bytes of a PNG, which belong to the caller. NULL with a sentence.
unsigned char *picture_pack(SDL_Surface *surface, SDL_Rect part, size_t *bytes, Error *err);

#endif
