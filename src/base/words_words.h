// What `words` itself says: the rows of words_words.def, as words.h has them.
#ifndef WORDS_WORDS_H
#define WORDS_WORDS_H

#include "words.h"

#include "words_words.def"

#endif
