// The fonts that a text is drawn in: found through fontconfig, opened with FreeType, letter by letter as
// they are needed. A font stays open, at the sizes that were asked for.
//
// Life cycle: font_faces_open ... font_faces_close.
#ifndef FONT_FACES_H
#define FONT_FACES_H

#include <ft2build.h>
#include <hb.h>
#include FT_FREETYPE_H
#include "error.h"
#include "font_find.h"

enum { FONT_FACES_MAX = 32 };

typedef struct FontFaces FontFaces;

// `load_flags` are FreeType's: how outlines are fitted to pixels. NULL, with a sentence, when there is no
// font at all.
FontFaces *font_faces_open(int load_flags, Error *err);
void font_faces_close(FontFaces *fonts);

// The number of a font that has the letter; -1: none has.
int font_face_for(FontFaces *fonts, uint32_t letter, bool bold, bool fixed);
bool font_face_has(const FontFaces *fonts, int face, uint32_t letter);

// The font at a size in pixels; `shaper` is the same for HarfBuzz. NULL without memory.
FT_Face font_face_sized(FontFaces *fonts, int face, int size, hb_font_t **shaper);

// The font once more, for cairo, which keeps in mind the size that it has set. NULL without memory.
FT_Face font_face_again(FontFaces *fonts, int face);

// How FreeType loads its glyphs.
int font_faces_flags(const FontFaces *fonts);

// How wide letters of the bold font are, which is the wider one.
void font_faces_metrics(FontFaces *fonts, int metrics[FONT_METRICS]);

// The first letter since the last call that no font has; 0: there was none.
uint32_t font_faces_missing(FontFaces *fonts);

// Whether since the last call there was no memory for a font that there is: another one stood in its place.
bool font_faces_lack_memory(FontFaces *fonts);
void font_faces_note_memory(FontFaces *fonts);

#endif
