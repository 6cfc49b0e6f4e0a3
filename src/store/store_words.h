// What is said of files: the rows of store_words.def, as words.h has them.
#ifndef STORE_WORDS_H
#define STORE_WORDS_H

#include <inttypes.h>
#include "words.h"

#include "store_words.def"

#endif
