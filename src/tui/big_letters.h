// Words in letters of half blocks, for whoever sits in the last row: Latin letters are 5 rows high, lines
// with Hangul 7. Of a syllable's letters each is drawn by its strokes, into the box it has there; syllables
// are narrow, of quarter blocks, where wide ones take another line.
#ifndef BIG_LETTERS_H
#define BIG_LETTERS_H

#include "cells.h"

enum { SLIDE_MARGIN = 2 }; // the columns left free on both sides of a slide

// Draws a text, broken at blanks into lines of the area's width; the rows it takes. 0, and nothing is drawn,
// where a letter is not known or it takes more rows than the area has. Without cells it is only tried.
int big_letters_draw(Area area, Role role, const char *text);

#endif
