// What `view` says: the rows of view_words.def, as words.h has them.
#ifndef VIEW_WORDS_H
#define VIEW_WORDS_H

#include "words.h"

#include "view_words.def"

#endif
