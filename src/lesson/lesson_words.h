// What `lesson` says: the rows of lesson_words.def, as words.h has them.
#ifndef LESSON_WORDS_H
#define LESSON_WORDS_H

#include "words.h"

#include "lesson_words.def"

#endif
