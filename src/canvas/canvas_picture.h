// A surface as a PNG file.
#ifndef CANVAS_PICTURE_H
#define CANVAS_PICTURE_H

#include <SDL.h>
#include <stdbool.h>
#include "error.h"

// Writes the surface (XRGB8888) to `path`; the file appears whole or not at all.
bool picture_write(SDL_Surface *surface, const char *path, Error *err);

#endif
