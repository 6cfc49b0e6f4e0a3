// What `base` says: the rows of base_words.def, as words.h has them.
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "words.h"

#include "base_words.def"

#endif
