// How a key is written on screen: "Left" is an arrow, most keys are their own name.
#ifndef KEY_GLYPH_H
#define KEY_GLYPH_H

const char *key_glyph(const char *key);

#endif
