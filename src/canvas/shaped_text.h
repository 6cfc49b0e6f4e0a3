// A text as it is drawn: scripts from right to left in their direction, letters joined or stacked where
// their script wants it, and otherwise each letter as itself. Fonts' ligatures ("->" as an arrow) are off
// in Latin and what is written as Latin is: what is shown is what the text says.
// Source: Unicode Standard Annex 9 (direction), by FriBidi; OpenType, by HarfBuzz.
#ifndef SHAPED_TEXT_H
#define SHAPED_TEXT_H

#include "display_list.h"
#include "font_faces.h"

enum { SHAPED_LETTERS_MAX = 512, SHAPED_GLYPHS_MAX = 1024, SHAPED_RUNS_MAX = 128 };

typedef struct ShapedGlyph {
    uint32_t glyph; // of the run's font
    double x, y;    // in pixels from where the text begins, y upward from the base line
    int byte;       // of the text: where the letters begin that it is for
} ShapedGlyph;

// Glyphs of one font and direction, from left to right; runs stand from left to right, too.
typedef struct ShapedRun {
    int face;
    bool is_rtl;
    int first_glyph, glyph_count;
    int first_byte, byte_count;
} ShapedRun;

typedef struct ShapedText {
    ShapedGlyph glyphs[SHAPED_GLYPHS_MAX];
    int glyph_count;
    ShapedRun runs[SHAPED_RUNS_MAX];
    int run_count;
    double width;
} ShapedText;

// Shapes a text as `style` wants it (its size, bold, fixed); beyond the limits it is cut. False: there was no
// memory. A letter that no font has is "?", and told by font_faces_missing.
bool shape_text(FontFaces *fonts, const DisplayItem *style, const char *text, ShapedText *out);

#endif
