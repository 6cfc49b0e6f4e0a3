// What `grading` says: the rows of grading_words.def, as words.h has them.
#ifndef GRADING_WORDS_H
#define GRADING_WORDS_H

#include "words.h"

#include "grading_words.def"

#endif
