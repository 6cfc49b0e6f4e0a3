// What is said by stages: the rows of stages_words.def, as words.h has them.
#ifndef STAGES_WORDS_H
#define STAGES_WORDS_H

#include "words.h"

#include "stages_words.def"

#endif
