// key_glyph: see key_glyph.h.
#include "key_glyph.h"

#include <stddef.h>
#include <string.h>

const char *key_glyph(const char *key)
{
    static const char *const glyphs[][2] = {
        {"Left", "\u2190"},   {"Up", "\u2191"},  {"Right", "\u2192"}, {"Down", "\u2193"},
        {"BackTab", "S-Tab"}, {"Escape", "Esc"}, {"PageUp", "PgUp"},  {"PageDown", "PgDn"},
    };
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (strcmp(glyphs[i][0], key) == 0)
            return glyphs[i][1];
    return key;
}
