// What `notebook` says: the rows of notebook_words.def, as words.h has them.
#ifndef NOTEBOOK_WORDS_H
#define NOTEBOOK_WORDS_H

#include "words.h"

#include "notebook_words.def"

#endif
