// What `class` says: the rows of class_words.def, as words.h has them.
#ifndef CLASS_WORDS_H
#define CLASS_WORDS_H

#include "words.h"

#include "class_words.def"

#endif
