// What is said of a verdict: the rows of verdict_words.def, as words.h has them.
#ifndef VERDICT_WORDS_H
#define VERDICT_WORDS_H

#include "words.h"

#include "verdict_words.def"

#endif
