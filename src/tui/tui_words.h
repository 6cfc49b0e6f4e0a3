// What the panels of the terminal say: the rows of tui_words.def, as words.h has them.
#ifndef TUI_WORDS_H
#define TUI_WORDS_H

#include "words.h"

#include "tui_words.def"

#endif
