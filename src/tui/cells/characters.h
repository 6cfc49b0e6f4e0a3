// Characters as the C library knows them, which is how curses wants them.
#ifndef CHARACTERS_H
#define CHARACTERS_H

#include <wchar.h>
#include "cells.h"

// Makes text UTF-8 whatever the locale is, an empty one too. Numbers keep their points: LC_NUMERIC is
// never set.
void characters_choose(void);

enum { CHARACTERS_MAX = 5 }; // in a cell

// The characters of a cell. One that the C library knows by another width than utf8proc, or not at
// all, is replaced, so that every later column stays where it belongs.
void characters_of(const Cell *cell, wchar_t characters[CHARACTERS_MAX + 1]);

#endif
