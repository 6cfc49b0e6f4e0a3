// Which file has the letters of a text, as fontconfig knows it.
#ifndef FONT_FIND_H
#define FONT_FIND_H

#include <stdbool.h>
#include <stdint.h>

enum { FONT_PATH_MAX = 1024 };

// How wide letters are, in thousandths of an em: the 95 printable ASCII letters, a Korean one, others.
enum { FONT_METRICS = 97 };

typedef struct FoundFont {
    char path[FONT_PATH_MAX];
    int number; // of the font in the file
} FoundFont;

// The families that texts are drawn in, best first; `fixed`: in letters that are all equally wide.
const char *font_families(bool fixed);

// Letters of Korean, whole or in parts. Source: Unicode 15, blocks with Hangul in their name.
bool is_hangul(uint32_t letter);

// Reads what the system says of its fonts; called before all others it saves them a part of the time.
// False: there is no memory.
bool font_find_open(void);

// The file of a font of the first of these families (names between commas) that has a letter; of
// a Korean one where it is Hangul. False
// when there is none; with errno ENOMEM: there was no memory for looking.
bool font_find(const char *family, bool bold, uint32_t letter, FoundFont *found_font);

// Whether there is memory for what the libraries of fonts (SDL_ttf, cairo, FreeType, HarfBuzz) take for
// opening a font or drawing a string: without it they draw other letters, or none, and do not say so. Ask
// before each.
bool font_has_memory(void);

#endif
