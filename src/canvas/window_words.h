// What `window` says: the rows of window_words.def, as words.h has them.
#ifndef WINDOW_WORDS_H
#define WINDOW_WORDS_H

#include "words.h"

#include "window_words.def"

#endif
