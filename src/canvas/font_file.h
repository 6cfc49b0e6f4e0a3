// Font files in memory. SDL_ttf reads a file anew, with a system call each, for every letter that it
// draws for the first time at some size; a mapped file is read by the memory it lies in.
#ifndef FONT_FILE_H
#define FONT_FILE_H

#include <SDL_ttf.h>
#include "font_find.h"

typedef struct FontFile {
    FoundFont found;
    void *memory;
    size_t size;
} FontFile;

// A font of a size in pixels, maps the file when it is the first. NULL where the file cannot be read
// or is no font; the file must stay open as long as the font.
TTF_Font *font_file_open(FontFile *file, int size);

// Gives the memory back.
void font_file_close(FontFile *file);

#endif
