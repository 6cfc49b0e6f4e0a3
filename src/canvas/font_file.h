// Font files in memory. SDL_ttf reads a file anew, with a system call each, for every letter that it
// draws for the first time at some size; a mapped file is read by the memory it lies in.
#ifndef FONT_FILE_H
#define FONT_FILE_H

#include <SDL_ttf.h>
#include <stdbool.h>

enum { FONT_PATH_MAX = 1024 };

typedef struct FontFile {
    char path[FONT_PATH_MAX];
    int number; // of the font in the file
    void *memory;
    size_t size;
} FontFile;

// Whether there is memory for what SDL_ttf, FreeType and HarfBuzz take for opening a font or drawing a
// string: without it they draw other letters, or none, and do not say so. Ask before each.
bool font_file_has_memory(void);

// A font of a size in pixels, maps the file when it is the first. NULL where the file cannot be read
// or is no font; the file must stay open as long as the font.
TTF_Font *font_file_open(FontFile *file, int size);

// Gives the memory back.
void font_file_close(FontFile *file);

// Letters of Korean, whole or in parts. Source: Unicode 15, blocks with Hangul in their name.
bool is_hangul(uint32_t letter);

// The file of a font of the first of these families (names between commas) that has a letter; of
// a Korean one where it is Hangul. False
// when there is none; with errno ENOMEM: there was no memory for looking.
bool font_file_find(const char *family, bool bold, uint32_t letter, FontFile *found_file);

#endif
