// What `canvas` says: the rows of canvas_words.def, as words.h has them.
#ifndef CANVAS_WORDS_H
#define CANVAS_WORDS_H

#include "words.h"

#include "canvas_words.def"

#endif
