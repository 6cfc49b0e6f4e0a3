// What pictures say: the rows of figure_words.def, as words.h has them.
#ifndef FIGURE_WORDS_H
#define FIGURE_WORDS_H

#include "words.h"

#include "figure_words.def"

#endif
