// What the mistakes say of their numbers: the rows of mistakes_words.def, as words.h has them.
#ifndef MISTAKES_WORDS_H
#define MISTAKES_WORDS_H

#include "words.h"

#include "mistakes_words.def"

#endif
